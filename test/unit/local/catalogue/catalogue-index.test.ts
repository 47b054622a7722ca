import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { prepareInsertMany } from '#local/catalogue/catalogue-index.ts'

it.each([0, 1, 99, 100, 101, 250])(
  '%i rows are put in, each once, as they are and in their order',
  (count) => {
    const database = new Database(':memory:')
    database.exec('CREATE TABLE codes (key TEXT NOT NULL, variant INTEGER NOT NULL) STRICT')
    const put = prepareInsertMany(database, 'codes', ['key', 'variant'])
    const rows = Array.from({ length: count }, (_, at) => [`code ${String(at)}`, at] as const)
    put(rows)
    expect(database.prepare('SELECT key, variant FROM codes ORDER BY rowid').raw().all()).toEqual(rows)
    database.close()
  },
)
