import { beforeEach, describe, expect, it } from 'vitest'
import { Storage } from '#desk/storage.ts'
import type { StorageFacts, StorageStore } from '#desk/ports/store.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'

const hourMs = 3600_000
const facts: StorageFacts = {
  backups: [{ name: 'desk-1.db', at: 0, bytes: 5 }],
  journalBytes: 1,
  documents: 2,
  documentBytes: 3,
  recovery: { at: 0, backupAt: null, replayed: 4, putAside: 'desk.damaged.db', wholeSince: 0 },
}

/** A clock that advances only by `pass`, and a store that records its calls. */
class Bench {
  readonly calls: string[] = []
  readonly faults: unknown[] = []
  /** The error code of `Storage.failure` at each call of `changed`. Null: there was no failure. */
  readonly shown: unknown[] = []
  fails: Error | null = null
  purgeFails: Error | null = null
  /** Reports that desk.db is damaged. */
  damage: () => void = () => undefined
  /** The result of each purge. */
  kept: Failure | null = null
  /**
   * Milliseconds by which the age clock, from which the ages of records are counted, is ahead of the clock of the PC.
   * Null: the clock of the PC is in doubt, and the age clock has no time yet.
   */
  ageAheadMs: number | null = 0
  #now = 0
  #wasInDoubt = false
  #timers: { readonly at: number; readonly action: () => void }[] = []

