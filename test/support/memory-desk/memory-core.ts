import type { EventName } from '#shared/bridge/channels.ts'
import type { EventPayload, ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelDraft, LabelEntry, LabelLook, ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { SheetWish } from '#shared/bridge/paper-views.ts'
import type { PrintDecision, PrintPreview, PrintsView } from '#shared/bridge/print-views.ts'
import type { PaperOutcome, PrinterSetup, PrinterTest, PrintQueues } from '#shared/bridge/printer-views.ts'
import type { QueueDecision, QueueView } from '#shared/bridge/queue-views.ts'
import type { ScanChoiceView, ScanEntry, ScanOutcome, ShipmentView } from '#shared/bridge/scan-views.ts'
import type { HeldScan, ScannersView, SerialPorts } from '#shared/bridge/scanner-views.ts'
import type { ProvisioningView, SetupNotice } from '#shared/bridge/setup-views.ts'
import type {
  LocationImport,
  LocationTypeList,
  LocationView,
  LotsView,
  MethodList,
  ModificationDraft,
  ModificationView,
  StockView,
  VariantView,
} from '#shared/bridge/stock-views.ts'
import type { SpeedView } from '#shared/bridge/speed-views.ts'
import type { StorageView } from '#shared/bridge/storage-views.ts'
import type { SupportView } from '#shared/bridge/support-views.ts'
import type {
  AppInfo,
  CatalogueOverview,
  ConnectionTest,
  DeskStatus,
  SessionView,
  StationView,
  WaitingWrite,
} from '#shared/bridge/views.ts'
import type { LabelFacts } from '#shared/domain/label-phase.ts'
import { labelState } from '#shared/domain/label-state.ts'
import { type ReprintReason, asksAboutPrint, isOnPaper } from '#shared/domain/print-job.ts'
import type { ScannerProfile } from '#shared/domain/wedge/scanner-profile.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { fail, type Result } from '#shared/errors/result.ts'

/** The data of an in-memory desk. A test changes it between calls. */
export interface MemoryWorld {
  nowMs: () => number
  info: AppInfo
  provisioning: ProvisioningView
  setupNotice: SetupNotice
  stations: StationView[]
  currentStation: string
  session: SessionView
  /** The result of a successful login. */
  loginAs: SessionView
  status: DeskStatus
  shipments: ShipmentView[]
  recent: ScanEntry[]
  /** The meanings that an operator chose for ambiguous codes, the newest first. */
  choices: ScanChoiceView[]
  test: ConnectionTest

  labels: ReturnLabelView[]
  /**
   * The result of the search for the label of a shipment, by shipment. If a shipment has no entry, the service has no
   * label for it or, while the desk is offline, cannot be asked.
   */
  looks: Partial<Record<string, LabelLook>>
  /** Labels of other desks, which `search` returns beside `labels`. */
  serviceLabels: LabelEntry[]
  methods: MethodList
  labelDraft: LabelDraft | null
  printerSetup: PrinterSetup
  printerTest: PrinterTest
  printQueues: PrintQueues
  scannerProfile: ScannerProfile | null
  scanners: ScannersView
  serialPorts: SerialPorts
  /** Scans that main keeps until the window has taken them. */
  heldScans: HeldScan[]
  /** Number of scans that serial scanners have made. */
  scanned: number
  prints: PrintsView
  /** Previews of print jobs, by job. A job without an entry has the sample preview. */
  previews: Partial<Record<string, PrintPreview>>
  /** Labels that were reprinted, with the reason, in order. */
  reprinted: { id: string; reason: ReprintReason | null }[]
  /** The decisions of the operator about print jobs, in order. */
  printsDecided: { jobId: string; decision: PrintDecision }[]
  /** The outcome of prints that are not labels. */
  paperOutcome: PaperOutcome
  /** Sheets that were printed or saved, in order. */
  sheets: SheetWish[]
  /** Labels that may have been swapped with a scanned label. */
  swap: Extract<ScanOutcome, { kind: 'return_label' }>['swap']

  variants: VariantView[]
  /** Lots of an article, by the id of its variant. */
  lots: Partial<Record<string, LotsView>>
  /** Stock of an article, by the id of its variant. */
  stock: Partial<Record<string, StockView>>
  draft: ModificationDraft
  modifications: ModificationView[]
  locations: LocationView[]
  /**
   * The counts that an import of locations returns in place of the real ones. Null: the import returns the real counts.
   */
  locationImport: Omit<LocationImport, 'locations'> | null
  locationTypes: LocationTypeList

  queue: QueueView
  /** The decisions of the operator about writes, in order. */
  decided: { commandId: string; decision: QueueDecision }[]

  /** The stored data of the service, except the articles, which `status` contains. */
  kept: Omit<CatalogueOverview, 'articles'>
  storage: StorageView
  support: SupportView
  speed: SpeedView

  /** The failures of calls, by `domain:method`. A call fails until its entry is removed. */
  failures: Partial<Record<string, Failure>>
  /** Names of calls, as `domain:method`, that never return. */
  hanging: Set<string>
}

/** The parts that all domains of the in-memory desk share: the world, the events, and the recorded calls. */
export class MemoryCore {
  readonly world: MemoryWorld
  /** The names of the calls, in order. */
  readonly calls: string[] = []
  readonly #listeners = new Map<EventName, Set<(payload: never) => void>>()
  #serial = 0

  constructor(world: MemoryWorld) {
    this.world = world
  }

  emit<E extends EventName>(event: E, payload: EventPayload<E>): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      const call = listener as (payload: EventPayload<E>) => void
      call(payload)
    }
  }

  readonly on: ScandeskBridge['on'] = (event, listener) => {
    const set = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, set.add(listener))
    return () => {
      set.delete(listener)
    }
  }

  /**
   * Records the call and returns the result of `answer`. A call in `world.failures` fails instead, and a call in
   * `world.hanging` never returns.
   */
  call<T>(name: string, answer: () => Result<T>): Promise<Result<T>> {
    this.calls.push(name)
    if (this.world.hanging.has(name)) return new Promise(() => undefined)
    const failure = this.world.failures[name]
    return Promise.resolve(failure ? fail<T>(failure.code, failure.params) : answer())
  }

  id(prefix: string): string {
    this.#serial += 1
    return `${prefix}-memory-${String(this.#serial)}`
  }

  /** Returns the label as the desk does: with its state, and with the open question about it from `world.status`. */
  shown(label: ReturnLabelView): ReturnLabelView {
    const { waitingWrites, waitingPrints } = this.world.status
    const write = waitingWrites.find(({ subject, needsOperator }) => subject.id === label.id && needsOperator)
    const asksPrint = waitingPrints.some(({ labelId, asks }) => labelId === label.id && asks)
    const { print } = label
    return withState({
      ...label,
      asked: write ? askedOf(write) : null,
      print: print && { ...print, asks: asksPrint },
    })
  }

  /** Stores a changed label, emits its event and returns it, as the desk does. */
  putLabel(label: ReturnLabelView): ReturnLabelView {
    this.world.labels = [label, ...this.world.labels.filter((known) => known.id !== label.id)]
    const shown = this.shown(label)
    this.emit('returnLabel', shown)
    return shown
  }

  /** Stores the new state of a stock booking and emits its event, as the desk does. */
  putModification(modification: ModificationView): void {
    const { modifications } = this.world
    this.world.modifications = [modification, ...modifications.filter(({ id }) => id !== modification.id)]
    this.emit('modification', modification)
  }

  putSession(session: SessionView): SessionView {
    this.world.session = session
    this.emit('session', session)
    return session
  }
}

