import type { Migration } from './migration.ts'

/**
 * A scan may be ambiguous, or an operator's badge. A CHECK cannot be changed, so the table is made anew. What the
 * operator answered to an ambiguous one is kept.
 */
export const deskScanChoices: Migration = {
  version: 9,
  sql: `
    CREATE TABLE scans_of_more_kinds (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      scope TEXT NOT NULL,
      raw TEXT NOT NULL,
      at INTEGER NOT NULL,
      kind TEXT NOT NULL DEFAULT 'pending'
        CHECK (kind IN ('command', 'shipment', 'return_label', 'article', 'location', 'modification', 'ambiguous',
          'badge', 'unknown', 'failed', 'pending')),
      title TEXT,
      subject_id TEXT
    ) STRICT;
    INSERT INTO scans_of_more_kinds (seq, id, scope, raw, at, kind, title, subject_id)
      SELECT seq, id, scope, raw, at, kind, title, subject_id FROM scans ORDER BY seq;
    DROP TABLE scans;
    ALTER TABLE scans_of_more_kinds RENAME TO scans;
    CREATE INDEX scans_by_scope ON scans (scope, seq);

    CREATE TABLE scan_choices (
      scope TEXT NOT NULL,
      reach TEXT NOT NULL CHECK (reach IN ('code', 'shape')),
      code TEXT NOT NULL,
      expect TEXT NOT NULL CHECK (expect IN ('anything', 'stock')),
      kind TEXT NOT NULL CHECK (kind IN ('shipment', 'return_label', 'article', 'location', 'modification')),
      -- of several of that kind, and all of them as a JSON list
      subject_id TEXT,
      among TEXT,
      chosen_at INTEGER NOT NULL,
      PRIMARY KEY (scope, reach, code, expect)
    ) STRICT, WITHOUT ROWID;
  `,
}
