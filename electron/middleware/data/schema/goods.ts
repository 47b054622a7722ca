import { date, flag, instant, integer, real, type RowOf, sequence, table, text } from './table.ts'

const articles = table(
  {
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    created_at: instant(),
    modified_at: instant(),
    /**
     * When the warehouse deleted the article. Clients see a deleted article only in records from before the deletion.
     */
    deleted_at: instant().nullable(),
    name: text(),
  },
  {
    indexes: {
      by_name: ['customer_id', 'name', 'id', 'created_at', 'deleted_at'],
      by_created_at: ['customer_id', 'created_at', 'id', 'deleted_at'],
      living_name: { on: ['customer_id', 'name', 'created_at', 'id'], where: 'deleted_at is null' },
    },
  },
)
export type ArticleTable = RowOf<typeof articles>

const variants = table(
  {
    id: text().primaryKey(),
    article_id: text().references('articles'),
    customer_id: text().references('customers'),
    created_at: instant(),
    modified_at: instant(),
    /** Time at which the stock of the variant, or the number of its pieces that orders reserve, last changed. */
    stock_modified_at: instant(),
    /** When the warehouse deleted the variant. Clients see a deleted variant only in older records. */
    deleted_at: instant().nullable(),
    height: real().nullable(),
    depth: real().nullable(),
    width: real().nullable(),
    weight: real().nullable(),
    value: real().nullable(),
    expirable: flag(),
    using_serial_numbers: flag(),
    article_code: text(),
    ean: text().nullable(),
    sku: text().nullable(),
    name: text(),
    country_of_origin: text().nullable(),
    hs_tariff_code: text().nullable(),
    /**
     * The description is the last column, because it is long: to reach a column after it, SQLite would have to read the
     * description. Lists search only the other columns.
     */
    description: text().nullable(),
  },
  {
    indexes: {
      living_article_code: {
        on: ['customer_id', 'article_code'],
        where: 'deleted_at is null',
        isUnique: true,
      },
      // one index for each sort order of the lists; each also has the filtered columns, so that a list finds its ids
      // without reading rows
      by_id: ['customer_id', 'id', 'created_at', 'deleted_at'],
      by_name: ['customer_id', 'name', 'id', 'created_at', 'deleted_at'],
      by_article_code: ['customer_id', 'article_code', 'id', 'created_at', 'deleted_at'],
      by_created_at: ['customer_id', 'created_at', 'id', 'deleted_at'],
      by_modified_at: ['customer_id', 'modified_at', 'id', 'created_at', 'deleted_at'],
      by_stock_modified_at: ['customer_id', 'stock_modified_at', 'id', 'created_at', 'deleted_at'],
      by_ean: ['customer_id', 'ean'],
      by_sku: ['customer_id', 'sku'],
      living_of_article: { on: ['article_id', 'name', 'id', 'deleted_at'], where: 'deleted_at is null' },
    },
    searched: ['article_code', 'ean', 'sku', 'name'],
  },
)
export type VariantTable = RowOf<typeof variants>

const variant_bundles = table(
  {
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    /** The variant that represents the bundle. A variant represents at most one bundle. */
    variant_id: text().unique().references('variants'),
    created_at: instant(),
    modified_at: instant(),
  },
  { indexes: { by_created_at: ['customer_id', 'created_at', 'id'] } },
)
export type VariantBundleTable = RowOf<typeof variant_bundles>

const variant_bundle_items = table(
  {
    id: text().primaryKey(),
    bundle_id: text().references('variant_bundles'),
    position: integer(),
    variant_id: text().references('variants'),
    quantity: integer(),
  },
  { unique: [['bundle_id', 'position']] },
)
export type VariantBundleItemTable = RowOf<typeof variant_bundle_items>

const locations = table(
  {
    id: text().primaryKey(),
    code: text().unique(),
    pickable: flag(),
    /**
     * A change of `pickable` changes the stock of all variants with pieces at the location. This change of stock is
     * recorded for the variants in several steps, in the order of their ids. The column has the id of the last variant
     * for which the change was recorded, or '' if it was recorded for none. Null: it was recorded for all variants.
     */
    noted_to: text().nullable(),
  },
  { indexes: { with_steps_left: { on: ['id'], where: 'noted_to is not null' } } },
)
export type LocationTable = RowOf<typeof locations>

const location_types = table({
  id: text().primaryKey(),
  code: text().unique(),
  created_at: instant(),
  transport: flag(),
  pickable: flag(),
  administration_code: text().nullable(),
  name: text(),
})
export type LocationTypeTable = RowOf<typeof location_types>

