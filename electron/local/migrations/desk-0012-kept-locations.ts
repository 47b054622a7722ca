import type { Migration } from './migration.ts'

/**
 * Whether an operator scanned, named or booked a location that a modification taught. The others make room when the book
 * is full, those seen longest ago first.
 */
export const deskKeptLocations: Migration = {
  version: 12,
  sql: `
    ALTER TABLE locations ADD COLUMN kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1));
    UPDATE locations SET kept = 1 WHERE source <> 'modification'
      OR (scope, id) IN (SELECT scope, location_id FROM modifications);
    CREATE INDEX locations_learnt ON locations (scope, seen_at) WHERE kept = 0;
  `,
}
