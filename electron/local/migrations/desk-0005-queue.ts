import type { Migration } from './migration.ts'

/** What the queue asks and what was decided; what is noticed afterwards; what is watched for late arrivals. */
export const deskQueue: Migration = {
  version: 5,
  sql: `
    ALTER TABLE commands ADD COLUMN made_by TEXT;
    -- what the operator is asked, with what was seen at the service: JSON
    ALTER TABLE commands ADD COLUMN question TEXT;
    -- ids of the service that an operator has seen and said are not this one: JSON
    ALTER TABLE commands ADD COLUMN acknowledged TEXT;
    -- an operator said: send again, though looking cannot tell
    ALTER TABLE commands ADD COLUMN sends_unseen INTEGER NOT NULL DEFAULT 0 CHECK (sends_unseen IN (0, 1));
    -- when the service was last looked at for a late arrival
    ALTER TABLE commands ADD COLUMN watched_at INTEGER;

    UPDATE commands SET made_by = CASE subject_kind
      WHEN 'return_label' THEN (SELECT l.made_by FROM return_labels l WHERE l.id = commands.subject_id)
      ELSE (SELECT m.booked_by FROM modifications m WHERE m.id = commands.subject_id) END;

    CREATE INDEX commands_rejected ON commands (scope, seq) WHERE state = 'rejected';
    CREATE INDEX commands_ambiguous ON commands (scope, ended_at) WHERE ended_at IS NOT NULL;

    CREATE TABLE decisions (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      scope TEXT NOT NULL,
      command_id TEXT NOT NULL,
      at INTEGER NOT NULL,
      decided_by TEXT,
      decision TEXT NOT NULL,
      -- the reason of a discard, the record that was adopted: JSON
      details TEXT,
      -- state, failure and question as they were shown: JSON
      shown TEXT NOT NULL
    ) STRICT;
    CREATE INDEX decisions_by_command ON decisions (scope, command_id, seq);

    CREATE TABLE notices (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      scope TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('duplicate', 'late', 'other_desk', 'cancelled_elsewhere')),
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
    CREATE INDEX notices_open ON notices (scope, seq) WHERE dismissed_at IS NULL;
  `,
}
