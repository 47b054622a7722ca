import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { z } from 'zod'
import type { Findings } from './findings.ts'
import { leaseMs, standstillMs } from './site.ts'

const lookEveryMs = 250
/**
 * Milliseconds that are added to the lifetime of a lease. Another process notices the end of the lease only at its next
 * check, and it may be busy.
 */
const marginMs = 10_000

const found = z.array(z.object({ id: z.string() }))

/**
 * Queries that return work that a process has begun. If another process begins the work again, the returned id changes.
 */
const begun = {
  'label in the state requesting': `select id || ' ' || modified_at as id from return_labels where state = 'requesting'`,
  'export in the state processing': `select id || ' ' || modified_at as id from exports where status = 'processing'`,
  'lease that has ended': `select name || ' ' || owner as id from leases where expires_at <= clock_timestamp()`,
}

/** Queries that return work that already existed at the time `$1` and is still not done. */
const unfinished = {
  label: `select id from return_labels where state = 'requesting' and modified_at <= $1`,
  export: `select id from exports where status in ('created', 'processing') and created_at <= $1`,
  delivery: `select id::text from deliveries where state = 'pending' and created_at <= $1`,
  'portion of events': `select id::text from event_portions where created_at <= $1`,
  lease: `select name as id from leases where expires_at <= $1`,
}

/**
 * Reports work that stays unchanged for the lifetime of a lease plus a margin, while clients and faults continue. The
 * age of work is the number of consecutive reads that found it, multiplied by the planned pause between two reads.
 * Measured times are not used, because they would include standstills of the machine.
 */
export class StuckWatch {
  readonly #database: pg.Client
  readonly #findings: Findings
  readonly #ages = new Map<string, number>()
  /** Times at which the database or this process resumed after a standstill, in milliseconds since 1970. */
  readonly standstills: number[] = []
  #isOver = false
  #looking: Promise<void> = Promise.resolve()

  constructor(database: pg.Client, findings: Findings) {
    this.#database = database
    this.#findings = findings
  }

  start(): void {
    this.#looking = this.#look()
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#looking
  }

  async #look(): Promise<void> {
    while (!this.#isOver) {
      const startedAt = performance.now()
      const present = new Set<string>()
      for (const [what, statement] of Object.entries(begun)) {
        const { rows } = await this.#database.query(statement)
        for (const { id } of found.parse(rows)) present.add(`${what}: ${id}`)
      }
      if (performance.now() - startedAt > standstillMs) this.standstills.push(Date.now())
      for (const key of this.#ages.keys()) if (!present.has(key)) this.#ages.delete(key)
      for (const key of present) this.#grow(key)
      await sleep(lookEveryMs)
    }
  }

  #grow(key: string): void {
    const age = (this.#ages.get(key) ?? 0) + lookEveryMs
    this.#ages.set(key, age)
    const limit = leaseMs + marginMs
    if (age >= limit && age < limit + lookEveryMs)
      this.#findings.add('stuck', 'for longer than a lease', [key])
  }
}

/**
 * Waits until the leases of killed processes have ended. Then waits until all work that exists at that time is done. If
 * the amount of this work does not decrease for the lifetime of a lease plus a margin, reports the remaining work as
 * stuck.
 */
export async function settle(database: pg.Client, findings: Findings): Promise<void> {
  await sleep(leaseMs)
  const { rows } = await database.query('select clock_timestamp() as now')
  const [{ now } = { now: '' }] = z.array(z.object({ now: z.unknown() })).parse(rows)
  let least = Infinity
  for (let waitedMs = 0; waitedMs < leaseMs + marginMs; waitedMs += lookEveryMs) {
    const rest = await readUnfinished(database, now)
    if (rest.length === 0) return
    if (rest.length < least) {
      least = rest.length
      waitedMs = 0
    }
    await sleep(lookEveryMs)
  }
  findings.add('stuck', 'after the last fault', await readUnfinished(database, now))
}

async function readUnfinished(database: pg.Client, now: unknown): Promise<string[]> {
  const all: string[] = []
  for (const [what, statement] of Object.entries(unfinished)) {
    const { rows } = await database.query(statement, [now])
    all.push(...found.parse(rows).map(({ id }) => `${what} ${id}`))
  }
  return all
}

/** Reports the leases that still exist although all processes have stopped in an orderly way. */
export async function judgeLeases(database: pg.Client, findings: Findings): Promise<void> {
  const { rows } = await database.query('select name as id from leases')
  findings.add(
    'stuck',
    'lease of a stopped process',
    found.parse(rows).map(({ id }) => id),
  )
}
