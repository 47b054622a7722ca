import type { Migration } from './migration.ts'

/** Variants and the small lists of one scope. Written in bulk first, so that the codes get their index afterwards. */
export const catalogueGoods: Migration = {
  version: 1,
  sql: `
    CREATE TABLE facts (
      key TEXT NOT NULL PRIMARY KEY,
      value INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE variants (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      modified_at INTEGER NOT NULL,
      as_of INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;

    -- kind: 0 EAN, 1 SKU, 2 article code; a scan takes the smallest. variant: the number, a quarter of the id's size
    CREATE TABLE codes (
      key TEXT NOT NULL,
      kind INTEGER NOT NULL CHECK (kind IN (0, 1, 2)),
      variant INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE small_lists (
      list TEXT NOT NULL CHECK (list IN ('shipping_methods', 'location_types')),
      position INTEGER NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (list, position)
    ) STRICT, WITHOUT ROWID;

    -- rows of the service that could not be read, so that somebody can ask why an article is not found
    CREATE TABLE skipped (
      id TEXT NOT NULL PRIMARY KEY,
      problem TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}
