import type { CacheSchema } from '../cache.ts'

/**
 * A kind of file in `catalogue/`: its schema, and its indexes, which are created after its rows are written. Each file
 * contains the data of one scope.
 */
export interface CatalogueFileKind {
  readonly schema: CacheSchema
  readonly indexes: string
  /** SQLite's page cache of a reader, in KiB. */
  readonly cacheKib: number
}

const facts = `
  CREATE TABLE facts (
    key TEXT NOT NULL PRIMARY KEY,
    value INTEGER
  ) STRICT, WITHOUT ROWID;
`

/**
 * A table of the rows that the service has sent but the desk cannot read. It shows an operator why an article is
 * missing. A service may send millions of such rows, so their number is stored in the table `facts`, and an index finds
 * the newest rows.
 */
const skippedOf = (lists: string): string => `
  CREATE TABLE skipped (
    list TEXT NOT NULL CHECK (list ${lists}),
    -- the id of the row at the service; if the id is unreadable too, the text of the problem
    key TEXT NOT NULL,
    id TEXT,
    problem TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (list, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER skipped_added AFTER INSERT ON skipped BEGIN
    INSERT INTO facts (key, value) VALUES ('skipped', 1) ON CONFLICT DO UPDATE SET value = value + 1;
  END;
  CREATE TRIGGER skipped_removed AFTER DELETE ON skipped BEGIN
    UPDATE facts SET value = value - 1 WHERE key = 'skipped';
  END;
`

const skippedByAge = 'CREATE INDEX IF NOT EXISTS skipped_by_age ON skipped (seen_at DESC, list, key);'

const variants = `
  CREATE TABLE variants (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    modified_at INTEGER NOT NULL,
    as_of INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  -- kind: 0 EAN, 1 SKU, 2 article code; a scan prefers the smallest. variant: the row number, which needs a quarter of
  -- the space of an id
  CREATE TABLE codes (
    key TEXT NOT NULL,
    kind INTEGER NOT NULL CHECK (kind IN (0, 1, 2)),
    variant INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE small_lists (
    list TEXT NOT NULL CHECK (list IN ('shipping_methods', 'location_types')),
    position INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (list, position)
  ) STRICT, WITHOUT ROWID;
`

/**
 * The full-text index of the words of each variant, by row number, and a table with each word once. Words with other
 * letters than ASCII are folded before they are written (textOfArticle). Therefore it is sufficient that the tokenizer
 * splits at ASCII characters and converts ASCII letters to lower case: the words have the same form as the words of a
 * search (searchWords). FTS5 has separate indexes for prefixes of up to three letters. A search never asks FTS5 for a
 * longer prefix, because FTS5 would collect all articles of the prefix before it returns the first one.
 */
const words = `
  CREATE VIRTUAL TABLE words USING fts5(
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '1 2 3'
  );
  CREATE TABLE vocabulary (word TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
`

const lots = `
  CREATE TABLE lots (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    variant_id TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    expiration_date TEXT,
    inbound_reference TEXT,
    received_at TEXT,
    as_of INTEGER NOT NULL
  ) STRICT;
`

/** The file of variants and small lists (shipping methods, location types). */
export const goodsFile: CatalogueFileKind = {
  schema: {
    version: 2,
    sql: [facts, variants, words, skippedOf(`IN ('variants', 'shippingmethods', 'locationtypes')`)].join(
      '\n',
    ),
  },
  indexes: `
    CREATE INDEX IF NOT EXISTS codes_by_key ON codes (key, kind, variant);
    CREATE INDEX IF NOT EXISTS codes_by_variant ON codes (variant);
    CREATE INDEX IF NOT EXISTS small_lists_by_id ON small_lists (body ->> 'id');
    ${skippedByAge}
  `,
  cacheKib: 16 * 1024,
}

/** The file of all lots, which are read in one pass through the service's list. */
export const lotsFile: CatalogueFileKind = {
  schema: { version: 2, sql: [facts, lots, skippedOf(`= 'batches'`)].join('\n') },
  indexes: `
    CREATE INDEX IF NOT EXISTS lots_by_variant ON lots (variant_id);
    CREATE INDEX IF NOT EXISTS lots_by_expiry ON lots (expiration_date) WHERE quantity > 0 AND expiration_date IS NOT NULL;
    ${skippedByAge}
  `,
  cacheKib: 2 * 1024,
}
