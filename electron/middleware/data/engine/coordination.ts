import type { Connection } from './database.ts'

/**
 * The right to do a piece of work. Only one of the processes that serve the same database has it at a time. A process
 * that ends without a release loses its leases after their lifetime.
 */
export interface Lease {
  readonly name: string
  /** Aborted when the lease is lost, because this process could not renew it in time. */
  readonly lost: AbortSignal
  /**
   * Call this in a transaction that must not be committed without the lease. Throws `LeaseLost` if another process may
   * have the lease. Otherwise no other process can take the lease before the end of the transaction.
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
  /** New deliveries were stored, or changes whose events will be written later (`event_portions`). */
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

/** Waiting callers, by the names of the leases that they wait for. */
export class LeaseWaiters {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** Returns a promise that resolves at the next call of `wake` with the lease's name, or when `until` is aborted. */
  next(name: string, until?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(name) ?? new Set()
      const wake = (): void => {
        until?.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.set(name, waiting.add(wake))
      until?.addEventListener('abort', wake)
    })
  }

  wake(name: string): void {
    const waiting = this.#waiting.get(name)
    this.#waiting.delete(name)
    for (const resolve of waiting ?? []) resolve()
  }

  wakeAll(): void {
    for (const name of [...this.#waiting.keys()]) this.wake(name)
  }
}

/** Implements `Leases.wait`: requests the lease again each time `waiters` report that it may be free. */
export async function takeWhenFree(
  { take }: Pick<Leases, 'take'>,
  waiters: LeaseWaiters,
  [name, until]: Parameters<Leases['wait']>,
): Promise<Lease | null> {
  while (until?.aborted !== true) {
    // listens before it requests the lease, so that it notices a release during the request
    const changed = waiters.next(name, until)
    const lease = await take(name)
    if (lease !== null) return lease
    await changed
  }
  return null
}
