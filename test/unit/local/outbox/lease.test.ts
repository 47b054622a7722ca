import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDeskDatabase } from '#local/desk-database.ts'
import { createLease, type Lease } from '#local/outbox/lease.ts'

let folder: string
let database: Database
let lease: Lease

const now = Date.parse('2026-03-01T12:00:00Z')
const forMs = 120_000

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scandesk-lease-'))
  database = await openDeskDatabase(folder)
  lease = createLease(database, 'outbox')
})

afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Writes a lease that the process with this id holds. */
function heldBy(pid: number, until: number): void {
  database
    .prepare('INSERT INTO leases (name, holder, pid, until) VALUES (?, ?, ?, ?)')
    .run('outbox', 'other', pid, until)
}

const deadPid = (): number => spawnSync(process.execPath, ['-e', '']).pid

describe('the lease of the outbox', () => {
  it('has one holder at a time, and is free after its release or expiry', () => {
    expect(lease.hold('me', now, forMs)).toBe(true)
    expect(lease.hold('you', now + 1, forMs)).toBe(false)
    expect(lease.hold('me', now + 60_000, forMs)).toBe(true)
    expect(lease.hold('you', now + 60_000 + forMs, forMs)).toBe(true)
    expect(lease.isHeldBy('me')).toBe(false)
    lease.release('me')
    expect(lease.isHeldBy('you')).toBe(true)
    lease.release('you')
    expect(lease.hold('me', now, forMs)).toBe(true)
  })

  it('is free before its expiry if the process of its holder has ended', () => {
    heldBy(deadPid(), now + forMs)
    expect(lease.hold('me', now, forMs)).toBe(true)
  })

  it('is free for another holder of this process after its holder was forgotten, although its release is not stored', () => {
    lease.hold('me', now, forMs)
    expect(lease.hold('you', now + 1, forMs)).toBe(false)
    lease.forget('me')
    expect(lease.isHeldBy('me')).toBe(true)
    expect(lease.hold('you', now + 1, forMs)).toBe(true)
  })

  it('is free if it expires further in the future than any valid lease can, for example because the clock was set back', () => {
    heldBy(process.ppid, now + forMs)
    expect(lease.hold('me', now, forMs)).toBe(false)
    expect(lease.hold('me', now - 30_000, forMs)).toBe(false)
    expect(lease.hold('me', now - 24 * 3600_000, forMs)).toBe(true)
  })
})
