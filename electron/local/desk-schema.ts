import type { Migration } from './migrate.ts'

/**
 * The first tables of desk.db. Columns with times contain milliseconds since 1970; columns with failures contain JSON.
 * Every row belongs to a scope, or to a row that belongs to a scope, except the rows of `leases` and
 * `journal_position`, and the rows of `settings` with an empty scope.
 */
const ground = `
  -- small values of a scope, such as the last user; an empty scope: values of the whole PC
  CREATE TABLE settings (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    -- a value with a time is purged like a record of that time; null: it is never purged
    at INTEGER,
    PRIMARY KEY (scope, key)
  ) STRICT, WITHOUT ROWID;

  -- the rows of leases belong to running processes, so writes to this table are not recorded in the journal
  CREATE TABLE leases (
    name TEXT NOT NULL PRIMARY KEY,
    holder TEXT NOT NULL,
    pid INTEGER NOT NULL,
    until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- the position of this desk.db in its journal: one row, updated in every transaction that writes
  CREATE TABLE journal_position (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    -- the id of this desk.db in its journal
    desk TEXT NOT NULL,
    -- the number of transactions so far, and the checksum of the last one
    seq INTEGER NOT NULL,
    sum TEXT NOT NULL,
    -- the journal file for the next transaction, named by the number of its first transaction
    segment INTEGER NOT NULL
  ) STRICT;
`

const scans = `
  CREATE TABLE scans (
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
  CREATE INDEX scans_by_scope ON scans (scope, seq);

  -- the operator's choices for ambiguous scans
  CREATE TABLE scan_choices (
    scope TEXT NOT NULL,
    reach TEXT NOT NULL CHECK (reach IN ('code', 'shape')),
    code TEXT NOT NULL,
    expect TEXT NOT NULL CHECK (expect IN ('anything', 'stock')),
    kind TEXT NOT NULL CHECK (kind IN ('shipment', 'return_label', 'article', 'location', 'modification')),
    -- subject_id: the record that the operator chose; among: a JSON list of the records among which the operator chose
    subject_id TEXT,
    among TEXT,
    chosen_at INTEGER NOT NULL,
    -- the time of the last scan that used the choice, updated once a day
    used_at INTEGER NOT NULL,
    PRIMARY KEY (scope, reach, code, expect)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX scan_choices_by_use ON scan_choices (scope, used_at);
`

/** The tables of commands, of the log of their states and decisions, and of their notices. */
const outbox = `
  CREATE TABLE commands (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    aggregate TEXT NOT NULL,
    type TEXT NOT NULL,
    payload TEXT,
    made_by TEXT,
    created_at INTEGER NOT NULL,

    state TEXT NOT NULL DEFAULT 'queued'
      CHECK (state IN ('queued', 'sending', 'done', 'unknown', 'rejected', 'discarded')),
    state_at INTEGER NOT NULL,
    failure TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    first_sent_at INTEGER,
    ended_at INTEGER,
    -- hashes of the ids that the service had before the first attempt: JSON
    baseline TEXT,

    needs_operator INTEGER NOT NULL DEFAULT 0 CHECK (needs_operator IN (0, 1)),
    -- the question to the operator, with the records found at the service: JSON
    question TEXT,
    -- ids at the service that an operator has seen and declared to be other records: JSON
    acknowledged TEXT,
    -- an operator decided to send again although no read can show whether the service has the record
    sends_unseen INTEGER NOT NULL DEFAULT 0 CHECK (sends_unseen IN (0, 1)),
    -- the time of the next look for a late effect of a write that has ended; null: no look follows
    watch_at INTEGER,
    -- the time of the next read of the service for the same creation by another desk; null: none follows
    look_around_at INTEGER
  ) STRICT;
  CREATE INDEX commands_open ON commands (scope, seq) WHERE state IN ('queued', 'sending', 'unknown');
  CREATE INDEX commands_rejected ON commands (scope, seq) WHERE state = 'rejected';
  CREATE INDEX commands_to_watch ON commands (scope, watch_at) WHERE watch_at IS NOT NULL;
  CREATE INDEX commands_to_look_around ON commands (scope, look_around_at) WHERE look_around_at IS NOT NULL;
  CREATE INDEX commands_by_aggregate ON commands (scope, aggregate, seq);
  CREATE INDEX commands_by_subject ON commands (subject_kind, subject_id, seq);

  -- the changes of state of commands and print jobs
  CREATE TABLE history (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    subject_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    from_state TEXT NOT NULL,
    to_state TEXT NOT NULL,
    failure TEXT
  ) STRICT;
  CREATE INDEX history_by_subject ON history (subject_id, seq);

  CREATE TABLE decisions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    scope TEXT NOT NULL,
    command_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    decided_by TEXT,
    decision TEXT NOT NULL,
    -- the reason of a discard, or the adopted record: JSON
    details TEXT,
    -- state, failure and question of the command as the operator saw them: JSON
    shown TEXT NOT NULL
  ) STRICT;
  CREATE INDEX decisions_by_command ON decisions (scope, command_id, seq);

  CREATE TABLE notices (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN
      ('duplicate', 'late', 'other_desk', 'cancelled_elsewhere', 'approved', 'disapproved')),
    subject_kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    -- the records found at the service: JSON
    records TEXT NOT NULL,
    -- the sorted ids of the records found at the service, so that the same finding creates only one notice
    seen TEXT NOT NULL,
    dismissed_at INTEGER,
    dismissed_by TEXT,
    UNIQUE (scope, kind, subject_id, seen)
  ) STRICT;
  CREATE INDEX notices_open ON notices (scope, seq) WHERE dismissed_at IS NULL;
`

