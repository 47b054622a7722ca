import type { Migration } from './migration.ts'

/** Return labels of the service, lots as last listed, and variants that the catalogue may not hold yet. */
export const recentLabelsLots: Migration = {
  version: 2,
  sql: `
    CREATE TABLE labels (
      scope TEXT NOT NULL,
      id TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      as_of INTEGER NOT NULL,
      -- what a search looks through: folded texts, and codes without spaces
      search TEXT NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (scope, id)
    ) STRICT;
    CREATE INDEX labels_by_age ON labels (scope, created_at);

    CREATE TABLE label_codes (
      scope TEXT NOT NULL,
      code TEXT NOT NULL,
      label_id TEXT NOT NULL,
      PRIMARY KEY (scope, code, label_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX label_codes_by_label ON label_codes (scope, label_id);

    CREATE TABLE label_stretch (
      scope TEXT NOT NULL PRIMARY KEY,
      newest INTEGER NOT NULL,
      oldest INTEGER NOT NULL,
      complete INTEGER NOT NULL CHECK (complete IN (0, 1)),
      synced_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE lots (
      scope TEXT NOT NULL,
      variant_id TEXT NOT NULL,
      as_of INTEGER NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (scope, variant_id)
    ) STRICT;

    CREATE TABLE seen_variants (
      scope TEXT NOT NULL,
      id TEXT NOT NULL,
      as_of INTEGER NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (scope, id)
    ) STRICT;

    CREATE TABLE seen_variant_codes (
      scope TEXT NOT NULL,
      key TEXT NOT NULL,
      kind INTEGER NOT NULL,
      variant_id TEXT NOT NULL,
      PRIMARY KEY (scope, key, kind, variant_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX seen_variant_codes_by_variant ON seen_variant_codes (scope, variant_id);
  `,
}
