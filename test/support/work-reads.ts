import {
  countDeliveries,
  deliveriesBetween,
  deliveriesSince,
  isReplayPending,
  listDeliveries,
  nextOfEntity,
  nextRetry,
  replayDeliveries,
  walkDue,
  walkUntried,
  webhooksDue,
  webhooksToTell,
} from '#middleware/data/deliveries.ts'
import {
  bytesOfSentDocuments,
  deleteDocument,
  findDocument,
  measureDocument,
  readDocumentPart,
  touchDocumentHolders,
  unlinkDocument,
} from '#middleware/data/documents/documents.ts'
import { endOldestLogins } from '#middleware/data/access/logins.ts'
import { type ExportSource, keysAfter } from '#middleware/data/exports/define-export.ts'
import type { Connection } from '#middleware/data/engine/database.ts'
import { lotsAfter } from '#middleware/data/exports/stock.ts'
import {
  appendExportPart,
  countWaitingExports,
  deleteSomeExportParts,
  deleteSomeOldExports,
  deleteSomeWithdrawnParts,
  findExport,
  measureExportFiles,
  moveExport,
  nextFileToDelete,
  nextWaitingExport,
  oldestExportFile,
  readExportPart,
  customersWithBegunExports,
  releaseAbandonedExports,
  walkExportSearches,
  withdrawExports,
} from '#middleware/data/exports/stored-exports.ts'
import { articlesNamed, findArticles, visitArticles } from '#middleware/data/goods/articles.ts'
import {
  anyLot,
  batchesAfter,
  lastLotToTake,
  lotLike,
  lotsToTake,
  pickableLots,
  visitBatches,
} from '#middleware/data/goods/batches.ts'
import { type LedgerMoment, presentMoment } from '#middleware/data/goods/ledger.ts'
import { lotsToNote, nextChangedLocation } from '#middleware/data/goods/locations.ts'
import { listStockedVariants, stockOf, visitVariants } from '#middleware/data/goods/stock.ts'
import {
  hasMoreVariants,
  variantsBearing,
  variantsInUse,
  variantsNamed,
} from '#middleware/data/goods/variants.ts'
import { moveInvalidAddresses } from '#middleware/data/orders/orders.ts'
import {
  countOtherRedactions,
  newestPlace,
  nextRedaction,
  recordsBehind,
} from '#middleware/data/redactions.ts'
import {
  labelsBeingRequested,
  newestLabelOfShipment,
  takenLabelReferences,
} from '#middleware/data/shipments/return-labels.ts'
import { findShipments, linesOfShipments } from '#middleware/data/shipments/shipments.ts'
import {
  inboundsIn,
  lotsAt,
  olderShipments,
  ordersIn,
  piecesOutsideQuarantine,
  piecesPromised,
  returnableShipments,
  shipmentNamed,
  transfersIn,
  undecidedModifications,
  untrackedShipments,
  waitingOrders,
} from '#middleware/data/warehouse-due.ts'
import { goodsTables } from '#middleware/data/schema/goods.ts'
import type { Table } from '#middleware/data/schema/table.ts'
import { combinations, listDirections, listOf, listPage } from './list-reads.ts'
import type { Read } from './query-plans.ts'

/** Ids of the records that the statements use. */
export const named = {
  customer: 'customers-1',
  variant: 'variants-1',
  location: 'locations-1',
  order: 'orders-1',
  shipment: 'shipments-1',
  inbound: 'inbounds-1',
  export: 'exports-1',
  /** No document has this id, so that the statement that deletes a document breaks no reference. */
  document: 'documents-0',
  webhook: 'webhooks-1',
  user: 'users-1',
} as const

export const early = '2026-01-02T00:00:00.000Z'
export const late = '2026-01-09T00:00:00.000Z'
export const day = '2026-01-05'
const { customer, variant, location } = named
const variants = [variant, 'variants-2']
/**
 * Ids for a query with the conditions `id in (…)` and, for the customer, `equalsWithoutIndex`. With this number of ids,
 * SQLite would use an index of the customer instead of the primary key; `equalsWithoutIndex` prevents the use of that
 * index.
 */
