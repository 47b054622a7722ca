import type { Migration } from './migration.ts'

/** Seen variants, looked-at lots and stock figures by age, of all scopes together: the oldest make room for others. */
export const recentSeenByAge: Migration = {
  version: 7,
  sql: `
    CREATE INDEX seen_variants_by_age ON seen_variants (as_of);
    CREATE INDEX looked_lots_by_age ON lots (as_of);
    CREATE INDEX stock_by_age ON stock (as_of);
  `,
}
