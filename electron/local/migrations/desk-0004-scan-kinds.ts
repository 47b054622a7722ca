import type { Migration } from './migration.ts'

/** A scan may be an article, a location or a modification. A CHECK cannot be changed, so the table is made anew. */
export const deskScanKinds: Migration = {
  version: 4,
  sql: `
    CREATE TABLE scans_of_more_kinds (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      scope TEXT NOT NULL,
      raw TEXT NOT NULL,
      at INTEGER NOT NULL,
      kind TEXT NOT NULL DEFAULT 'pending'
        CHECK (kind IN ('command', 'shipment', 'return_label', 'article', 'location', 'modification', 'unknown',
          'failed', 'pending')),
      title TEXT,
      subject_id TEXT
    ) STRICT;
    INSERT INTO scans_of_more_kinds (seq, id, scope, raw, at, kind, title, subject_id)
      SELECT seq, id, scope, raw, at, kind, title, subject_id FROM scans ORDER BY seq;
    DROP TABLE scans;
    ALTER TABLE scans_of_more_kinds RENAME TO scans;
    CREATE INDEX scans_by_scope ON scans (scope, seq);
  `,
}
