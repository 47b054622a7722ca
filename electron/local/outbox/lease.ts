import type { Database } from 'better-sqlite3'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'

interface LeaseRow {
  holder: string
  pid: number
  until: Instant
}

export interface Lease {
  /** Takes or extends the lease. Returns false if another process holds it. Runs inside the caller's transaction. */
  hold(holder: string, at: Instant, forMs: Milliseconds): boolean
  isHeldBy(holder: string): boolean
  /**
   * Makes the lease free for the other holders of this process. Called before the transaction of `release`, which may
   * fail: a failing disk must not prevent the next desk of this process from taking the lease.
   */
  forget(holder: string): void
  release(holder: string): void
}

/** The holders in this process that were not forgotten. */
const holdersHere = new Set<string>()

/**
 * A lease, which at most one of the processes that use a database can hold. It is free when its holder has ended, or
 * when it expires. Times are milliseconds since 1970, because the wall clock has the same meaning in every process. A
 * lease is also free if it expires more than twice `forMs` from now. In this case the clock was wrong, for example
 * before a restart with an empty clock battery. After a restart another process may have the process id of the holder,
 * so a running process with this id does not show that the lease is held.
 */
export function createLease(database: Database, name: string): Lease {
  const read = database.prepare<[string], LeaseRow>('SELECT holder, pid, until FROM leases WHERE name = ?')
  const write = database.prepare<LeaseRow & { name: string }>(
    `INSERT INTO leases (name, holder, pid, until) VALUES (@name, @holder, @pid, @until)
     ON CONFLICT DO UPDATE SET holder = excluded.holder, pid = excluded.pid, until = excluded.until`,
  )
  const remove = database.prepare<[string, string]>('DELETE FROM leases WHERE name = ? AND holder = ?')
  return {
    hold(holder, at, forMs) {
      const row = read.get(name)
      if (row && row.holder !== holder && isRunning(row.until, at, forMs) && isAlive(row)) return false
      write.run({ name, holder, pid: process.pid, until: at + forMs })
      holdersHere.add(holder)
      return true
    },
    isHeldBy: (holder) => read.get(name)?.holder === holder,
    forget: (holder) => void holdersHere.delete(holder),
    release: (holder) => void remove.run(name, holder),
  }
}

function isRunning(until: Instant, at: Instant, forMs: Milliseconds): boolean {
  // The end of a valid lease can be more than `forMs` after `at`: this process read its clock (`at`) before it waited
  // for the database file, and the holder may have extended the lease during this wait. Therefore an end up to 2 ×
  // `forMs` after `at` is accepted.
  return until > at && until <= at + 2 * forMs
}

function isAlive({ pid, holder }: LeaseRow): boolean {
  if (pid === process.pid) return holdersHere.has(holder)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists under another account
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
