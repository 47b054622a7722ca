import type { Migration } from './migration.ts'

/** Stock figures of variants, as the service gave them last. */
export const recentStock: Migration = {
  version: 6,
  sql: `
    CREATE TABLE stock (
      scope TEXT NOT NULL,
      variant_id TEXT NOT NULL,
      salable INTEGER NOT NULL,
      quarantine INTEGER NOT NULL,
      as_of INTEGER NOT NULL,
      PRIMARY KEY (scope, variant_id)
    ) STRICT, WITHOUT ROWID;
  `,
}
