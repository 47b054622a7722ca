import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StorePort } from '#desk/ports/store.ts'
import { createLine, rememberOutage } from '#desk/service/line.ts'
import { Session } from '#desk/service/session.ts'
import { standardSpace } from '#kit/disk-space.ts'
import { openSqlite } from '#kit/open-sqlite.ts'
import { listBackups } from '#local/journal/backups.ts'
import { listSegments } from '#local/journal/journal-files.ts'
import { openStore } from '#local/open-store.ts'
import { createWriteLimits, type WriteLimits } from '#local/write-limits.ts'
import { mostLocations } from '#shared/domain/locations.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { benchScope, memorySecrets } from '#support/desk-bench.ts'
import { fakeClock, unusedApi } from '#support/desk-fakes.ts'
import type { LabelDescription } from '#shared/writes/return-label.ts'
import { labelIdOf, scopeKeyOf, serverLabelIdOf } from '#support/ids.ts'
import { commandOf, copyCommands, makeLabel, StoreBench } from '#support/store-bench.ts'

const mib = 1024 ** 2
const minuteMs = 60_000
const hourMs = 60 * minuteMs

let bench: StoreBench
let store: StorePort
let now: number
let limits: WriteLimits
let disk: { bytes: number; leastFree: number }
beforeEach(async () => {
  bench = await StoreBench.create()
  now = 0
  limits = createWriteLimits(() => now)
  disk = { bytes: 1_000 * mib, leastFree: 0 }
  store = await open()
})
afterEach(async () => {
  store.close()
  await bench.dispose()
})

function open(): Promise<StorePort> {
  const space = {
    mostBytes: 1_000 * mib,
    get leastFree() {
      return disk.leastFree
    },
    freeBytes: () => disk.bytes - taken(),
  }
  return openStore(bench.dataDir, scopeKeyOf('scope'), () => undefined, null, space, limits)
}

