import type { EventName } from '#shared/bridge/channels.ts'
import type { EventPayload } from '#shared/bridge/contract.ts'
import type {
  DeskStatus,
  ReturnLabelView,
  ScanEntry,
  ScanOutcome,
  SessionView,
} from '#shared/bridge/views.ts'
import type { Result } from '#shared/errors/result.ts'

export interface Credentials {
  readonly username: string
  readonly password: string
}

/** The operator's word on a write whose outcome nobody knows. */
export type Decision = 'send_again' | 'discard'

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
    submit(raw: string): Promise<ScanOutcome>
    recent(): ScanEntry[]
  }
  readonly returnLabels: {
    /** Resolves once the commands are durable; sending goes on behind it and tells by `returnLabel` events. */
    make(shipmentId: string): Promise<Result<ReturnLabelView>>
    get(id: string): Result<ReturnLabelView>
    recent(): ReturnLabelView[]
    /** Prints from the vault: no network, never a new label. */
    reprint(id: string): Promise<Result<ReturnLabelView>>
    resolveUnknown(commandId: string, decision: Decision): Promise<Result<ReturnLabelView>>
  }
  status(): DeskStatus
  on<E extends EventName>(event: E, listener: (payload: EventPayload<E>) => void): () => void
  /** Recovers what a crash left, restores the session, starts flusher, printing and the index. No network needed. */
  start(): Promise<void>
  /** Waits for what is on its way (a few seconds at most), then releases the lease and the files. */
  close(): Promise<void>
}
