import type { Database } from 'better-sqlite3'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'

interface LeaseRow {
  holder: string
  pid: number
  until: Instant
}

export interface Lease {
  /** Runs inside the caller's transaction. */
  hold(holder: string, at: Instant, forMs: Milliseconds): boolean
  isHeldBy(holder: string): boolean
  release(holder: string): void
}

/**
 * One holder at a time among the processes that share a database. The lease of a dead holder is free immediately, the
 * lease of a living one when it expires. Times are wall clock times, in milliseconds since 1970, because they must have
 * the same meaning in each process. A lease that ends later than any process could set it was taken with another clock:
 * after a start with an empty battery its process id may belong to any process.
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
      if (row && row.holder !== holder && isRunning(row.until, at, forMs) && isAlive(row.pid)) return false
      write.run({ name, holder, pid: process.pid, until: at + forMs })
      return true
    },
    isHeldBy: (holder) => read.get(name)?.holder === holder,
    release: (holder) => void remove.run(name, holder),
  }
}

function isRunning(until: Instant, at: Instant, forMs: Milliseconds): boolean {
  // a process that waited for the file passes a time from before the holder extended the lease
  return until > at && until <= at + 2 * forMs
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process lives, under another account
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
