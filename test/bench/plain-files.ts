import { rmSync } from 'node:fs'
import type { CatalogueFiles, VariantRows } from '#desk/ports/catalogue-sync.ts'
import { openSqlite } from '#kit/open-sqlite.ts'
import { codeKey } from '#shared/domain/gtin.ts'

/** The number of rows in one transaction, as in the product. */
const bulkRows = 10_000

/**
 * Opens the database of the peer, a simple reader with which this benchmark compares the first read of the desk. Like
 * the desk, the peer stores the rows and codes in an SQLite database with indexes by id and by code. Unlike the desk,
 * it has no search index.
 */
export function openPlainFiles(file: string): CatalogueFiles & { close(): void } {
  rmSync(file, { force: true })
  const database = openSqlite(file, 'cache')
  database.pragma('cache_size = -65536')
  database.exec(`
    CREATE TABLE variants (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, modified_at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
    CREATE TABLE codes (key TEXT NOT NULL, kind INTEGER NOT NULL, variant INTEGER NOT NULL) STRICT`)
  const put = database.prepare<[string, number, string]>(
    `INSERT INTO variants (id, modified_at, body) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET modified_at = excluded.modified_at, body = excluded.body`,
  )
  let waiting = 0
  const add = ({ rows }: VariantRows): void => {
    if (!database.inTransaction) database.exec('BEGIN IMMEDIATE')
    for (const row of rows) put.run(row.id, Date.parse(row.modified_at), JSON.stringify(row))
    waiting += rows.length
    if (waiting >= bulkRows) commit()
  }
  const commit = (): void => {
    if (database.inTransaction) database.exec('COMMIT')
    waiting = 0
  }
  database.function('code_key', { deterministic: true }, (text) => codeKey(String(text)))
  return {
    ...nothingElse,
    next: {
      resume: () => null,
      begin: () => undefined,
      drop: () => undefined,
      add,
      index() {
        commit()
        database.exec('BEGIN IMMEDIATE')
        for (const [kind, field] of ['ean', 'sku', 'article_code'].entries())
          database.exec(
            `INSERT INTO codes SELECT code_key(body ->> '$.${field}'), ${kind}, number FROM variants`,
          )
        database.exec(`
          CREATE INDEX codes_by_key ON codes (key, kind, variant);
          CREATE INDEX codes_by_variant ON codes (variant);
          COMMIT`)
      },
      change: add,
      publish: commit,
    },
    close: () => void database.close(),
  }
}

/** Lots and small lists are not stored, because this bench does not compare them. */
const nothingElse: Omit<CatalogueFiles, 'next'> = {
  facts: () => ({ complete: false, watermark: null, fullReadAt: null, pageRows: null, variants: null }),
  putMethods: () => undefined,
  putLocationTypes: () => undefined,
  change: () => undefined,
  settle: () => undefined,
  keepPageRows: () => undefined,
  lots: {
    facts: () => ({ asOf: Date.now(), pageRows: null, count: null }),
    resume: () => null,
    keepPageRows: () => undefined,
    begin: () => undefined,
    drop: () => undefined,
    add: () => 0,
    publish: () => undefined,
  },
}
