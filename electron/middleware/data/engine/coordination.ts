import { type Connection, type Database, inTransaction } from './database.ts'

/**
 * The right to do a piece of work. Only one of the processes that serve the same database has it at a time. A process
 * that ends without a release loses its leases after their lifetime.
 */
export interface Lease {
  readonly name: string
  /** Aborted when the lease is lost, because this process could not renew it in time. */
  readonly lost: AbortSignal
  /**
   * Call this in a transaction that must not be committed without the lease. Throws `LeaseLost` if it is possible that
   * another process has the lease. Otherwise no other process can take the lease before the end of the transaction.
   */
  confirm(connection: Connection): Promise<void>
  /** Releases the lease. Never throws: if the database cannot be reached, the lease ends after its lifetime. */
  release(): Promise<void>
}

export class LeaseLost extends Error {
  constructor(name: string) {
    super(`The lease of ${name} is lost`)
    this.name = 'LeaseLost'
  }
}

export interface Leases {
  /**
   * Takes the lease. Returns null if this process or another one has it. Throws the connection error if the database
   * cannot be reached.
   */
  take(name: string): Promise<Lease | null>
  /** Takes the lease as soon as it is free. Returns null when `until` is aborted. Throws the same errors as `take`. */
  wait(name: string, until?: AbortSignal): Promise<Lease | null>
}

/** A message to the other processes of the same database. */
export type News =
  /** There may be new deliveries, or changes whose events will be written later (`event_portions`). */
  | { readonly topic: 'deliveries' }
  /**
   * Deliveries of a webhook must be sent again. `entityId`: only the deliveries of this resource. Null: the deliveries
   * of all resources.
   */
  | {
      readonly topic: 'replayed'
      readonly webhookId: string
      readonly customerId: string
      readonly entityId: string | null
    }
  /** A webhook was deleted. */
  | { readonly topic: 'removed'; readonly webhookId: string }
  /** Unfinished work may exist, because a process has stopped or died, or because this process has missed news. */
  | { readonly topic: 'abandoned' }

/** How the processes that serve one database divide their work. */
export interface Coordination {
  readonly leases: Leases
  /**
   * Sends news to the other processes. News is lost while the database cannot be reached; when it can be reached again,
   * the processes get the news `abandoned` and check all work.
   */
  announce(news: News): void
  /** The listener gets the news of other processes. It also gets `abandoned` when this process finds abandoned work. */
  listen(listener: (news: News) => void): void
  /** Releases all leases and informs the other processes. */
  stop(): Promise<void>
}

/** Runs `work`, then releases the lease. A null lease: returns null without running `work`. */
export async function withLease<Result>(
  lease: Lease | null,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result | null> {
  if (lease === null) return null
  try {
    return await work(lease)
  } finally {
    await lease.release()
  }
}

/**
 * Runs `work` as `inTransaction` does, in a transaction that is committed only if this process has the lease. Throws
 * `LeaseLost` if it is possible that another process has it.
 */
export function inTransactionOf<Result>(
  lease: Lease,
  database: Database,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return inTransaction(database, async (connection) => {
    await lease.confirm(connection)
    return work(connection)
  })
}

/** A caller that waits for a lease. */
interface Waiter {
  /** Resolves when `LeaseWaiters` wakes this caller, or when the caller's `until` is aborted. */
  readonly woken: Promise<null>
  /** Ends the wait. Returns whether it had already ended. */
  readonly leave: () => boolean
}

/** Waiting callers, by the names of the leases that they wait for, the first caller first. */
export class LeaseWaiters {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** Begins to wait for a lease. The wait ends when `until` is aborted. */
  add(name: string, until?: AbortSignal): Waiter {
    const { promise: woken, resolve } = Promise.withResolvers<null>()
    const waiting = this.#waiting.get(name) ?? new Set()
    const leave = (): boolean => {
      until?.removeEventListener('abort', end)
      const hadLeft = !waiting.delete(end)
      if (waiting.size === 0 && this.#waiting.get(name) === waiting) this.#waiting.delete(name)
      return hadLeft
    }
    const end = (): void => {
      leave()
      resolve(null)
    }
    this.#waiting.set(name, waiting.add(end))
    until?.addEventListener('abort', end)
    return { woken, leave }
  }

  /**
   * Wakes the first waiting caller. If this caller takes the lease, the release of its lease wakes the next caller.
   * Waking all callers at each release would make 400 callers request the lease 80,000 times.
   */
  wake(name: string): void {
    const [first] = this.#waiting.get(name) ?? []
    first?.()
  }

  wakeAll(): void {
    for (const waiting of [...this.#waiting.values()]) for (const end of [...waiting]) end()
  }
}

/**
 * Implements `Leases.wait`: requests the lease again each time `waiters` report that it may be free. Returns null when
 * `until` is aborted.
 */
export async function takeWhenFree(
  { take }: Pick<Leases, 'take'>,
  waiters: LeaseWaiters,
  [name, until]: Parameters<Leases['wait']>,
): Promise<Lease | null> {
  let wasWoken = false
  while (until?.aborted !== true) {
    // begins to wait before it requests the lease, so that it notices a release of the lease during the request
    const waiter = waiters.add(name, until)
    try {
      const lease = await take(name)
      if (lease !== null) {
        waiter.leave()
        return lease
      }
    } catch (error) {
      // this caller may be the only one that was woken for a free lease, so it wakes the next waiting caller
      if (waiter.leave() || wasWoken) waiters.wake(name)
      throw error
    }
    await waiter.woken
    wasWoken = true
  }
  // this caller has stopped waiting, but its last wake-up may have reported a free lease, so the next waiting caller is
  // woken
  if (wasWoken) waiters.wake(name)
  return null
}
