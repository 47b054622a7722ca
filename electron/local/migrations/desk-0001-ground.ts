import type { Migration } from './migration.ts'

/** Scan journal, outbox, label ledger, print jobs. Times: milliseconds since 1970; failures: JSON. */
export const deskGround: Migration = {
  version: 1,
  sql: `
    CREATE TABLE settings (
      scope TEXT NOT NULL,
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (scope, key)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE scans (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      scope TEXT NOT NULL,
      raw TEXT NOT NULL,
      at INTEGER NOT NULL,
      kind TEXT NOT NULL DEFAULT 'pending'
        CHECK (kind IN ('command', 'shipment', 'return_label', 'unknown', 'failed', 'pending')),
      title TEXT,
      subject_id TEXT
    ) STRICT;
    CREATE INDEX scans_by_scope ON scans (scope, seq);

    CREATE TABLE return_labels (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      scope TEXT NOT NULL,
      shipment_id TEXT NOT NULL,
      shipment_reference TEXT NOT NULL,
      server_id TEXT,
      external_reference TEXT,
      tracking_code TEXT,
      document_hash TEXT,
      document_failure TEXT,
      made_by TEXT,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX return_labels_by_shipment ON return_labels (scope, shipment_id, seq);
    CREATE INDEX return_labels_by_server_id ON return_labels (scope, server_id) WHERE server_id IS NOT NULL;

    CREATE TABLE return_label_codes (
      scope TEXT NOT NULL,
      code TEXT NOT NULL,
      label_id TEXT NOT NULL REFERENCES return_labels (id),
      PRIMARY KEY (scope, code, label_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE commands (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      scope TEXT NOT NULL,
      label_id TEXT NOT NULL REFERENCES return_labels (id),
      aggregate TEXT NOT NULL,
      type TEXT NOT NULL,
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
    CREATE INDEX commands_open ON commands (scope, seq) WHERE state IN ('queued', 'sending', 'unknown');
    CREATE INDEX commands_by_aggregate ON commands (scope, aggregate, seq);
    CREATE INDEX commands_by_label ON commands (label_id, seq);

    CREATE TABLE print_jobs (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      scope TEXT NOT NULL,
      label_id TEXT NOT NULL REFERENCES return_labels (id),
      document_hash TEXT NOT NULL,
      printer TEXT NOT NULL,
      state TEXT NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'sending', 'sent', 'spooled', 'confirmed', 'scan_confirmed', 'refused',
          'unknown', 'failed')),
      is_reprint INTEGER NOT NULL CHECK (is_reprint IN (0, 1)),
      evidence TEXT,
      file TEXT,
      failure TEXT,
      created_at INTEGER NOT NULL,
      state_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX print_jobs_open ON print_jobs (scope, printer, seq)
      WHERE state IN ('queued', 'sending', 'refused', 'unknown');
    CREATE INDEX print_jobs_by_label ON print_jobs (label_id, seq);

    CREATE TABLE history (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      subject_id TEXT NOT NULL,
      at INTEGER NOT NULL,
      from_state TEXT NOT NULL,
      to_state TEXT NOT NULL,
      failure TEXT
    ) STRICT;
    CREATE INDEX history_by_subject ON history (subject_id, seq);

    CREATE TABLE leases (
      name TEXT NOT NULL PRIMARY KEY,
      holder TEXT NOT NULL,
      pid INTEGER NOT NULL,
      until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}
