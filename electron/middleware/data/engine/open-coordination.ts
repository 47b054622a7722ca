import type { Logger } from '#kit/logger.ts'
import { type Coordination, type Lease, type Leases, LeaseWaiters, takeWhenFree } from './coordination.ts'
import type { DatabasePlace } from './database.ts'
import type { DatabaseLimits } from './postgres.ts'

/** Lifetime of a lease in milliseconds. If a process dies, its leases are free after this time at the latest. */
export const usualLeaseMs = 15_000

/**
 * Opens the leases and the messages (`News`) between the processes that use an open database. For an SQLite file the
 * leases are in memory, because only one process uses the file. Throws the error of a PostgreSQL connection.
 */
export async function openCoordination(
  { databaseUrl = null }: DatabasePlace,
  {
    leaseMs,
    logger,
    limits = {},
  }: { readonly leaseMs: number; readonly logger: Logger; readonly limits?: DatabaseLimits },
): Promise<Coordination> {
  if (databaseUrl === null) return new SingleProcess()
  const { PostgresCoordination } = await import('./postgres-coordination.ts')
  return PostgresCoordination.open(databaseUrl, { leaseMs, logger, limits })
}

/** Leases in memory, for a database that only this process uses. */
export class SingleProcess implements Coordination {
  readonly #held = new Set<string>()
  readonly #waiters = new LeaseWaiters()

  readonly leases: Leases = {
    take: (name) => {
      if (this.#held.has(name)) return Promise.resolve(null)
      this.#held.add(name)
      return Promise.resolve(this.#leaseOf(name))
    },
    wait: (...wanted) => takeWhenFree(this.leases, this.#waiters, wanted),
  }

  announce(): void {
    // sends nothing, because no other process uses the database
  }

  listen(): void {
    // receives nothing, because no other process uses the database
  }

  stop(): Promise<void> {
    return Promise.resolve()
  }

  #leaseOf(name: string): Lease {
    let isReleased = false
    return {
      name,
      lost: new AbortController().signal,
      confirm: () => Promise.resolve(),
      release: () => {
        if (!isReleased) {
          isReleased = true
          this.#held.delete(name)
          this.#waiters.wake(name)
        }
        return Promise.resolve()
      },
    }
  }
}
