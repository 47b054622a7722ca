import type { Migration } from './migration.ts'

/**
 * What the warehouse decided about a booking is a notice like any other, and a booking may correct an earlier one. SQLite
 * cannot change the list of kinds in place, so the notices move to a new table.
 */
export const deskDecisions: Migration = {
  version: 11,
  sql: `
    CREATE TABLE notices_now (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      scope TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN
        ('duplicate', 'late', 'other_desk', 'cancelled_elsewhere', 'approved', 'disapproved')),
      subject_kind TEXT NOT NULL CHECK (subject_kind IN ('return_label', 'modification')),
      subject_id TEXT NOT NULL,
      at INTEGER NOT NULL,
      -- what was seen at the service: JSON
      records TEXT NOT NULL,
      -- the ids of those, sorted: the same thing is noticed once
      seen TEXT NOT NULL,
      dismissed_at INTEGER,
      dismissed_by TEXT,
      UNIQUE (scope, kind, subject_id, seen)
    ) STRICT;
    INSERT INTO notices_now
      SELECT seq, id, scope, kind, subject_kind, subject_id, at, records, seen, dismissed_at, dismissed_by
      FROM notices;
    DROP TABLE notices;
    ALTER TABLE notices_now RENAME TO notices;
    CREATE INDEX notices_open ON notices (scope, seq) WHERE dismissed_at IS NULL;

    -- the booking of this desk that was disapproved and that this one replaces
    ALTER TABLE modifications ADD COLUMN corrects TEXT;
    CREATE INDEX modifications_by_corrects ON modifications (scope, corrects) WHERE corrects IS NOT NULL;
    -- those that the warehouse may still decide about
    CREATE INDEX modifications_undecided ON modifications (scope, created_at)
      WHERE server_id IS NOT NULL AND (status IS NULL OR status NOT IN ('approved', 'disapproved'));
  `,
}