function askedOf({ commandId, since, question, failure }: WaitingWrite): ReturnLabelView['asked'] {
  return { commandId, since, question, failure }
}

/** Returns the facts that determine the state of a label. */
export function factsOf(label: LabelChange): LabelFacts {
  const { create, patch, request, cancel, requested, cancelled, stored, print } = label
  return {
    ...{ create, patch, request, cancel, requested, cancelled, stored },
    asked: label.asked !== null,
    byHand: label.shipmentId === null,
    print: print && { state: print.state, isHeld: print.asks, isFile: print.file !== null },
    failure: label.failure?.code ?? null,
  }
}

type Derived = 'phase' | 'about' | 'steps' | 'acts' | 'bars' | 'isVoid'
type LabelChange = Omit<ReturnLabelView, Derived>

/** Returns the label with its state, which follows from its fields by the same rules as at the desk. */
export function withState(label: LabelChange): ReturnLabelView {
  const { print } = label
  const known = print && {
    ...print,
    mayBeOnPaper: isOnPaper(print.state, false),
    asks: asksAboutPrint(print.state, print.asks),
  }
  const whole = { ...label, print: known }
  return { ...whole, ...labelState(factsOf(whole)) }
}

/** Returns the time that is `minutes` before `nowMs`, in the format of the views. */
export function ago(nowMs: number, minutes: number): string {
  return new Date(nowMs - minutes * 60_000).toISOString()
}