  readonly clock = {
    now: () => this.#now,
    ticks: () => this.#now,
    after: (delayMs: number, action: () => void) => {
      const timer = { at: this.#now + delayMs, action }
      this.#timers.push(timer)
      return () => (this.#timers = this.#timers.filter((one) => one !== timer))
    },
  }

  readonly storage: StorageStore = {
    facts: () => Promise.resolve(facts),
    backUp: (at) => this.#note(`backUp ${at}`),
    backUpIfChanged: (at) => this.#note(`ifChanged ${at / hourMs}`),
    purge: async (at, keepDays) => {
      await this.#note(`purge ${at / hourMs} ${keepDays}`)
      if (this.purgeFails) throw this.purgeFails
      return this.kept
    },
    rewriteIfDue: () => this.#note('rewrite'),
    removeScope: () => Promise.resolve(null),
    recoveryRead: () => this.#note('read'),
    onDamage: (listener) => (this.damage = listener),
    age: { read: () => ({ reached: null, doubt: null }), write: () => undefined },
  }

  create(): Storage {
    const age = (): number | null => (this.ageAheadMs === null ? null : this.#now + this.ageAheadMs)
    const isInDoubt = (): boolean => this.ageAheadMs === null || this.#wasInDoubt
    const storage: Storage = new Storage({
      storage: this.storage,
      clock: this.clock,
      age: {
        advance: () => {
          this.#wasInDoubt = this.ageAheadMs === null
          return age()
        },
        get isInDoubt() {
          return isInDoubt()
        },
      },
      keepDays: 90,
      kept: (days) => void this.#note(`kept ${days}`),
      changed: () => this.shown.push(storage.failure?.code ?? null),
      backUpEveryMs: hourMs,
      onFault: (error) => this.faults.push(error),
    })
    return storage
  }

  waiting(): number {
    return this.#timers.length
  }

  async pass(ms: number): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    const end = this.#now + ms
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      this.#timers = this.#timers.filter((one) => one !== next)
      this.#now = next.at
      next.action()
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#now = end
  }

  #note(call: string): Promise<void> {
    if (this.fails) return Promise.reject(this.fails)
    this.calls.push(call)
    return Promise.resolve()
  }
}

let bench: Bench
beforeEach(() => {
  bench = new Bench()
})

describe('Storage', () => {
  it('purges old records at the start and once a day, and makes a backup every hour and at its close', async () => {
    const storage = bench.create()
    storage.start()
    await bench.pass(25 * hourMs)
    await storage.close()
    expect(bench.calls.filter((call) => call.startsWith('purge'))).toEqual(['purge 0 90', 'purge 24 90'])
    const hours = Array.from({ length: 25 }, (_, hour) => `ifChanged ${hour + 1}`)
    expect(bench.calls.filter((call) => call.startsWith('if'))).toEqual([...hours, 'ifChanged 25'])
    expect(bench.waiting()).toBe(0)
  })

  it('reports a failed backup, and makes the next backup an hour later', async () => {
    const storage = bench.create()
    storage.start()
    await bench.pass(1)
    bench.fails = new CataloguedError('store.full')
    await bench.pass(2 * hourMs)
    expect(bench.faults).toEqual([bench.fails, bench.fails])
    await expect(storage.backUp()).rejects.toBe(bench.fails)
    bench.fails = null
    await bench.pass(hourMs)
    expect(bench.calls.at(-1)).toBe('ifChanged 3')
    await storage.close()
  })

  it('after a backup that did not fit on the disk, shows this failure until a later backup succeeds', async () => {
    const storage = bench.create()
    storage.start()
    await bench.pass(1)
    bench.fails = new CataloguedError('backup.low_disk')
    await bench.pass(2 * hourMs)
    await expect(storage.backUp()).rejects.toBe(bench.fails)
    expect([storage.failure?.code, bench.shown]).toEqual(['backup.low_disk', ['backup.low_disk']])
    bench.fails = new CataloguedError('store.unavailable')
    await bench.pass(hourMs)
    expect(storage.failure?.code).toBe('backup.low_disk')
    bench.fails = null
    await bench.pass(hourMs)
    expect([storage.failure, bench.shown]).toEqual([null, ['backup.low_disk', null]])
    await storage.close()
  })

  it('shows a damage of desk.db at once, and any other failure after the second failed backup in a row', async () => {
    const storage = bench.create()
    storage.start()
    await bench.pass(1)
    bench.fails = new CataloguedError('store.unavailable', { cause: 'EACCES' })
    await bench.pass(hourMs)
    expect(storage.failure).toBeNull()
    bench.fails = new Error('the thread ended')
    await bench.pass(hourMs)
    expect(storage.failure).toEqual(failure('backup.failed', { cause: 'internal.unexpected' }))
    bench.fails = null
    await bench.pass(hourMs)
    bench.fails = new CataloguedError('store.damaged')
    await bench.pass(hourMs)
    expect(storage.failure).toEqual(failure('store.damaged'))
    expect(bench.shown).toEqual(['backup.failed', null, 'store.damaged'])
    await storage.close()
  })

  it('shows a damage of desk.db as soon as a read finds it', async () => {
    const storage = bench.create()
    storage.start()
    await bench.pass(1)
    bench.damage()
    expect([storage.failure, bench.shown]).toEqual([failure('store.damaged'), ['store.damaged']])
    await storage.close()
  })

  it('does not show a failed purge as a failed backup', async () => {
    const storage = bench.create()
    bench.purgeFails = new CataloguedError('store.unavailable', { cause: 'SQLITE_BUSY' })
    for (const days of [30, 20]) await expect(storage.keep({ days })).rejects.toBe(bench.purgeFails)
    expect([storage.failure, bench.shown]).toEqual([null, []])
  })

  it('after a purge that kept labels because it could not delete their files, shows this failure until a later purge deletes them', async () => {
    const storage = bench.create()
    bench.kept = failure('purge.files_kept', { labels: 1, cause: 'EBUSY' })
    storage.start()
    await bench.pass(2 * hourMs)
    expect(await storage.keep({ days: 30 })).toMatchObject({ keepDays: 30 })
    expect([storage.failure?.code, bench.shown]).toEqual(['purge.files_kept', ['purge.files_kept']])
    expect(bench.faults).toMatchObject([{ failure: bench.kept }, { failure: bench.kept }])
    bench.kept = null
    await bench.pass(24 * hourMs)
    expect([storage.failure, bench.shown]).toEqual([null, ['purge.files_kept', null]])
    await storage.close()
  })

  it('purges no records while the clock of the PC is in doubt, and purges them when the service responds again', async () => {
    bench.ageAheadMs = null
    const storage = bench.create()
    storage.start()
    storage.lineIsBack()
    await bench.pass(30 * hourMs)
    expect(bench.calls.filter((call) => call.startsWith('purge'))).toEqual([])
    // the service responds, and its time is 20 hours behind this PC
    bench.ageAheadMs = -20 * hourMs
    storage.lineIsBack()
    await bench.pass(hourMs)
    storage.lineIsBack()
    await storage.close()
    expect(bench.calls.filter((call) => call.startsWith('purge'))).toEqual(['purge 10 90'])
  })

  it('applies a new number of retention days at once and at later purges', async () => {
    const storage = bench.create()
    storage.start()
    expect(await storage.keep({ days: 30 })).toMatchObject({ keepDays: 30 })
    expect(bench.calls).toContain('kept 30')
    await bench.pass(24 * hourMs)
    expect(bench.calls.filter((call) => call.startsWith('purge')).at(-1)).toBe('purge 24 30')
    await storage.close()
  })

  it('returns the backups, the sizes of the journal and the documents, and the last recovery of desk.db, with times as ISO 8601 texts', async () => {
    const at = '1970-01-01T00:00:00.000Z'
    expect(await bench.create().recoveryRead()).toEqual({
      backups: [{ name: 'desk-1.db', at, bytes: 5 }],
      keepDays: 90,
      journalBytes: 1,
      documents: 2,
      documentBytes: 3,
      recovery: { at, backupAt: null, replayed: 4, putAside: 'desk.damaged.db', wholeSince: at },
    })
    expect(bench.calls).toEqual(['read'])
  })
})
