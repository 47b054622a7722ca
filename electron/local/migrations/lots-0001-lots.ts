import type { Migration } from './migration.ts'

/** All lots of one scope, as one pass through the service's list found them. */
export const allLots: Migration = {
  version: 1,
  sql: `
    CREATE TABLE facts (
      key TEXT NOT NULL PRIMARY KEY,
      value INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE lots (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      variant_id TEXT NOT NULL,
      quantity INTEGER NOT NULL,
      expiration_date TEXT,
      inbound_reference TEXT,
      received_at TEXT,
      as_of INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE skipped (
      list TEXT NOT NULL CHECK (list = 'batches'),
      key TEXT NOT NULL,
      id TEXT,
      problem TEXT NOT NULL,
      seen_at INTEGER NOT NULL,
      PRIMARY KEY (list, key)
    ) STRICT, WITHOUT ROWID;
  `,
}