const labels = `
  CREATE TABLE return_labels (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL,
    -- origin is 'service' if another desk or user created the label and this desk opened it
    origin TEXT NOT NULL DEFAULT 'desk' CHECK (origin IN ('desk', 'service')),
    made_by TEXT,
    created_at INTEGER NOT NULL,
    shipment_id TEXT,
    shipment_reference TEXT,
    shipping_method_id TEXT,
    -- the external reference with which this desk creates a label without a shipment; a read of the service finds the
    -- label by this reference
    wished_reference TEXT,
    -- the sender's address with the field names of the API: JSON
    sender TEXT,

    server_id TEXT,
    external_reference TEXT,
    tracking_code TEXT,
    requested INTEGER NOT NULL DEFAULT 0 CHECK (requested IN (0, 1)),
    cancelled INTEGER NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)),
    -- the time when the service last described the label
    as_of INTEGER,

    document_hash TEXT,
    document_failure TEXT,
    -- the folded text that a search compares
    search_text TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE INDEX return_labels_by_scope ON return_labels (scope, seq);
  CREATE INDEX return_labels_by_shipment ON return_labels (scope, shipment_id, seq);
  CREATE INDEX return_labels_by_server_id ON return_labels (scope, server_id) WHERE server_id IS NOT NULL;
  CREATE INDEX return_labels_by_wish ON return_labels (scope, wished_reference)
    WHERE wished_reference IS NOT NULL;
  CREATE INDEX return_labels_awaiting_document ON return_labels (scope, seq)
    WHERE requested = 1 AND document_hash IS NULL;

  CREATE TABLE return_label_codes (
    scope TEXT NOT NULL,
    code TEXT NOT NULL,
    label_id TEXT NOT NULL REFERENCES return_labels (id),
    PRIMARY KEY (scope, code, label_id)
  ) STRICT, WITHOUT ROWID;
  -- each deletion of a label searches this table for codes of the label, so the table needs an index by label
  CREATE INDEX return_label_codes_by_label ON return_label_codes (label_id, scope);
`

const paper = `
  CREATE TABLE print_jobs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL,
    label_id TEXT NOT NULL REFERENCES return_labels (id),
    document_hash TEXT NOT NULL,
    printer TEXT NOT NULL,
    is_reprint INTEGER NOT NULL CHECK (is_reprint IN (0, 1)),
    -- why the label is printed again
    reason TEXT,
    created_at INTEGER NOT NULL,

    state TEXT NOT NULL DEFAULT 'queued'
      CHECK (state IN ('queued', 'sending', 'sent', 'spooled', 'confirmed', 'scan_confirmed', 'refused',
        'unknown', 'failed')),
    state_at INTEGER NOT NULL,
    failure TEXT,
    evidence TEXT,
    file TEXT,

    -- hold: why the job waits for an operator before it is sent (JSON); placement: where the operator placed the label
    -- on the paper (JSON); released: 1 if an operator decided to print the waiting job as it is, otherwise 0
    hold TEXT,
    placement TEXT,
    released INTEGER NOT NULL DEFAULT 0 CHECK (released IN (0, 1)),
    -- barcodes on the PDF that the label's record does not contain: a JSON list
    unlisted TEXT
  ) STRICT;
  CREATE INDEX print_jobs_open ON print_jobs (scope, printer, seq)
    WHERE state IN ('queued', 'sending', 'refused', 'unknown');
  CREATE INDEX print_jobs_on_paper ON print_jobs (scope, seq)
    WHERE file IS NULL AND state IN ('sent', 'spooled', 'confirmed');
  CREATE INDEX print_jobs_by_label ON print_jobs (label_id, seq);
  CREATE INDEX print_jobs_unlisted ON print_jobs (scope, seq) WHERE unlisted IS NOT NULL;

  CREATE TABLE print_decisions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id TEXT NOT NULL REFERENCES print_jobs (id),
    at INTEGER NOT NULL,
    decided_by TEXT,
    decision TEXT NOT NULL,
    details TEXT
  ) STRICT;
  CREATE INDEX print_decisions_by_job ON print_decisions (job_id, seq);
`

