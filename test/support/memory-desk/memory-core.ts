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

/** What a desk in memory knows; a test changes it between calls. */
export interface MemoryWorld {
  nowMs: () => number
  info: AppInfo
  provisioning: ProvisioningView
  setupNotice: SetupNotice
  stations: StationView[]
  currentStation: string
  session: SessionView
  /** What a right login answers with. */
  loginAs: SessionView
  status: DeskStatus
  shipments: ShipmentView[]
  recent: ScanEntry[]
  /** Answers to ambiguous scans, newest first. */
  choices: ScanChoiceView[]
  test: ConnectionTest

  labels: ReturnLabelView[]
  /** By shipment: what a look for its label returns; left out: the service has none, or cannot be asked while offline. */
  looks: Partial<Record<string, LabelLook>>
  /** Of other desks; `search` answers with them beside `labels`. */
  serviceLabels: LabelEntry[]
  methods: MethodList
  labelDraft: LabelDraft | null
  printerSetup: PrinterSetup
  printerTest: PrinterTest
  printQueues: PrintQueues
  scannerProfile: ScannerProfile | null
  scanners: ScannersView
  serialPorts: SerialPorts
  /** Scans that the window has not taken. */
  heldScans: HeldScan[]
  /** How often serial scanners scanned. */
  scanned: number
  prints: PrintsView
  /** By job; a job without one shows the sample's. */
  previews: Partial<Record<string, PrintPreview>>
  /** Labels printed once more, and why, in order. */
  reprinted: { id: string; reason: ReprintReason | null }[]
  /** The operator's words on print jobs, in order. */
  printsDecided: { jobId: string; decision: PrintDecision }[]
  /** What becomes of paper that is no label. */
  paperOutcome: PaperOutcome
  /** Sheets printed or saved, in order. */
  sheets: SheetWish[]
  /** What a scanned label may have been swapped with. */
  swap: Extract<ScanOutcome, { kind: 'return_label' }>['swap']

  variants: VariantView[]
  /** By variant id. */
  lots: Partial<Record<string, LotsView>>
  /** By variant id. */
  stock: Partial<Record<string, StockView>>
  draft: ModificationDraft
  modifications: ModificationView[]
  locations: LocationView[]
  /** What an import answers with; null: one location added from each line with a comma or semicolon. */
  locationImport: Omit<LocationImport, 'locations'> | null
  locationTypes: LocationTypeList

  queue: QueueView
  /** The operator's words on writes, in order. */
  decided: { commandId: string; decision: QueueDecision }[]

  /** What is kept of the service besides the articles of `status`. */
  kept: Omit<CatalogueOverview, 'articles'>
  storage: StorageView
  support: SupportView

  /** By `domain:method`: that call fails, until taken out. */
  failures: Partial<Record<string, Failure>>
  /** By `domain:method`: that call never answers. */
  hanging: Set<string>
}

/** What the domains of the desk in memory share: its world, its events, and the calls made. */
export class MemoryCore {
  readonly world: MemoryWorld
  /** Names of the calls made, in order. */
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

  /** Records the call; returns what `answer` returns, unless `failures` or `hanging` of the world name the call. */
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

  /** The label as the desk gives it out: with its state, and what the world's status asks about it. */
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

  /** Stores a changed modification and emits its event, as the desk does. */
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

/** What the state of a view depends on. */
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

/** The label with the state that its facts give, as the desk gives it out. */
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

/** `minutes` before `nowMs`, as views carry times. */
export function ago(nowMs: number, minutes: number): string {
  return new Date(nowMs - minutes * 60_000).toISOString()
}
