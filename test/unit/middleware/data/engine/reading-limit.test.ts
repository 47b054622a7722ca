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

it('a statement that was stopped at the reading limit of a call can run again', async () => {
  const database = limitReads(file)
  const read = (): unknown[] => database.prepare(all).all([])
  await expect(readingAtMost(5_000, () => Promise.resolve().then(read))).rejects.toThrow(TooMuchToRead)
  expect(read()).toHaveLength(20)
  expect(await readingAtMost(100_000, () => Promise.resolve().then(read))).toHaveLength(20)
})

it('a statement can run while its rows are read one by one', () => {
  const database = limitReads(file)
  const rows = database.prepare(all).iterate([])
  const seen: number[] = []
  for (const _row of rows) seen.push(database.prepare(all).all([]).length)
  expect(seen).toEqual(Array.from({ length: 20 }, () => 20))
})

it('a prepared statement returns a column that was added to its table after the preparation', () => {
  const database = limitReads(file)
  expect(Object.keys(database.prepare(all).all([])[0] as object)).toEqual(['id', 'text'])
  file.exec('alter table texts add column more')
  expect(Object.keys(database.prepare(all).all([])[0] as object)).toEqual(['id', 'text', 'more'])
})

it('a statement returns the same result after 1,199 newer statements', () => {
  const database = limitReads(file)
  for (let number = 0; number < 1_200; number++)
    expect(database.prepare(`select ${number} as number`).all([])).toEqual([{ number }])
  expect(database.prepare('select 0 as number').all([])).toEqual([{ number: 0 }])
})
