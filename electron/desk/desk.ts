import type { EventName, MethodOf } from '#shared/bridge/channels.ts'
import type { EventPayload } from '#shared/bridge/contract.ts'
import type { DeskStatus } from '#shared/bridge/views.ts'
import type { Scope } from '#shared/domain/scope.ts'
import type { Articles } from './catalogue/articles.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import type { ReturnLabels } from './labels/return-labels.ts'
import type { Locations } from './modifications/locations.ts'
import type { Modifications } from './modifications/modifications.ts'
import type { PlainPaper } from './paper/plain-paper.ts'
import type { Prints } from './paper/prints.ts'
import type { Queue } from './queue/queue.ts'
import type { Scans } from './scans/scans.ts'
import type { Session } from './service/session.ts'
import type { Storage } from './storage.ts'

/**
 * One desk at one scope. Its domains have the names, methods and arguments of the bridge's contract. Expected failures
 * come back as results; only a failing store throws (CataloguedError `store.full` or `store.unavailable`), so that no
 * step can go on believing that something was saved.
 */
export interface Desk {
  readonly session: Pick<Session, MethodOf<'session'>>
  readonly scan: Scans
  readonly returnLabel: ReturnLabels
  readonly article: Articles
  readonly modification: Modifications
  readonly location: Locations
  readonly catalogue: Pick<Catalogue, MethodOf<'catalogue'> | 'locationTypes'>
  readonly print: Prints
  readonly paper: Pick<PlainPaper, 'print'>
  readonly queue: Queue
  readonly storage: Pick<Storage, MethodOf<'storage'>>
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
