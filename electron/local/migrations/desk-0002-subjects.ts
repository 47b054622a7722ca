import type { Migration } from './migration.ts'

/**
 * Commands hang on a subject of any kind, and return labels need no shipment. Both tables are made anew, since SQLite
 * takes no constraint away; the foreign keys to return_labels are counted until the commit, by when its rows are back.
 */
export const deskSubjects: Migration = {
  version: 2,
  sql: `
    PRAGMA defer_foreign_keys = ON;

    CREATE TABLE commands_before AS SELECT * FROM commands;
    DROP TABLE commands;
    CREATE TABLE labels_before AS SELECT * FROM return_labels;
    DROP TABLE return_labels;

    CREATE TABLE return_labels (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      scope TEXT NOT NULL,
      -- service: made elsewhere and opened here
      origin TEXT NOT NULL DEFAULT 'desk' CHECK (origin IN ('desk', 'service')),
      shipment_id TEXT,
      shipment_reference TEXT,
      shipping_method_id TEXT,
      -- what a label by hand is to be called at the service, and is found by
      wished_reference TEXT,
      -- JSON in the names of api.md
      sender TEXT,
      server_id TEXT,
      external_reference TEXT,
      tracking_code TEXT,
      requested INTEGER NOT NULL DEFAULT 0 CHECK (requested IN (0, 1)),
      cancelled INTEGER NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)),
      document_hash TEXT,
      document_failure TEXT,
      -- what a search looks at, folded
      search_text TEXT NOT NULL DEFAULT '',
      made_by TEXT,
      created_at INTEGER NOT NULL,
      -- when the service last described it
      as_of INTEGER
    ) STRICT;
    INSERT INTO return_labels (seq, id, scope, shipment_id, shipment_reference, server_id, external_reference,
      tracking_code, requested, document_hash, document_failure, search_text, made_by, created_at, as_of)
    SELECT seq, id, scope, shipment_id, shipment_reference, server_id, external_reference, tracking_code,
      EXISTS (SELECT 1 FROM commands_before c
        WHERE c.label_id = l.id AND c.type = 'return_label.request' AND c.state = 'done'),
      document_hash, document_failure,
      lower(shipment_reference || ' ' || coalesce(external_reference, '') || ' ' || coalesce(tracking_code, '')),
      made_by, created_at,
      (SELECT max(c.state_at) FROM commands_before c WHERE c.label_id = l.id AND c.state = 'done')
    FROM labels_before l ORDER BY seq;
    DROP TABLE labels_before;
    CREATE INDEX return_labels_by_shipment ON return_labels (scope, shipment_id, seq);
    CREATE INDEX return_labels_by_server_id ON return_labels (scope, server_id) WHERE server_id IS NOT NULL;
    CREATE INDEX return_labels_by_wish ON return_labels (scope, wished_reference)
      WHERE wished_reference IS NOT NULL;
    CREATE INDEX return_labels_awaiting_document ON return_labels (scope, seq)
      WHERE requested = 1 AND document_hash IS NULL;

    CREATE TABLE commands (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      scope TEXT NOT NULL,
      subject_kind TEXT NOT NULL CHECK (subject_kind IN ('return_label', 'modification')),
      subject_id TEXT NOT NULL,
      aggregate TEXT NOT NULL,
      type TEXT NOT NULL,
      payload TEXT,
      state TEXT NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'sending', 'done', 'unknown', 'rejected', 'discarded')),
      needs_operator INTEGER NOT NULL DEFAULT 0 CHECK (needs_operator IN (0, 1)),
      attempts INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      state_at INTEGER NOT NULL,
      first_sent_at INTEGER,
      ended_at INTEGER,
      baseline TEXT,
      failure TEXT
    ) STRICT;
    INSERT INTO commands (seq, id, scope, subject_kind, subject_id, aggregate, type, state, needs_operator, attempts,
      created_at, state_at, first_sent_at, ended_at, baseline, failure)
    SELECT seq, id, scope, 'return_label', label_id, aggregate, type, state, needs_operator, attempts, created_at,
      state_at, first_sent_at, ended_at, baseline, failure
    FROM commands_before ORDER BY seq;
    DROP TABLE commands_before;
    CREATE INDEX commands_open ON commands (scope, seq) WHERE state IN ('queued', 'sending', 'unknown');
    CREATE INDEX commands_by_aggregate ON commands (scope, aggregate, seq);
    CREATE INDEX commands_by_subject ON commands (subject_kind, subject_id, seq);
  `,
}
