import type { Migration } from './migration.ts'

/** Rows that cannot be read, of every list and with their age. The words of a search come with the indexes. */
export const catalogueSearch: Migration = {
  version: 2,
  sql: `
    DROP TABLE skipped;
    CREATE TABLE skipped (
      list TEXT NOT NULL CHECK (list IN ('variants', 'shippingmethods', 'locationtypes')),
      -- the service's id, or the problem where not even that can be read
      key TEXT NOT NULL,
      id TEXT,
      problem TEXT NOT NULL,
      seen_at INTEGER NOT NULL,
      PRIMARY KEY (list, key)
    ) STRICT, WITHOUT ROWID;
  `,
}