function taken(): number {
  return readdirSync(bench.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

/** Calls `act`. Returns `ok`, or the code of the failure. */
async function codeOf(act: () => unknown): Promise<string> {
  try {
    await act()
    return 'ok'
  } catch (error) {
    if (error instanceof CataloguedError) return error.failure.code
    throw error
  }
}

const scan = (raw = 'SHP00000000001'): Promise<string> =>
  codeOf(() => {
    const id = randomUUID()
    store.scans.append({ id, raw, at: now })
    store.scans.resolve(id, { kind: 'shipment', title: 'SHP00000000001', subjectId: randomUUID() })
  })
const draft = (text: string): Promise<string> => codeOf(() => store.values.write('draft', text, now))
const count = async (
  calls: number,
  call: (n: number) => Promise<string>,
): Promise<Record<string, number>> => {
  const codes: Record<string, number> = {}
  for (let n = 0; n < calls; n++) {
    const code = await call(n)
    codes[code] = (codes[code] ?? 0) + 1
  }
  return codes
}

const journal = (): number =>
  listSegments(join(bench.dataDir, 'journal')).reduce((sum, one) => sum + one.bytes, 0)

describe('a disk with little space', () => {
  it('has space for scans and a backup after a compromised page has written drafts until they are refused', async () => {
    await store.storage.backUp(now)
    disk = { bytes: taken() + 12 * mib, leastFree: 8 * mib }
    const codes = await count(500, (n) => draft(`${String(n)}${'é'.repeat(10_000)}`))
    expect(codes['store.low_disk']).toBeGreaterThan(200)
    expect(disk.bytes - taken()).toBeGreaterThan(7 * mib)
    expect(await scan()).toBe('ok')
    expect(await codeOf(() => store.storage.backUp(now + hourMs))).toBe('ok')
    expect(disk.bytes - taken()).toBeGreaterThan(8 * mib)
    expect(await draft('a line')).toBe('ok')
  })

  it('stores no imported list of locations, but still stores scans', async () => {
    disk = { bytes: taken() + mib, leastFree: 8 * mib }
    expect(await codeOf(() => store.locations.import([{ id: randomUUID(), code: 'A-1' }], now))).toBe(
      'store.low_disk',
    )
    expect(store.locations.list()).toEqual([])
    expect(await scan()).toBe('ok')
  })

  it('has free space after a purge if the journal had filled the disk', async () => {
    for (const hour of [0, 1, 2]) {
      await draft(`draft of hour ${String(hour)}`)
      await store.storage.backUp(hour * hourMs)
    }
    for (let n = 0; n < 200; n++) await draft(`${String(n)}${'x'.repeat(50_000)}`)
    expect(journal()).toBeGreaterThan(9 * mib)
    disk = { bytes: taken() + 2 * mib, leastFree: 8 * mib }
    expect(await codeOf(() => store.storage.purge(3 * hourMs, 30))).toBe('ok')
    expect(journal()).toBeLessThan(mib)
    expect(disk.bytes - taken()).toBeGreaterThan(8 * mib)

    // the remaining backup and journal are enough to restore all data of desk.db
    store.close()
    const [newest] = listBackups(join(bench.dataDir, 'backups'))
    expect(newest?.examined).not.toBeNull()
    writeFileSync(join(bench.dataDir, 'desk.db'), '')
    disk.leastFree = 0
    store = await open()
    expect((await store.storage.facts()).recovery).toMatchObject({ wholeSince: null })
    expect(store.values.read('draft')?.slice(0, 4)).toBe('199x')
  })

  it('has space after a purge if a file of an interrupted rewrite of recent.db had filled it', async () => {
    const leftover = await openWithLeftover()
    rmdirSync(leftover)
    writeFileSync(leftover, new Uint8Array(6 * mib))
    disk = { bytes: taken() + 4 * mib, leastFree: 8 * mib }
    expect(await codeOf(() => store.storage.purge(hourMs, 30))).toBe('ok')
    expect(readdirSync(bench.dataDir)).not.toContain('recent.rewritten.db')
    expect(disk.bytes - taken()).toBeGreaterThan(8 * mib)
  })

  it('does not prevent that a purge reports a file of an interrupted rewrite that cannot be removed', async () => {
    await openWithLeftover()
    await store.storage.backUp(0)
    disk = { bytes: taken() + 4 * mib, leastFree: 8 * mib }
    expect(await codeOf(() => store.storage.purge(hourMs, 30))).toBe('store.unavailable')
  })

  it('loses its oldest journal file at a backup, but keeps its newest one if the removal frees enough space', async () => {
    for (const hour of [0, 1, 2, 3]) {
      for (let n = 0; n < 40; n++) await draft(`${String(hour)} ${String(n)}${'x'.repeat(50_000)}`)
      await store.storage.backUp(hour * hourMs)
    }
    const before = listSegments(join(bench.dataDir, 'journal'))
    expect(before.length).toBeGreaterThan(2)
    disk = { bytes: taken() + 8 * mib, leastFree: 8 * mib + 1 }
    await draft('one more')
    disk.leastFree = 0
    await draft('one more')
    disk.leastFree = 8 * mib
    await store.storage.backUp(4 * hourMs)
    const after = listSegments(join(bench.dataDir, 'journal')).map(({ first }) => first)
    expect(after).not.toContain(before[0]?.first)
    expect(after).toContain(before.at(-1)?.first)
  })
})

/**
 * Opens the store again while a file of an interrupted rewrite of recent.db cannot be removed, because it is a folder.
 * Returns its path.
 */
async function openWithLeftover(): Promise<string> {
  store.close()
  const leftover = join(bench.dataDir, 'recent.rewritten.db')
  mkdirSync(leftover)
  store = await open()
  return leftover
}

/** Makes a call and returns the number of bytes that it wrote to the journal. */
async function bytesOf(call: () => Promise<string>): Promise<number> {
  const before = journal()
  expect(await call()).toBe('ok')
  return journal() - before
}

/** Saves the draft of a booking with that number of lines. */
const booking = (lines: number): Promise<string> =>
  codeOf(() => {
    const variant = { id: randomUUID(), name: 'a shirt, blue, size L', articleCode: 'ART-0000000001' }
    const line = { variant: { ...variant, sku: null, ean: null, imageUrl: null }, quantity: 1, remark: '' }
    const state = {
      ...{ reason: null, locationId: null, lines: Array.from({ length: lines }, () => line), note: '' },
      ...{ step: 1, isStepSaid: false },
    }
    store.draft.save([{ seq: 0, cause: 'start', state }] as unknown as Parameters<typeof store.draft.save>[0])
  })

async function logIn(): Promise<void> {
  const clock = fakeClock()
  const session = new Session({
    api: {
      ...unusedApi,
      login: () =>
        Promise.resolve({
          ...{ kind: 'answer', status: 200, serverDate: null },
          value: { token: 'access', iat: 0, exp: 3600, refresh_token: 'refresh' },
        }),
      listCustomers: () => Promise.resolve({ kind: 'not_sent', failure: failure('network.offline') }),
    },
    secrets: memorySecrets(new Map()),
    store,
    clock,
    line: createLine(clock, () => undefined),
    scope: benchScope,
    changed: () => undefined,
    onFault: (error) => {
      throw error
    },
  })
  await session.restore()
  await session.login({ username: 'sam', password: 'right' })
}

/** Whether a budget allows a write of `bytes` bytes every `everyMs` milliseconds for a day. */
function lasts(budget: 'scans' | 'bookings' | 'drafts', bytes: number, everyMs: number): boolean {
  let at = 0
  const { [budget]: limit } = createWriteLimits(() => at)
  for (; at < 24 * hourMs; at += everyMs)
    try {
      limit.check()
      limit.take(bytes)
    } catch {
      return false
    }
  return true
}

describe('the limits for the bytes that a page can write', () => {
  it('allow five scans a second all day with 100 characters each, but not with 8,000 characters each', async () => {
    await scan()
    expect(lasts('scans', await bytesOf(() => scan('é'.repeat(100))), 200)).toBe(true)
    expect(lasts('scans', await bytesOf(() => scan('é~'.repeat(4_000))), 200)).toBe(false)
  })

  it('allow imports of the maximum number of locations with short codes: one import every five minutes all day, or twelve imports at once', async () => {
    const rows = Array.from({ length: mostLocations / 10 }, (_, n) => ({
      id: randomUUID(),
      code: `AISLE-${String(n)}`,
    }))
    const bytes = 10 * (await bytesOf(() => codeOf(() => store.locations.import(rows, now))))
    expect(bytes * 12).toBeLessThan(256 * mib)
    expect(lasts('drafts', bytes, 5 * minuteMs)).toBe(true)
  })

  it('refuse a further draft after too many drafts, but still allow scans, and allow a draft again a minute later', async () => {
    limits.drafts.take(256 * mib)
    const before = journal()
    expect(await draft('a line')).toBe('store.too_much')
    expect(await codeOf(() => store.locations.import([], now))).toBe('store.too_much')
    expect(journal()).toBe(before)
    expect(await scan()).toBe('ok')
    now += minuteMs
    expect(await draft('a line')).toBe('ok')
  })

  it('allow settings and bookings after too many drafts, and allow logins after too many writes of every kind', async () => {
    limits.drafts.take(500 * mib)
    expect(await draft('a line')).toBe('store.too_much')
    expect(await booking(300)).toBe('ok')
    expect(await codeOf(() => store.values.write('catalogue.lots_every_hours', '24'))).toBe('ok')
    for (const budget of [limits.scans, limits.acts, limits.bookings]) budget.take(500 * mib)
    expect(await codeOf(() => store.values.write('catalogue.lots_every_hours', '25'))).toBe('store.too_much')
    expect(await booking(1)).toBe('store.too_much')
    await logIn()
    expect(store.values.read('last_session')).toContain('"sam"')
    const line = rememberOutage(store.values)
    line.write(7)
    expect(line.read()).toBe(7)
  })

  it('allow 500 scans at once, or 20 a minute all day, into a booking of 300 lines', async () => {
    const bytes = await bytesOf(() => booking(300))
    expect(bytes * 500).toBeLessThan(64 * mib)
    expect(lasts('bookings', bytes, minuteMs / 20)).toBe(true)
  })

  it('together allow fewer bytes in an hour than the disk space that large files must leave free', () => {
    let at = 0
    const budgets = Object.values(createWriteLimits(() => at)) as WriteLimits['scans'][]
    let taken = 0
    for (; at < hourMs; at += minuteMs)
      for (const budget of budgets)
        for (;;) {
          try {
            budget.check()
          } catch {
            break
          }
          budget.take(mib)
          taken += mib
        }
    expect(taken).toBeLessThan(standardSpace.leastFree)
    expect(taken).toBeGreaterThan(900 * mib)
  })

  it('allow no new label while 2,000 commands are unsettled, and one new label after one command is settled', async () => {
    const id = commandOf(makeLabel(store), 'create')
    const file = openSqlite(join(bench.dataDir, 'desk.db'), 'precious')
    copyCommands(file, 999, 'rejected', 0)
    copyCommands(file, 999, 'queued', 0)
    const before = journal()
    expect(await codeOf(() => makeLabel(store))).toBe('store.too_many_writes')
    expect(journal()).toBe(before)
    file.prepare(`UPDATE commands SET state = 'discarded' WHERE id = ?`).run(id)
    file.close()
    expect(await codeOf(() => makeLabel(store))).toBe('ok')
  })

  it('also apply to stored labels that the service returned, because a compromised page can start reads of labels', async () => {
    const said = (reference: string): LabelDescription => ({
      ...{ serverId: serverLabelIdOf('there'), externalReference: reference, trackingCode: null, codes: [] },
      ...{ requested: false, sender: null, shipment: null },
    })
    const { id } = store.labels.adopt(labelIdOf('label'), said('first'), 1, 2)
    limits.acts.take(64 * mib)
    expect(await codeOf(() => store.labels.describe(id, said('other'), 2, 3))).toBe('store.too_much')
    expect(await codeOf(() => store.labels.adopt(id, said('other'), 1, 3))).toBe('store.too_much')
    now += minuteMs
    expect(await codeOf(() => store.labels.describe(id, said('other'), 2, 3))).toBe('ok')
  })

  it('add up the bytes of all drafts, so that a draft is refused when the sum would exceed 256 MiB', async () => {
    limits.drafts.take(255 * mib)
    const codes = await count(40, () => draft('é'.repeat(50_000)))
    expect(codes).toEqual({ ok: 11, 'store.too_much': 29 })
  })

  it('never refuse to store the lease of the outbox and the age of the data, even when a scan is refused', async () => {
    for (const budget of Object.values(limits) as WriteLimits['scans'][]) budget.take(500 * mib)
    expect(await scan()).toBe('store.too_much')
    expect(await codeOf(() => store.outbox.holdLease('me', now, 1_000))).toBe('ok')
    expect(
      await codeOf(() => {
        store.storage.age.write({ reached: 1, doubt: null })
      }),
    ).toBe('ok')
  })
})
