import type { EventName } from '#shared/bridge/channels.ts'
import type { EventPayload } from '#shared/bridge/contract.ts'
import type {
  LabelDraft,
  LabelList,
  LabelLook,
  LabelMode,
  ReturnLabelView,
} from '#shared/bridge/label-views.ts'
import type { PrintDecision, PrintLine, PrintPreview, PrintsView } from '#shared/bridge/print-views.ts'
import type { QueueDecision, QueueEdit, QueueLine, QueueView } from '#shared/bridge/queue-views.ts'
import type { ScanEntry, ScanExpectation, ScanOutcome } from '#shared/bridge/scan-views.ts'
import type {
  ArticleList,
  ExpiringList,
  LocationImport,
  LocationTypeList,
  LocationView,
  LotsView,
  MethodList,
  ModificationChange,
  ModificationDraft,
  ModificationView,
  StockView,
} from '#shared/bridge/stock-views.ts'
import type { CatalogueOverview, CatalogueView, DeskStatus, SessionView } from '#shared/bridge/views.ts'
import type { PaperOutcome } from '#shared/bridge/printer-views.ts'
import type { StorageView } from '#shared/bridge/storage-views.ts'
import type { ReprintReason } from '#shared/domain/print-job.ts'
import type { Scope } from '#shared/domain/scope.ts'
import type { LocationTable } from '#shared/domain/locations.ts'
import type { Result } from '#shared/errors/result.ts'
import type { SenderAddressPatch } from '#shared/wire/address.ts'
import type { PlainPaperRequest } from './paper/plain-paper.ts'
import type { ScanChoiceKey } from './ports/store.ts'
import type { ScanAnswer } from './scans/scan-question.ts'

export interface Credentials {
  readonly username: string
  readonly password: string
}

/**
 * One desk at one scope. Expected failures come back as results; only a failing store throws (CataloguedError
 * `store.full` or `store.unavailable`), so that no step can go on believing that something was saved.
 */
export interface Desk {
  readonly session: {
    state(): SessionView
    login(credentials: Credentials): Promise<Result<SessionView>>
    /** Forgets the tokens. What waits in the outbox stays, and is sent after the next login. */
    logout(): Promise<SessionView>
  }
  readonly scans: {
    /** Resolves once the scan and what it led to are durable: the sound may follow, not precede. */
    submit(raw: string, expect?: ScanExpectation): Promise<ScanOutcome>
    recent(): ScanEntry[]
    /** What a scan of the journal means today; the journal stays as it is. */
    lookup(id: string): Promise<Result<ScanOutcome>>
    /** The operator's word on an ambiguous scan, kept for the next scan of it. */
    choose(id: string, expect: ScanExpectation, answer: ScanAnswer): Promise<Result<ScanOutcome>>
    /** The next scan of it asks again. */
    forget(key: ScanChoiceKey): void
  }
  readonly returnLabels: {
    /** Resolves once the commands are durable; sending goes on behind it and tells by `returnLabel` events. */
    make(mode: LabelMode, request: boolean, seen?: string | null): Promise<Result<ReturnLabelView>>
    /** Whether a shipment has a label, made at any desk; asks the service once, or says as of when it knows. */
    look(shipmentId: string): Promise<LabelLook>
    request(id: string): Promise<Result<ReturnLabelView>>
    patch(id: string, changes: SenderAddressPatch): Promise<Result<ReturnLabelView>>
    cancel(id: string): Promise<Result<ReturnLabelView>>
    /** Takes a label of the service into this desk's ledger; asks the service. */
    open(serverId: string): Promise<Result<ReturnLabelView>>
    get(id: string): Result<ReturnLabelView>
    recent(): ReturnLabelView[]
    /** Ours and those that the service listed last; no network. */
    search(text: string): LabelList
    /** Prints from the vault: no network, never a new label. */
    reprint(id: string, reason: ReprintReason | null): Promise<Result<ReturnLabelView>>
    readDraft(): LabelDraft | null
    writeDraft(draft: LabelDraft | null): LabelDraft | null
  }
  readonly modifications: {
    draft(): ModificationDraft
    /** Durable when it answers, like all that follows here. */
    change(change: ModificationChange): Result<ModificationDraft>
    undo(): ModificationDraft
    /** The draft becomes a command; sending goes on behind it and tells by `modification` events. */
    book(): Result<ModificationView>
    takeBack(id: string): Result<ModificationDraft>
    /** What is known here; a status older than a minute is asked for behind it. */
    get(id: string): Result<ModificationView>
    recent(): ModificationView[]
  }
  readonly locations: {
    list(): LocationView[]
    /** `location.book_full`: nothing was changed. */
    import(table: LocationTable): Promise<Result<LocationImport>>
    name(id: string, code: string): Result<LocationView[]>
    forget(id: string): LocationView[]
  }
  readonly articles: {
    /** From the service, or what it said last. */
    lots(variantId: string): Promise<Result<LotsView>>
    /** Salable and quarantine stock, the same way. */
    stock(variantId: string): Promise<Result<StockView>>
    /** As somebody types; no network, like what follows. */
    search(text: string, limit: number): ArticleList
    expiring(withinDays: number): ExpiringList
  }
  readonly catalogue: {
    methods(): MethodList
    locationTypes(): LocationTypeList
    /** Reads now; a long read answers with how far it is. */
    sync(): Promise<Result<CatalogueView>>
    overview(): CatalogueOverview
    /** How often all lots are read. */
    keepLots(everyHours: number): CatalogueOverview
    /** How many months of shipments are kept findable. */
    keepShipments(months: number): CatalogueOverview
  }
  readonly queue: {
    /** What waits and what was noticed; no network. */
    list(): QueueView
    /** Durable and logged when it answers; what became of the write follows as an event of its subject. */
    decide(shown: Pick<QueueLine, 'commandId' | 'version'>, decision: QueueDecision): Result<QueueView>
    /** Takes out a write that surely did not arrive, and puts it back where it was made. */
    edit(commandId: string): Result<QueueEdit>
    dismiss(noticeId: string): QueueView
    /** Dismisses this notice of an approved booking and all such notices before it. */
    dismissApproved(noticeId: string): QueueView
  }
  readonly prints: {
    /** What asks, what waits, what is on paper and was not scanned back; no network. */
    list(): PrintsView
    /** What would come out of the job's printer; reaches no printer. */
    preview(jobId: string): Promise<Result<PrintPreview>>
    /** Durable when it answers; what became of the job follows as an event of its label. */
    decide(shown: Pick<PrintLine, 'jobId' | 'version'>, decision: PrintDecision): Promise<Result<PrintsView>>
  }
  readonly paper: {
    /** Prints what is no label of a shipment: once, between the printer's jobs; resolves when it is known what became of it. */
    print(request: PlainPaperRequest): Promise<PaperOutcome>
  }
  readonly storage: {
    state(): Promise<StorageView>
    backUp(): Promise<StorageView>
    keep(days: number): Promise<StorageView>
    recoveryRead(): Promise<StorageView>
  }
  /** Other printers stand here: what waits for one that is gone goes to the first. */
  printersChanged(): Promise<void>
  status(): DeskStatus
  /** How much waits here at another station: it is sent and printed only while that one is open. */
  waitingAt(scope: Scope): number
  on<E extends EventName>(event: E, listener: (payload: EventPayload<E>) => void): () => void
  /** Recovers what a crash left, restores the session, starts flusher, printing and the index. No network needed. */
  start(): Promise<void>
  /** Waits for what is on its way (a few seconds at most), then releases the lease and the files. */
  close(): Promise<void>
}