/**
 * The tables of bookings, of the draft of the next booking with the steps that can be undone, and of the locations that
 * the desk knows.
 */
const modifications = `
  CREATE TABLE modifications (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL,
    booked_by TEXT,
    created_at INTEGER NOT NULL,
    reason TEXT NOT NULL CHECK (reason IN ('LOST', 'DEFECTIVE', 'CORRECTION')),
    location_id TEXT NOT NULL,
    location_code TEXT,
    note TEXT NOT NULL,
    -- the earlier booking of this desk that was disapproved and that this booking replaces
    corrects TEXT,

    server_id TEXT,
    reference TEXT,
    -- the status as the service writes it, also a value that this version does not know
    status TEXT,
    status_as_of INTEGER
  ) STRICT;
  CREATE INDEX modifications_by_scope ON modifications (scope, seq);
  -- the marker that the desk writes into the note at the service (noteMarker)
  CREATE INDEX modifications_by_marker ON modifications (scope, substr(replace(id, '-', ''), 1, 20));
  CREATE INDEX modifications_by_server_id ON modifications (scope, server_id) WHERE server_id IS NOT NULL;
  CREATE INDEX modifications_by_reference ON modifications (scope, reference) WHERE reference IS NOT NULL;
  CREATE INDEX modifications_by_corrects ON modifications (scope, corrects) WHERE corrects IS NOT NULL;
  -- bookings that the warehouse has not approved or disapproved yet
  CREATE INDEX modifications_undecided ON modifications (scope, created_at)
    WHERE server_id IS NOT NULL AND (status IS NULL OR status NOT IN ('approved', 'disapproved'));

  CREATE TABLE modification_lines (
    modification_id TEXT NOT NULL REFERENCES modifications (id),
    position INTEGER NOT NULL,
    variant_id TEXT NOT NULL,
    name TEXT NOT NULL,
    article_code TEXT NOT NULL,
    ean TEXT,
    quantity INTEGER NOT NULL CHECK (quantity <> 0),
    PRIMARY KEY (modification_id, position),
    UNIQUE (modification_id, variant_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE modification_draft (
    scope TEXT NOT NULL,
    seq INTEGER NOT NULL,
    cause TEXT NOT NULL,
    state TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (scope, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE locations (
    scope TEXT NOT NULL,
    id TEXT NOT NULL,
    code TEXT,
    code_key TEXT,
    source TEXT NOT NULL CHECK (source IN ('import', 'scan', 'modification')),
    seen_at INTEGER NOT NULL,
    -- kept is 1 if an operator imported, scanned, named or booked the location, otherwise 0; if the table has too many
    -- rows, the oldest rows with 0 are removed
    kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1)),
    PRIMARY KEY (scope, id),
    CHECK ((code IS NULL) = (code_key IS NULL))
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX locations_by_code ON locations (scope, code_key) WHERE code_key IS NOT NULL;
  CREATE INDEX locations_learnt ON locations (scope, seen_at) WHERE kept = 0;

  -- the modifications of the service whose locations are already stored in the table locations
  CREATE TABLE modifications_read (
    scope TEXT NOT NULL,
    server_id TEXT NOT NULL,
    PRIMARY KEY (scope, server_id)
  ) STRICT, WITHOUT ROWID;
`

/** The column with which the looks for late effects can begin again after a correction of the PC clock. */
const watchFrom = `
  -- looks for a late effect are planned from this time on; null: from ended_at
  ALTER TABLE commands ADD COLUMN watch_from INTEGER;
`

/**
 * The column from which the desk derives, for a print of unknown outcome, whether a scan of its label proves the print.
 */
const pageCount = `
  -- the number of pages that were last sent; null: none was sent, or an earlier version of Scandesk sent them
  ALTER TABLE print_jobs ADD COLUMN page_count INTEGER;
`

/** The schema of desk.db. After the first release every change is a new migration. */
export const deskMigrations: readonly Migration[] = [
  { version: 1, sql: [ground, scans, outbox, labels, paper, modifications].join('\n') },
  { version: 2, sql: watchFrom },
  { version: 3, sql: pageCount },
]
