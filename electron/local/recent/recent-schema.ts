import type { CacheSchema } from '../cache.ts'

/**
 * The tables of a list that is read page by page (`walked-list.ts`): its rows, the codes of its rows, and the range of
 * times that it covers.
 */
const shipments = `
  CREATE TABLE shipments (
    scope TEXT NOT NULL,
    id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    as_of INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (scope, id)
  ) STRICT;
  -- the index includes as_of, so that a removal does not read the rows that it keeps
  CREATE INDEX shipments_by_age ON shipments (scope, created_at, as_of, id);

  CREATE TABLE shipment_codes (
    scope TEXT NOT NULL,
    code TEXT NOT NULL,
    shipment_id TEXT NOT NULL,
    PRIMARY KEY (scope, code, shipment_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX shipment_codes_by_shipment ON shipment_codes (scope, shipment_id);

  -- serial numbers are not in the table shipment_codes, because they are short and not unique
  CREATE TABLE shipment_serials (
    scope TEXT NOT NULL,
    code TEXT NOT NULL,
    shipment_id TEXT NOT NULL,
    PRIMARY KEY (scope, code, shipment_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX shipment_serials_by_shipment ON shipment_serials (scope, shipment_id);

  CREATE TABLE shipment_stretch (
    scope TEXT NOT NULL PRIMARY KEY,
    newest INTEGER NOT NULL,
    oldest INTEGER NOT NULL,
    complete INTEGER NOT NULL CHECK (complete IN (0, 1)),
    synced_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

const labels = `
  CREATE TABLE labels (
    scope TEXT NOT NULL,
    id TEXT NOT NULL,
    shipment_id TEXT,
    created_at INTEGER NOT NULL,
    as_of INTEGER NOT NULL,
    -- the text that a search compares: folded, with codes also without spaces
    search TEXT NOT NULL,
    -- the form of the label for the list, as JSON; the list does not read the body, which may have 100 kB
    listed TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (scope, id)
  ) STRICT;
  -- the index includes the id, so that a search can continue after any row; it includes as_of, so that a removal does
  -- not read the rows that it keeps
  CREATE INDEX labels_by_age ON labels (scope, created_at, id, as_of);
  CREATE INDEX labels_by_shipment ON labels (scope, shipment_id, created_at) WHERE shipment_id IS NOT NULL;

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
`

/**
 * The number of rows of each list, which the status bar shows. The number is stored, because counting the rows would
 * read the whole table.
 */
const counts = `
  CREATE TABLE row_counts (
    scope TEXT NOT NULL,
    list TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (scope, list)
  ) STRICT, WITHOUT ROWID;
${['shipments', 'labels']
  .map(
    (list) => `
  CREATE TRIGGER ${list}_added AFTER INSERT ON ${list} BEGIN
    INSERT INTO row_counts (scope, list, number) VALUES (new.scope, '${list}', 1)
    ON CONFLICT DO UPDATE SET number = number + 1;
  END;
  CREATE TRIGGER ${list}_removed AFTER DELETE ON ${list} BEGIN
    UPDATE row_counts SET number = number - 1 WHERE scope = old.scope AND list = '${list}';
  END;`,
  )
  .join('')}
`

/**
 * The tables for content of single responses of the service. Their indexes by age include all scopes, because the
 * oldest rows of any scope are removed first.
 */
const answers = `
  -- variants that the catalogue may not have yet
  CREATE TABLE seen_variants (
    scope TEXT NOT NULL,
    id TEXT NOT NULL,
    as_of INTEGER NOT NULL,
    -- the words and fields that a search compares; they are before the body, because SQLite reads the body, which may
    -- have 100 kB, to reach a column behind it
    words TEXT NOT NULL,
    name TEXT NOT NULL,
    ean TEXT,
    sku TEXT,
    article_code TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (scope, id)
  ) STRICT;
  CREATE INDEX seen_variants_by_age ON seen_variants (as_of);

  CREATE TABLE seen_variant_codes (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    kind INTEGER NOT NULL,
    variant_id TEXT NOT NULL,
    PRIMARY KEY (scope, key, kind, variant_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX seen_variant_codes_by_variant ON seen_variant_codes (scope, variant_id);

  -- all lots of a variant, from the service's last response about them
  CREATE TABLE lots (
    scope TEXT NOT NULL,
    variant_id TEXT NOT NULL,
    as_of INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (scope, variant_id)
  ) STRICT;
  CREATE INDEX lots_by_age ON lots (scope, as_of);
  CREATE INDEX looked_lots_by_age ON lots (as_of);

  -- the variant of a lot, by the id of the lot
  CREATE TABLE lot_ids (
    scope TEXT NOT NULL,
    lot_id TEXT NOT NULL,
    variant_id TEXT NOT NULL,
    PRIMARY KEY (scope, lot_id, variant_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX lot_ids_by_variant ON lot_ids (scope, variant_id);

  CREATE TABLE stock (
    scope TEXT NOT NULL,
    variant_id TEXT NOT NULL,
    salable INTEGER NOT NULL,
    quarantine INTEGER NOT NULL,
    as_of INTEGER NOT NULL,
    PRIMARY KEY (scope, variant_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX stock_by_age ON stock (as_of);
`

/** The tables of recent.db: content of responses of the service, by scope. */
export const recentSchema: CacheSchema = { version: 4, sql: [shipments, labels, counts, answers].join('\n') }
