import type { Database } from 'better-sqlite3'

interface LeaseRow {
  holder: string
  pid: number
  until: number
}

export interface Lease {
  /** Inside the caller's transaction. */
  hold(holder: string, at: number, forMs: number): boolean
  isHeldBy(holder: string): boolean
  release(holder: string): void
}

/**
 * One holder at a time among the processes that share a database. A dead holder's lease is free at once, a living
 * one's when it runs out. Times are the wall clock's, milliseconds since 1970: they must mean the same in each process.
 * One that runs longer than anybody takes it for was taken by another clock: after a start with an empty battery its
 * process may be anything.
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

function isRunning(until: number, at: number, forMs: number): boolean {
  // who waited for the file asks with a time from before the holder prolonged it
  return until > at && until <= at + 2 * forMs
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives, under another account
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
