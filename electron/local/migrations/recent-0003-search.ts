import type { Migration } from './migration.ts'

/** The words under which a seen variant is found, and lots in the desk's own form. */
export const recentSearch: Migration = {
  version: 3,
  sql: `
    DELETE FROM seen_variants;
    DELETE FROM seen_variant_codes;
    ALTER TABLE seen_variants ADD COLUMN words TEXT NOT NULL DEFAULT '';

    DELETE FROM lots;
    CREATE INDEX lots_by_age ON lots (scope, as_of);
  `,
}
