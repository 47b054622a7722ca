import type { CacheSchema } from '../cache.ts'

/** A kind of file in catalogue/, all of one scope: its tables, and its indexes, which are created after its rows. */
export interface CatalogueFileKind {
  readonly schema: CacheSchema
  readonly indexes: string
  /** The memory for cached pages of a reader. */
  readonly cacheKib: number
}

const facts = `
  CREATE TABLE facts (
    key TEXT NOT NULL PRIMARY KEY,
    value INTEGER
  ) STRICT, WITHOUT ROWID;
`

/** Rows of the service that cannot be read, so that an operator can ask why an article is not found. */
const skippedOf = (lists: string): string => `
  CREATE TABLE skipped (
    list TEXT NOT NULL CHECK (list ${lists}),
    -- the service's id, or the problem if the id is unreadable too
    key TEXT NOT NULL,
    id TEXT,
    problem TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (list, key)
  ) STRICT, WITHOUT ROWID;
`

const variants = `
  CREATE TABLE variants (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    modified_at INTEGER NOT NULL,
    as_of INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  -- kind: 0 EAN, 1 SKU, 2 article code; a scan takes the smallest. variant: the number, a quarter of the size of the id
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
 * The words of each variant by its number, and each word once. The words are folded before (textOfArticle), so that the
 * tokenizer only cuts at ASCII signs and a search compares exactly the stored text. Beginnings of up to three letters
 * have a separate index. A longer one is replaced by the words with that beginning, because the index would collect all
 * of their articles before it returns the first.
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

/** Variants and the small lists. */
export const goodsFile: CatalogueFileKind = {
  schema: {
    version: 1,
    sql: [facts, variants, words, skippedOf(`IN ('variants', 'shippingmethods', 'locationtypes')`)].join(
      '\n',
    ),
  },
  indexes: `
    CREATE INDEX IF NOT EXISTS codes_by_key ON codes (key, kind, variant);
    CREATE INDEX IF NOT EXISTS codes_by_variant ON codes (variant);
  `,
  cacheKib: 16 * 1024,
}

/** All lots, from one pass through the service's list. */
export const lotsFile: CatalogueFileKind = {
  schema: { version: 1, sql: [facts, lots, skippedOf(`= 'batches'`)].join('\n') },
  indexes: `
    CREATE INDEX IF NOT EXISTS lots_by_variant ON lots (variant_id);
    CREATE INDEX IF NOT EXISTS lots_by_expiry ON lots (expiration_date) WHERE quantity > 0 AND expiration_date IS NOT NULL;
  `,
  cacheKib: 2 * 1024,
}
