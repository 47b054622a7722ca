import type { Migration } from './migration.ts'

/** The draft with what can be undone, the modifications booked here, the location book. */
export const deskModifications: Migration = {
  version: 3,
  sql: `
    CREATE TABLE modification_draft (
      scope TEXT NOT NULL,
      seq INTEGER NOT NULL,
      cause TEXT NOT NULL,
      state TEXT NOT NULL,
      PRIMARY KEY (scope, seq)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE modifications (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      scope TEXT NOT NULL,
      server_id TEXT,
      reference TEXT,
      status TEXT CHECK (status IN ('created', 'approved', 'disapproved')),
      status_as_of INTEGER,
      reason TEXT NOT NULL CHECK (reason IN ('LOST', 'DEFECTIVE', 'CORRECTION')),
      location_id TEXT NOT NULL,
      location_code TEXT,
      note TEXT NOT NULL,
      booked_by TEXT,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX modifications_by_scope ON modifications (scope, seq);
    CREATE INDEX modifications_by_server_id ON modifications (scope, server_id) WHERE server_id IS NOT NULL;
    CREATE INDEX modifications_by_reference ON modifications (scope, reference) WHERE reference IS NOT NULL;

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

    CREATE TABLE locations (
      scope TEXT NOT NULL,
      id TEXT NOT NULL,
      code TEXT,
      code_key TEXT,
      source TEXT NOT NULL CHECK (source IN ('import', 'scan', 'modification')),
      seen_at INTEGER NOT NULL,
      PRIMARY KEY (scope, id),
      CHECK ((code IS NULL) = (code_key IS NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX locations_by_code ON locations (scope, code_key) WHERE code_key IS NOT NULL;

    CREATE TABLE modifications_read (
      scope TEXT NOT NULL,
      server_id TEXT NOT NULL,
      PRIMARY KEY (scope, server_id)
    ) STRICT, WITHOUT ROWID;
  `,
}
