import BetterSqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { limitReads, readingAtMost, TooMuchToRead } from '#middleware/data/engine/reading-limit.ts'

let file: BetterSqlite.Database
beforeEach(() => {
  file = new BetterSqlite(':memory:')
  file.exec('create table texts (id integer primary key, text)')
  for (let id = 1; id <= 20; id++) file.prepare('insert into texts values (?, ?)').run(id, 'x'.repeat(id))
})
afterEach(() => file.close())

const all = 'select * from texts order by id'

it('runs a statement again that a call left at its limit', async () => {
  const database = limitReads(file)
  const read = (): unknown[] => database.prepare(all).all([])
  await expect(readingAtMost(5_000, () => Promise.resolve().then(read))).rejects.toThrow(TooMuchToRead)
  expect(read()).toHaveLength(20)
  expect(await readingAtMost(100_000, () => Promise.resolve().then(read))).toHaveLength(20)
})

it('runs a statement while its rows are read one by one', () => {
  const database = limitReads(file)
  const rows = database.prepare(all).iterate([])
  const seen: number[] = []
  for (const _row of rows) seen.push(database.prepare(all).all([]).length)
  expect(seen).toEqual(Array.from({ length: 20 }, () => 20))
})

it('runs a kept statement on the tables as they are', () => {
  const database = limitReads(file)
  expect(Object.keys(database.prepare(all).all([])[0] as object)).toEqual(['id', 'text'])
  file.exec('alter table texts add column more')
  expect(Object.keys(database.prepare(all).all([])[0] as object)).toEqual(['id', 'text', 'more'])
})

it('prepares statements again that were not used for long', () => {
  const database = limitReads(file)
  for (let number = 0; number < 1_200; number++)
    expect(database.prepare(`select ${number} as number`).all([])).toEqual([{ number }])
  expect(database.prepare('select 0 as number').all([])).toEqual([{ number: 0 }])
})
