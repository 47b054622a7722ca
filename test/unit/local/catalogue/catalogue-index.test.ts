import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { prepareInsertMany } from '#local/catalogue/catalogue-index.ts'

describe('prepareInsertMany', () => {
  it.each([0, 1, 99, 100, 101, 250])(
    'inserts %i rows, each one once and unchanged, in the given order',
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
})