/** The lots. A lot consists of pieces of one variant at one location. */
const batches = table(
  {
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    variant_id: text().references('variants'),
    location_id: text().references('locations'),
    quantity: integer(),
    expiration_date: date().nullable(),
    inbound_id: text().nullable().references('inbounds'),
    created_at: instant(),
  },
  {
    indexes: {
      by_id: ['customer_id', 'id', 'created_at'],
      by_created_at: ['customer_id', 'created_at', 'id'],
      by_variant: ['variant_id', 'id'],
      by_location: ['location_id', 'id'],
      by_customer_and_location: ['customer_id', 'location_id', 'id'],
      by_likeness: ['variant_id', 'location_id', 'expiration_date', 'inbound_id', 'created_at', 'id'],
      // Empty lots are never deleted. Therefore lists of only the lots with pieces have their own indexes with the
      // condition `quantity > 0`, one for each order of a list. For these lists SQLite must not use an index without
      // this condition. Some of these indexes contain all columns that the query for the ids of a page reads. Each of
      // the others is created after the index that has the same columns and no condition, because SQLite uses the newer
      // of two equal indexes.
      filled: { on: ['id'], where: 'quantity > 0' },
      filled_by_id: { on: ['customer_id', 'id', 'created_at', 'quantity'], where: 'quantity > 0' },
      filled_by_created_at: { on: ['customer_id', 'created_at', 'id', 'quantity'], where: 'quantity > 0' },
      filled_of_variant: { on: ['variant_id', 'id'], where: 'quantity > 0' },
      filled_by_location: { on: ['location_id', 'id'], where: 'quantity > 0' },
      filled_by_customer_and_location: { on: ['customer_id', 'location_id', 'id'], where: 'quantity > 0' },
      filled_by_variant: { on: ['location_id', 'variant_id'], where: 'quantity > 0' },
      to_put_away: { on: ['location_id', 'created_at', 'id'], where: 'quantity > 0' },
      to_take: { on: ['variant_id', 'expiration_date', 'created_at', 'id'], where: 'quantity > 0' },
      to_take_at: {
        // the index contains the quantity, so that the stock of a variant is added up without reading rows
        on: ['variant_id', 'location_id', 'expiration_date', 'created_at', 'id', 'quantity'],
        where: 'quantity > 0',
      },
    },
  },
)
export type BatchTable = RowOf<typeof batches>

/** Why the pieces of a lot, or a reservation, changed. */
export type StockEntryKind =
  'opening' | 'inbound' | 'order' | 'shipment' | 'modification' | 'transfer' | 'correction' | 'move'

/**
 * The ledger of the stock. Each entry is a change of a lot (`batch_id`) or of an order's reservation (`order_id`).
 * Entries are never changed or deleted.
 */
const stock_entries = table(
  {
    id: sequence(),
    variant_id: text().references('variants'),
    batch_id: text().nullable().references('batches'),
    order_id: text().nullable().references('orders'),
    /** Number of pieces that were added. Negative: pieces were taken away. */
    pieces: integer(),
    kind: text<StockEntryKind>(),
    /**
     * Id of the inbound, order, modification, transfer or shipment that caused the entry. Null: a correction or move by
     * the warehouse, or an initial lot without an inbound.
     */
    cause_id: text().nullable(),
    created_at: instant(),
  },
  {
    check: '(batch_id is null) <> (order_id is null)',
    indexes: {
      by_variant_id: ['variant_id'],
      // the index contains the id of the entry, so that an export of locations reads only the newest entries of each
      // lot (`isLaterEntry`)
      by_batch_id: ['batch_id', 'id'],
      by_order_id: ['order_id'],
    },
  },
)

/**
 * For each open order and each of its variants, the number of pieces that the order reserves. It is the sum of the
 * ledger entries.
 */
const reservations = table(
  {
    order_id: text().references('orders'),
    variant_id: text().references('variants'),
    /**
     * Number of reserved pieces. 0: all pieces were shipped, or the status of the order (`restock`) reserves nothing.
     */
    pieces: integer().check('pieces >= 0'),
  },
  {
    primaryKey: ['order_id', 'variant_id'],
    // the index contains all columns, so that the reservations of a variant are added up without reading rows
    indexes: { by_variant: ['variant_id', 'order_id', 'pieces'] },
  },
)

/** The tables of articles and variants, of locations with their lots, and of the stock ledger. */
export const goodsTables = {
  articles,
  variants,
  variant_bundles,
  variant_bundle_items,
  locations,
  location_types,
  batches,
  stock_entries,
  reservations,
}
