import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { StorePort } from '#desk/ports/store.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
let store: StorePort
beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
})
afterEach(() => bench.dispose())

const dayMs = 24 * 3600_000
const start = Date.now()
const keepDays = 30
const end = start + keepDays * dayMs
const canary = 'CANARY-Anneke-van-Dijk'
const walk = { newest: start, oldest: start - 60 * dayMs, complete: true, syncedAt: start }

const fileOf = (name: string): string => join(bench.dataDir, name)

/** Returns the databases of the data folder, with their logs, that contain the word. */
function filesWith(word: string): string[] {
  return readdirSync(bench.dataDir)
    .filter((name) => name.includes('.db') && readFileSync(fileOf(name)).includes(word))
    .sort()
}

function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

async function putShipment(number: number, reference: string, at: number): Promise<void> {
  await store.index.put([{ ...scriptedShipment(number, at), id: idOf(number), reference }], at, () => walk)
}

/** Adds young rows of another station, so that the file has at least `bytes` bytes. */
function enlarge(name: 'desk.db' | 'recent.db', bytes: number): void {
  const database = new Database(fileOf(name))
  const row =
    name === 'desk.db'
      ? `INSERT INTO scans (scope, id, raw, at) SELECT 'other', 'row ' || i, hex(zeroblob(500)), ${end} FROM n`
      : `INSERT INTO shipments SELECT 'other', 'row ' || i, ${end}, ${end}, hex(zeroblob(500)) FROM n`
  database.exec(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${bytes / 1_000}) ${row}`,
  )
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}

/** Whether another connection can begin a write to the file at once. */
function isWritable(name: string): boolean {
  const database = new Database(fileOf(name), { fileMustExist: true, timeout: 0 })
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return true
  } catch {
    return false
  } finally {
    database.close()
  }
}

/** Runs a purge. Calls `during` in each turn of the event loop until the purge ends. Returns the number of turns. */
async function purge(during: (turn: number) => void | Promise<void>): Promise<number> {
  const state = { isOver: false }
  const purged = store.storage.purge(end, keepDays).finally(() => (state.isOver = true))
  let turns = 0
  for (; !state.isOver; turns++) {
    await during(turns)
    await new Promise((turn) => setImmediate(turn))
  }
  await purged
  return turns
}

async function fill(): Promise<void> {
  for (let n = 0; n < 10; n++) store.scans.append({ id: `scan ${n}`, raw: `${canary} ${n}`, at: start })
  for (let n = 0; n < 10; n++) await putShipment(n, `${canary} ${n}`, start)
  enlarge('desk.db', 10_000_000)
  enlarge('recent.db', 10_000_000)
}

it('during a purge, desk.db and recent.db can be written at any time, also if they are large', async () => {
  await fill()
  const refused: string[] = []
  await purge(() => void refused.push(...['desk.db', 'recent.db'].filter((name) => !isWritable(name))))
  expect(refused).toEqual([])
  expect([store.scans.recent(50), store.index.get(idOf(0))]).toEqual([[], null])
}, 60_000)

it('a purge leaves no trace of old rows in recent.db, and none in desk.db after the desk has closed', async () => {
  await fill()
  expect(filesWith(canary)).toEqual(['desk.db', 'recent.db'])
  const before = statSync(fileOf('recent.db')).ino
  await purge(() => undefined)
  expect(filesWith(canary).filter((name) => name.startsWith('recent'))).toEqual([])
  expect(statSync(fileOf('recent.db')).ino).not.toBe(before)
  const desk = new Database(fileOf('desk.db'), { readonly: true })
  const due = desk.prepare(`SELECT count(*) FROM settings WHERE key = 'rewrite'`).pluck()
  expect(due.get()).toBe(1)
  // a killed desk does not rewrite the file; the next desk that closes rewrites it
  store.close()
  store = await bench.open()
  await store.storage.rewriteIfDue()
  expect(due.get()).toBe(0)
  desk.close()
  store.close()
  expect(filesWith(canary)).toEqual([])
}, 60_000)

it('the rewrite of recent.db keeps all changes that were made meanwhile', async () => {
  await fill()
  for (let n = 100; n < 110; n++) await putShipment(n, `KEPT ${n}`, end)
  let changes = 0
  await purge(async () => {
    if (!existsSync(fileOf('recent.rewritten.db')) || changes >= 10) return
    await putShipment(100 + changes, `CHANGED ${changes}`, end)
    await putShipment(200 + changes, `ADDED ${changes}`, end)
    changes++
  })
  expect(changes).toBe(10)
  const references = (from: number): unknown[] =>
    Array.from({ length: 10 }, (_, n) => store.index.get(idOf(from + n))?.shipment.reference)
  expect(references(100)).toEqual(Array.from({ length: 10 }, (_, n) => `CHANGED ${n}`))
  expect(references(200)).toEqual(Array.from({ length: 10 }, (_, n) => `ADDED ${n}`))
  expect(store.index.count()).toBe(20)
  expect(filesWith(canary).filter((name) => name.startsWith('recent'))).toEqual([])
  const file = new Database(fileOf('recent.db'), { readonly: true })
  expect(file.pragma('integrity_check', { simple: true })).toBe('ok')
  file.close()
  expect(existsSync(fileOf('recent.rewritten.db'))).toBe(false)
}, 60_000)

it('after more than 2,000 changes during the rewrite recent.db stays, and the next purge rewrites it', async () => {
  await fill()
  const before = statSync(fileOf('recent.db')).ino
  let isChanged = false
  await purge(async () => {
    if (isChanged || !existsSync(fileOf('recent.rewritten.db'))) return
    isChanged = true
    const many = Array.from({ length: 2_100 }, (_, n) => ({
      ...scriptedShipment(1, end),
      id: idOf(1_000 + n),
    }))
    await store.index.put(many, end, () => walk)
  })
  expect(isChanged).toBe(true)
  expect(statSync(fileOf('recent.db')).ino).toBe(before)
  expect(store.index.count()).toBe(2_100)
  await purge(() => undefined)
  expect(statSync(fileOf('recent.db')).ino).not.toBe(before)
  expect(store.index.count()).toBe(2_100)
}, 60_000)