const manyIds = Array.from({ length: 250 }, (_, index) => `id-${index}`)
const lotHere = { ...anyLot(variant), locationId: location }
const exportPlace = { created_at: early, id: 'exports-1' }

export const exportedTables = [
  ...(['exports', 'inbounds', 'modifications', 'orders', 'shipments'] as const),
  ...(['transfers', 'variants'] as const),
]
export const stockSorts = ['id', 'created_at', 'stock_modified_at', 'name', 'article_code'] as const

/** Reads the variants of a customer for the list of stock, starting after a given variant. */
export function visitStock(sort: string, direction: 'asc' | 'desc'): Read {
  const filters = { articleCode: null, ean: null, sku: null, search: 's', changedFrom: early }
  const page = listPage(sort, { direction, from: early, to: late })
  const after = { sort: /_at$/.test(sort) ? early : 's', id: variant }
  return (connection) => visitVariants(connection, customer, { filters, page, after })
}

const manyNamed = { articleCode: null, ean: 'x', sku: 'x' }

function visitOfCode(list: 'articles' | 'lots', sort: string, direction: 'asc' | 'desc'): Read {
  const page = listPage(sort, { direction, from: early, to: late })
  const after = { sort: sort === 'created_at' ? early : 's', id: 'i' }
  const filters = { ...manyNamed, positiveOnly: true }
  return (connection) =>
    list === 'articles'
      ? visitArticles(connection, customer, { identifiers: manyNamed, page, after })
      : visitBatches(connection, customer, { filters, page, after })
}

/** The reads that filter articles or lots by a code that many variants have, for each sort order and direction. */
export const codeVisits: readonly (readonly [string, Read])[] = (
  [
    ['articles', 'created_at'],
    ['articles', 'name'],
    ['lots', 'created_at'],
    ['lots', 'id'],
  ] as const
).flatMap(([list, sort]) =>
  listDirections.map(
    (direction) => [`${list} of a code by ${sort} ${direction}`, visitOfCode(list, sort, direction)] as const,
  ),
)

/** The names of the indexes that contain only lots with pieces. */
export const filledLotIndexes: readonly string[] = Object.entries(
  (goodsTables.batches as Table).rules.indexes ?? {},
).flatMap(([name, index]) => ('on' in index && index.where === 'quantity > 0' ? [`batches_${name}`] : []))

/** The reads of lots with pieces: both lists of lots, with each combination of their filters. */
export const filledLotReads: readonly (readonly [string, Read])[] = [
  ...combinations({
    customerId: customer,
    variantId: variant,
    articleCode: 'x',
    locationId: location,
  }).flatMap((filter) =>
    [null, 'batches-1'].map((after) => {
      const read: Read = (connection) =>
        batchesAfter(connection, { ...filter, positiveOnly: true }, { after, limit: 200 })
      return [`lots of ${JSON.stringify({ ...filter, after })}`, read] as const
    }),
  ),
  ...['created_at', 'id'].flatMap((sort) =>
    listDirections.flatMap((direction) =>
      [{}, { articleCode: 'x' }].map((filter) => {
        const page = listPage(sort, { direction, limit: 50 })
        const read: Read = (connection) =>
          listOf('batches').read(connection, { ...filter, positiveOnly: true }, page)
        return [`lots of a client with ${JSON.stringify(filter)} by ${sort} ${direction}`, read] as const
      }),
    ),
  ),
  ...codeVisits.filter(([name]) => name.startsWith('lots')),
]

/** Reads the keys of the records of an export. */
export function readKeys(table: (typeof exportedTables)[number], to: string | null): Read {
  const scope = { customerId: customer, from: null, to, search: 'x', moment: null }
  return (connection) => keysAfter(connection, scope, table, { created_at: early, id: 'i' })
}

