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
 * are returned as results. Only a failure of the store throws (CataloguedError `store.full`, `store.unavailable` or
 * `store.damaged`), so that no step continues before its data is saved. A call that needs the store after the desk has
 * closed throws CataloguedError `session.signed_out`.
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
  /**
   * Applies a change of the configured printers. Jobs that wait for a removed printer move to the first printer. Does
   * not wait until the status of each printer was read.
   */
  printersChanged(): void
  status(): DeskStatus
  /**
   * Counts the waiting writes and the waiting prints of another station. They are sent and printed only while that
   * station is open.
   */
  waitingAt(scope: Scope): number
  /**
   * Removes the login of another station, its articles and lots, its copies of shipments and labels, and all its
   * records with their PDFs. Throws if the removal cannot begin. Reports a later failure; the next desk that starts
   * then continues the removal.
   */
  forgetStation(scope: Scope): Promise<void>
  on<E extends EventName>(event: E, listener: (payload: EventPayload<E>) => void): () => void
  /**
   * Recovers from a crash, restores the session, and starts the outbox, the printing and the reads of the lists. Needs
   * no network.
   */
  start(): Promise<void>
  /** Waits a few seconds at most for running requests, then releases the lease and closes the files. */
  close(): Promise<void>
}
