import type { LabelDraft, LabelEntry, LabelLook, ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { PrintDecision, PrintPreview, PrintsView } from '#shared/bridge/print-views.ts'
import type { QueueDecision, QueueView } from '#shared/bridge/queue-views.ts'
import type { HeldScan, ScannersView, SerialPorts } from '#shared/bridge/scanner-views.ts'
import type { ScanChoiceView, ScanEntry, ScanOutcome, ShipmentView } from '#shared/bridge/scan-views.ts'
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
import type {
  AppInfo,
  CatalogueOverview,
  ConnectionTest,
  DeskStatus,
  SessionView,
  StationView,
} from '#shared/bridge/views.ts'
import type { ProvisioningView, SetupNotice } from '#shared/bridge/setup-views.ts'
import type { SheetWish } from '#shared/bridge/paper-views.ts'
import type { PaperOutcome, PrinterSetup, PrinterTest, PrintQueues } from '#shared/bridge/printer-views.ts'
import type { ScannerProfile } from '#shared/domain/wedge/scanner-profile.ts'
import type { ReprintReason } from '#shared/domain/print-hold.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { sampleKept, sampleStorage } from './sample-kept.ts'
import { emptyDraft, sampleLocationTypes } from './sample-stock.ts'
import { sampleMethods } from './sample-labels.ts'
import { folderSetup } from './sample-printers.ts'
import { printsOf } from './sample-prints.ts'
import {
  sampleConnection,
  sampleInfo,
  sampleStatus,
  sandboxStation,
  signedIn,
  signedOut,
} from './sample-views.ts'

/** Everything the fake desk knows; change it at will between calls. */
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

  /** By `domain:method`: that call fails, until taken out. */
  failures: Partial<Record<string, Failure>>
  /** By `domain:method`: that call never answers. */
  hanging: Set<string>
}

export function memoryWorld(nowMs: () => number = Date.now): MemoryWorld {
  return {
    nowMs,
    info: sampleInfo,
    provisioning: { file: null, state: 'none', problems: [], at: null },
    setupNotice: { refused: null, lost: null },
    stations: [sandboxStation],
    currentStation: sandboxStation.id,
    session: signedOut,
    loginAs: signedIn,
    status: sampleStatus(nowMs()),
    shipments: [],
    recent: [],
    choices: [],
    test: sampleConnection,
    labels: [],
    looks: {},
    serviceLabels: [],
    methods: sampleMethods(nowMs()),
    labelDraft: null,
    scannerProfile: null,
    printerSetup: folderSetup,
    printerTest: { state: 'ready', failure: null },
    printQueues: { isThere: false, queues: [] },
    scanners: { scanners: [], live: [] },
    serialPorts: { isListed: true, ports: [] },
    heldScans: [],
    scanned: 0,
    prints: printsOf([]),
    previews: {},
    reprinted: [],
    printsDecided: [],
    paperOutcome: { kind: 'sent', file: null, failure: null },
    sheets: [],
    swap: null,
    variants: [],
    lots: {},
    stock: {},
    draft: emptyDraft,
    modifications: [],
    locations: [],
    locationImport: null,
    locationTypes: sampleLocationTypes(nowMs()),
    queue: { lines: [], notices: [] },
    decided: [],
    kept: sampleKept(nowMs()),
    storage: sampleStorage(nowMs()),
    failures: {},
    hanging: new Set(),
  }
}