/** Reads the lines of an export for the records in `exportedRecords`. */
export function readLines(source: ExportSource): Read {
  const scope = {
    customerId: customer,
    from: early,
    to: late,
    search: 'x',
    moment: { newest: 7, snapshot: null },
  }
  return async (connection) => {
    for await (const lines of source.lines((work) => work(connection), scope, source.columns))
      if (!(Symbol.iterator in lines)) throw new Error('No lines')
  }
}

const exportedRecord = {
  ...{ created_at: early, size: 1, quantity: 1, location_id: location, variant_id: variant },
  ...{ shipping_method_id: 'shipping_methods-1', to_customer_id: 'customers-2', order_id: named.order },
  ...{ labels: '[]', serial_numbers: '[]' },
}

/** The rows that each query of an export returns in place of its real result. */
export const exportedRecords = [
  { ...exportedRecord, id: 'i' },
  {
    ...exportedRecord,
    ...{ id: 'j', location_id: 'locations-2', shipping_method_id: 'shipping_methods-2' },
    to_customer_id: 'customers-3',
  },
]

/** Reads the deliveries of a webhook. */
export function readDeliveries(
  state: 'given_up' | null,
  range: { from: string | null; to: string | null },
  direction: 'asc' | 'desc',
): Read {
  const page = listPage('created_at', { direction, ...range })
  return (connection) => listDeliveries(connection, named.webhook, state, page)
}

const lotsOfLocations = (connection: Connection, moment: LedgerMoment): Promise<unknown> =>
  lotsAfter(connection, customer, { after: { location_id: location, id: 'batches-1' }, moment })

/** Statements of background work and of calls that must read no more rows than they need, by their name. */
export const workReads = {
  // SQL statements about stock
  'stock of variants': (connection) => stockOf(connection, [{ id: variant }, { id: 'variants-2' }]),
  'lots to take at a location': (connection) => lotsToTake(connection, lotHere, 10),
  'lots to take of a date': (connection) => lotsToTake(connection, { ...lotHere, expirationDate: day }, 10),
  'lots to pick at a location': (connection) =>
    lotsToTake(connection, { ...pickableLots(variant, day), locationId: location }, 10),
  'last lot at a location': (connection) => lastLotToTake(connection, lotHere),
  'lot like another': (connection) =>
    lotLike(connection, {
      variant_id: variant,
      location_id: location,
      expiration_date: day,
      inbound_id: null,
    }),
  'lots to take anywhere': (connection) => lotsToTake(connection, anyLot(variant), 10),
  'lots to pick anywhere': (connection) => lotsToTake(connection, pickableLots(variant, day), 10),
  'stock with a part of a text': (connection) =>
    listStockedVariants(
      connection,
      customer,
      // few rows contain the word `777`, so PostgreSQL uses the index of words; if all rows contained both words of the
      // search, PostgreSQL would read the table until it has found as many rows as the query may return
      { articleCode: null, ean: null, sku: null, search: 'name 777', changedFrom: null },
      listPage('name'),
    ),
  'articles with names': (connection) => articlesNamed(connection, customer, ['x', 'y']),
  'variants with codes': (connection) => variantsBearing(connection, customer, 'ean', ['x', 'y']),
  'number of variants of articles': (connection) =>
    hasMoreVariants(connection, ['articles-1', 'articles-2'], 1000),
  'changed location': (connection) => nextChangedLocation(connection),
  'variants at a changed location': (connection) =>
    lotsToNote(connection, { id: location, noted_to: variant }, 250),
  'uses of variants': (connection) => variantsInUse(connection, variants),
  'lots of a warehouse': (connection) =>
    batchesAfter(
      connection,
      { customerId: customer, variantId: null, articleCode: null, locationId: null, positiveOnly: true },
      { after: 'batches-1', limit: 200 },
    ),
  'lots of an article code': (connection) =>
    batchesAfter(
      connection,
      { customerId: null, variantId: null, articleCode: 'x', locationId: null, positiveOnly: false },
      { after: null, limit: 200 },
    ),
  'lots at a location of a warehouse': (connection) =>
    batchesAfter(
      connection,
      { customerId: null, variantId: null, articleCode: null, locationId: location, positiveOnly: false },
      { after: null, limit: 200 },
    ),

  // SQL statements of the simulated warehouse
  'orders that move': (connection) => ordersIn(connection, ['created', 'plannable'], 200),
  'orders that wait': (connection) => waitingOrders(connection, ['backorder', 'invalid'], 'orders-1', 200),
  'inbounds that move': (connection) => inboundsIn(connection, ['announced', 'transfer'], 200),
  'transfers that move': (connection) => transfersIn(connection, ['requested', 'processing'], 200),
  'undecided modifications': (connection) => undecidedModifications(connection, 200),
  'untracked shipments': (connection) => untrackedShipments(connection, 200),
  'lots to put away': (connection) => lotsAt(connection, location, 200),
  'shipment of a return': (connection) => shipmentNamed(connection, customer, 'r'),
  'pieces outside quarantine': (connection) => piecesOutsideQuarantine(connection, variants, day),
  'pieces promised': (connection) => piecesPromised(connection, [variant], ['created'], named.order),
  'newest shipments': (connection) => olderShipments(connection, null, 200),
  'older shipments': (connection) => olderShipments(connection, { created_at: early, reference: 'r' }, 200),
  'shipments to return': (connection) => returnableShipments(connection, [named.shipment, 'shipments-2']),

  // SQL statements about orders, shipments and labels
  'lines of shipments': (connection) => linesOfShipments(connection, [named.shipment, 'shipments-2']),
  'taken references of labels': (connection) => takenLabelReferences(connection, customer, ['x', 'x-2']),
  'newest label of a shipment': (connection) => newestLabelOfShipment(connection, customer, named.shipment),
  'invalid address of an order': (connection) => moveInvalidAddresses(connection, { id: named.order }, late),
  'invalid addresses': (connection) => moveInvalidAddresses(connection, 'all', late),

  // SQL statements about webhooks
  'count of deliveries': (connection) =>
    countDeliveries(connection, named.webhook, null, { from: null, to: null }),
  'count of deliveries in a state': (connection) =>
    countDeliveries(connection, named.webhook, 'given_up', { from: null, to: null }),
  'count of deliveries in a state and time': (connection) =>
    countDeliveries(connection, named.webhook, 'given_up', { from: early, to: late }),
  'deliveries between two': (connection) =>
    deliveriesBetween(
      connection,
      named.webhook,
      { created_at: early, id: 0 },
      { created_at: late, id: 9 },
      250,
    ),
  'deliveries since a time': (connection) => deliveriesSince(connection, named.webhook, early, 250),
  'replay of deliveries': (connection) =>
    replayDeliveries(
      connection,
      named.webhook,
      Array.from({ length: 250 }, (_, index) => index + 1),
      late,
    ),
  'shipments by id': (connection) => findShipments(connection, customer, manyIds),
  'articles by id': (connection) => findArticles(connection, customer, manyIds),
  'new deliveries': (connection) => webhooksToTell(connection, 7),
  'untried deliveries of a webhook': (connection) => walkUntried(connection, named.webhook, 7, 256),
  'due webhooks': (connection) => webhooksDue(connection, early, late),
  'due deliveries of a webhook': (connection) =>
    walkDue(connection, named.webhook, { nextAt: early, id: 7 }, late, 256),
  'next delivery of a resource': (connection) => nextOfEntity(connection, named.webhook, 'e', late),
  'next retry': (connection) => nextRetry(connection, early),
  'deliveries to replay': (connection) => isReplayPending(connection, named.webhook, early),

  // SQL statements about access and personal data
  'oldest logins of a user': (connection) => endOldestLogins(connection, named.user, 199),
  'next redaction': (connection) => nextRedaction(connection, customer, []),
  'next redaction except one': (connection) => nextRedaction(connection, customer, ['x']),
  'other redactions': (connection) => countOtherRedactions(connection, { customer_id: customer, email: 'x' }),
  'newest shipment': (connection) => newestPlace(connection, 'shipments', customer),
  'newest label': (connection) => newestPlace(connection, 'return_labels', customer),
  'shipments behind a place': (connection) => recordsBehind(connection, 'shipments', customer, 'r', 200),
  'labels behind a place': (connection) => recordsBehind(connection, 'return_labels', customer, 1, 200),

  // SQL statements about exports
  'lots of locations': (connection) => lotsOfLocations(connection, { newest: 7, snapshot: null }),
  'lots of locations at a moment': async (connection) =>
    lotsOfLocations(connection, await presentMoment(connection)),
  'next waiting export': (connection) =>
    nextWaitingExport(connection, customer, ['customers-2'], { from: early, to: late }),
  'waiting exports of a customer': (connection) => countWaitingExports(connection, customer),
  'abandoned exports': (connection) => releaseAbandonedExports(connection, 'c', late),
  'customers with begun exports': (connection) => customersWithBegunExports(connection),
  'labels being requested': (connection) => labelsBeingRequested(connection),
  'exports to withdraw': (connection) => withdrawExports(connection, customer, late),
  'files of exports': (connection) => measureExportFiles(connection, customer),
  'oldest file of an export': (connection) => oldestExportFile(connection, customer),
  'next file to delete': (connection) => nextFileToDelete(connection, early),
  'old exports to delete': (connection) => deleteSomeOldExports(connection, early),
  'searches of exports': (connection) => walkExportSearches(connection, customer, exportPlace, 200),
  'export of a call': (connection) => findExport(connection, customer, named.export),
  'part of an export': (connection) => readExportPart(connection, named.export, 7),
  'new part of an export': (connection) => appendExportPart(connection, named.export, 700, 'x'),
  'parts of a withdrawn export': (connection) => deleteSomeWithdrawnParts(connection, named.export),
  'parts of an export': (connection) => deleteSomeExportParts(connection, named.export),
  'move of an export': (connection) => moveExport(connection, named.export, 'expired', late),

  // SQL statements about documents
  'document of a customer': (connection) => findDocument(connection, customer, named.document),
  'size of a document': (connection) => measureDocument(connection, named.document),
  'variants of a code': (connection) =>
    variantsNamed(connection, customer, { articleCode: null, ean: 'x', sku: null }),
  'part of a document': (connection) => readDocumentPart(connection, named.document, { start: 0, length: 1 }),
  'deletion of a document': (connection) => deleteDocument(connection, named.document),
  'links of a document': (connection) => unlinkDocument(connection, named.document),
  'holders of a document': (connection) => touchDocumentHolders(connection, named.document, late),
  'bytes of documents': (connection) => bytesOfSentDocuments(connection, customer),
} as const satisfies Readonly<Record<string, Read>>

/** All statements of `workReads`, and further statements for each sort order, table and state. */
export const allWorkReads: readonly (readonly [string, Read])[] = [
  ...Object.entries<Read>(workReads),
  ...stockSorts.flatMap((sort) =>
    listDirections.map(
      (direction) => [`stock by ${sort} ${direction}`, visitStock(sort, direction)] as const,
    ),
  ),
  ...codeVisits,
  ...filledLotReads,
  ...exportedTables.flatMap((table) =>
    [null, late].map((to) => [`keys of ${table} until ${to}`, readKeys(table, to)] as const),
  ),
  ...[null, 'given_up' as const].flatMap((state) =>
    listDirections.flatMap((direction) =>
      [
        { from: null, to: null },
        { from: early, to: late },
      ].map(
        (range) =>
          [
            `deliveries ${state} ${direction} from ${range.from}`,
            readDeliveries(state, range, direction),
          ] as const,
      ),
    ),
  ),
]
