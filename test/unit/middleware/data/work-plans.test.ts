import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  countDeliveries,
  deliveriesBetween,
  isReplayPending,
  listDeliveries,
  nextOfEntity,
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
  unlinkDocument,
} from '#middleware/data/documents/documents.ts'
import { keysAfter } from '#middleware/data/exports/define-export.ts'
import { exportSources } from '#middleware/data/exports/export-sources.ts'
import { lotsAfter } from '#middleware/data/exports/stock.ts'
import { articlesNamed } from '#middleware/data/goods/articles.ts'
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
import { anyLot, lastLotToTake, lotLike, lotsToTake, pickableLots } from '#middleware/data/goods/batches.ts'
import { variantsInUse } from '#middleware/data/goods/variants.ts'
import type { Database } from '#middleware/data/engine/database.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import { moveInvalidAddresses } from '#middleware/data/orders/orders.ts'
import type { Page } from '#middleware/data/engine/listing.ts'
import { endOldestLogins } from '#middleware/data/access/logins.ts'
import {
  countOtherRedactions,
  newestPlace,
  nextRedaction,
  recordsBehind,
} from '#middleware/data/redactions.ts'
import { takenLabelReferences } from '#middleware/data/shipments/return-labels.ts'
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
import { stockOf, visitVariants } from '#middleware/data/goods/stock.ts'
import { planOf, plansOf, stepsOf, walksAnIndex } from '#support/query-plans.ts'

let database: Database
beforeAll(() => {
  database = openSqliteDatabase(':memory:')
})
afterAll(() => database.destroy())

const plan = (read: (connection: Database) => Promise<unknown>): Promise<string> => planOf(database, read)
const plans = (read: (connection: Database) => Promise<unknown>): Promise<string[]> => stepsOf(database, read)

function page(sort: string, rest: Partial<Page> = {}): Page {
  return { from: null, to: null, sort, direction: 'asc', limit: 1000, offset: 500_000, ...rest }
}

const directions = ['asc', 'desc'] as const

describe('the list of stock', () => {
  it('adds up the lots with pieces in an index', async () => {
    const steps = await plan((connection) => stockOf(connection, [{ id: 'v' }, { id: 'w' }]))
    expect(steps).toMatch(/SEARCH batches USING COVERING INDEX batches_to_take_at \(variant_id=\?\)/)
    expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
  })

  const sorts = ['id', 'created_at', 'stock_modified_at', 'name', 'article_code']
  it.each(sorts.flatMap((sort) => directions.map((direction) => [sort, direction] as const)))(
    'visits variants from a place along the index of the order by %s %s',
    async (sort, direction) => {
      const shown = page(sort, { direction, from: 'a', to: 'b' })
      const filters = { articleCode: null, ean: null, sku: null, search: 's', changedFrom: 'd' }
      const after = { sort: 's', id: 'i' }
      for (const steps of await plans((connection) =>
        visitVariants(connection, 'c', { filters, page: shown, after }),
      )) {
        walksAnIndex(steps)
        expect(steps).toMatch(
          /\(customer_id=\? AND (.* AND )?(\(\w+,id\)[<>]\(\?,\?\)|(id|article_code)[<>]\?)/,
        )
      }
    },
  )
})

describe('a movement of stock', () => {
  const at = { ...anyLot('v'), locationId: 'l' }
  it.each([
    ['takes from a location', (connection: Database) => lotsToTake(connection, at, 10), 2],
    [
      'takes lots of a date',
      (connection: Database) => lotsToTake(connection, { ...at, expirationDate: 'd' }, 10),
      1,
    ],
    [
      'picks at a location',
      (connection: Database) => lotsToTake(connection, { ...pickableLots('v', 'd'), locationId: 'l' }, 10),
      2,
    ],
    ['adds to the last lot', (connection: Database) => lastLotToTake(connection, at), 2],
    [
      'adds to a lot like it',
      (connection: Database) =>
        lotLike(connection, { variant_id: 'v', location_id: 'l', expiration_date: 'd', inbound_id: null }),
      1,
    ],
  ])('reads no lots of other variants, and sorts none: %s', async (_, read, count) => {
    const found = await plans(read)
    expect(found).toHaveLength(count)
    for (const steps of found) {
      expect(steps).toMatch(/SEARCH batches USING INDEX \w+ \(variant_id=\? AND location_id=\?/)
      expect(steps).not.toMatch(/SCAN|TEMP B-TREE FOR ORDER/)
    }
  })

  it.each([
    ['takes', anyLot('v')],
    ['picks', pickableLots('v', 'd')],
  ])('reads the lots of all locations in their order: %s', async (_, filter) => {
    for (const steps of await plans((connection) => lotsToTake(connection, filter, 10))) {
      expect(steps).toMatch(/SEARCH batches USING INDEX batches_to_take \(variant_id=\? AND expiration_date/)
      expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
    }
  })
})

describe('the articles with given names', () => {
  it('are found along an index, the oldest first, without reading the others', async () => {
    const steps = await plan((connection) => articlesNamed(connection, 'c', ['x', 'y']))
    expect(steps).toMatch(/SEARCH named USING INDEX articles_living_name \(customer_id=\? AND name=\?\)/)
    expect(steps).toMatch(/SEARCH articles USING INDEX \w+ \(id=\?\)/)
    expect(steps).not.toMatch(/SCAN (?!wanted)|TEMP B-TREE/)
  })
})

describe('the deletion of variants', () => {
  it('reads the uses of each variant from the variant on, and none of other variants', async () => {
    const [steps = '', ...others] = await plans((connection) => variantsInUse(connection, ['v', 'w']))
    expect(others).toEqual([])
    const searched = steps.split('\n').filter((step) => !/^CORRELATED SCALAR SUBQUERY \d+$/.test(step))
    expect(searched).toEqual([
      expect.stringMatching(/^SEARCH variants USING (COVERING )?INDEX \w+ \(id=\?\)$/),
      expect.stringMatching(/^SEARCH batches USING (COVERING )?INDEX batches_to_take\w* \(variant_id=\?\)$/),
      expect.stringMatching(/^SEARCH reservations USING INDEX \w+ \(variant_id=\?\)$/),
      'SEARCH inbound_lines USING COVERING INDEX inbound_lines_by_variant (variant_id=?)',
      expect.stringMatching(/^SEARCH inbounds USING INDEX \w+ \(id=\?\)$/),
      'SEARCH modification_lines USING COVERING INDEX modification_lines_by_variant (variant_id=?)',
      expect.stringMatching(/^SEARCH modifications USING INDEX \w+ \(id=\?\)$/),
      'SEARCH transfer_lines USING COVERING INDEX transfer_lines_by_from_variant (from_variant_id=?)',
      expect.stringMatching(/^SEARCH transfers USING INDEX \w+ \(id=\?\)$/),
      'SEARCH transfer_lines USING COVERING INDEX transfer_lines_by_to_variant (to_variant_id=?)',
      expect.stringMatching(/^SEARCH transfers USING INDEX \w+ \(id=\?\)$/),
    ])
  })
})

describe('a step of the simulated warehouse', () => {
  it.each([
    [
      'orders that move',
      (connection: Database) => ordersIn(connection, ['created', 'plannable'], 200),
      /^SEARCH orders USING (COVERING )?INDEX orders_by_due \(status=\?\)$/,
    ],
    [
      'orders that wait',
      (connection: Database) => waitingOrders(connection, ['backorder', 'invalid'], 'a', 200),
      /^SEARCH orders USING COVERING INDEX orders_waiting \(status=\? AND id>\?\)$/,
    ],
    [
      'inbounds',
      (connection: Database) => inboundsIn(connection, ['announced', 'transfer'], 200),
      /^SEARCH inbounds USING COVERING INDEX inbounds_by_due \(status=\?\)$/,
    ],
    [
      'transfers',
      (connection: Database) => transfersIn(connection, ['requested', 'processing'], 200),
      /^SEARCH transfers USING INDEX transfers_by_due \(status=\?\)$/,
    ],
    [
      'modifications',
      (connection: Database) => undecidedModifications(connection, 200),
      /^SEARCH modifications USING INDEX modifications_by_due \(status=\?\)$/,
    ],
    [
      'shipments without tracking data',
      (connection: Database) => untrackedShipments(connection, 200),
      /^SCAN shipments USING INDEX shipments_untracked$/,
    ],
    [
      'lots to put away',
      (connection: Database) => lotsAt(connection, 'l', 200),
      /^SEARCH batches USING INDEX batches_to_put_away \(location_id=\?\)$/,
    ],
    [
      'the shipment of a return',
      (connection: Database) => shipmentNamed(connection, 'c', 'r'),
      /^SEARCH shipments USING INDEX \w+ \((customer_id=\? AND )?reference=\?\)$/,
    ],
  ])('reads %s along an index, without sorting those that are due', async (_, read, found) => {
    const all = await plans(read)
    expect(all.length).toBeGreaterThan(0)
    for (const steps of all) expect(steps).toMatch(found)
  })

  it.each([
    ['pieces', (connection: Database) => piecesOutsideQuarantine(connection, ['v', 'w'], 'd'), 'batches'],
    [
      'reservations',
      (connection: Database) => piecesPromised(connection, ['v'], ['created'], 'o'),
      'reservations',
    ],
  ])('adds the %s of the given variants only', async (_, read, table) => {
    const steps = await plan(read)
    expect(steps).toMatch(new RegExp(`SEARCH ${table} USING INDEX \\w+ \\(variant_id=\\?\\)`))
    expect(steps).not.toMatch(/SCAN/)
  })
})

describe('the search for a shipment to return', () => {
  it('continues along an index', async () => {
    const first = await plan((connection) => olderShipments(connection, null, 200))
    expect(first).toMatch(/^SCAN shipments USING (COVERING )?INDEX shipments_by_age$/)
    const place = { created_at: 'a', reference: 'r' }
    const later = await plan((connection) => olderShipments(connection, place, 200))
    expect(later).toMatch(
      /^SEARCH shipments USING (COVERING )?INDEX shipments_by_age \(\(created_at,reference\)<\(\?,\?\)\)$/,
    )
  })

  it('reads the returns with the reference of a shipment', async () => {
    const steps = await plan((connection) => returnableShipments(connection, ['s', 't']))
    expect(steps).toMatch(/^SEARCH shipments USING INDEX \w+ \(id=\?\)/)
    expect(steps).toMatch(/inbounds_returns \(customer_id=\? AND external_reference=\?\)/)
    expect(steps).toMatch(/shipment_lines .*\(shipment_id=\?\)/)
    expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
  })
})

describe('the derived reference of a label', () => {
  it('is found without reading the other labels of the customer', async () => {
    const steps = await plan((connection) => takenLabelReferences(connection, 'c', ['x', 'x-2']))
    expect(steps).toMatch(
      /^SEARCH \w+ USING (COVERING )?INDEX \w+_living_reference \(customer_id=\? AND external_reference=\?\)$/,
    )
  })
})

describe('the move of orders with an invalid address', () => {
  it('reads the order that was created', async () => {
    const steps = await plan((connection) => moveInvalidAddresses(connection, { id: 'o' }, 'now'))
    expect(steps).toMatch(/^SEARCH orders USING INDEX \w+ \(id=\?\)$/)
  })

  it('reads no valid order at the start', async () => {
    const steps = await plan((connection) => moveInvalidAddresses(connection, 'all', 'now'))
    expect(steps).toMatch(/^SEARCH orders USING (COVERING )?INDEX orders_invalid \(status=\?\)$/)
  })
})

describe('the list of the deliveries of a webhook', () => {
  it.each([
    [null, {}, /\(webhook_id=\?\)$/],
    ['given_up', {}, /\(webhook_id=\? AND state=\?\)$/],
    ['given_up', { from: 'a', to: 'b' }, /state=\? AND created_at>\? AND created_at<\?\)$/],
  ] as const)('counts and reads no other deliveries: %s %j', async (state, range, found) => {
    const counted = await plan((connection) =>
      countDeliveries(connection, 'w', state, { from: null, to: null, ...range }),
    )
    expect(counted).toMatch(/^SEARCH deliveries USING COVERING INDEX/)
    expect(counted).toMatch(found)
    for (const direction of directions) {
      const listed = await plan((connection) =>
        listDeliveries(connection, 'w', state, page('created_at', { direction, ...range })),
      )
      expect(listed).toMatch(/^SEARCH deliveries USING COVERING INDEX/)
      expect(listed).toMatch(found)
      expect(listed).not.toContain('B-TREE')
    }
  })
})

describe('a replay of deliveries', () => {
  it('reads each portion along an index', async () => {
    const [after, last] = [
      { created_at: 'a', id: 0 },
      { created_at: 'b', id: 9 },
    ]
    const steps = await plan((connection) => deliveriesBetween(connection, 'w', after, last, 250))
    expect(steps).toMatch(
      /^SEARCH deliveries USING COVERING INDEX \w+ \(webhook_id=\? AND created_at>\? AND created_at<\?\)$/,
    )
  })

  it('reads no attempts of other deliveries', async () => {
    const all = await plans((connection) => replayDeliveries(connection, 'w', [1, 2], 'now'))
    expect(all).toHaveLength(2)
    for (const steps of all) expect(steps).not.toMatch(/^SCAN (deliveries|delivery_attempts)/m)
  })
})

describe('the logins above the limit of a user', () => {
  it('are found along an index', async () => {
    const steps = await plan((connection) => endOldestLogins(connection, 'u', 199))
    expect(steps).toContain('SEARCH logins USING COVERING INDEX logins_by_user (user_id=?)')
    expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
  })
})

describe('a redaction', () => {
  it('is found among those that wait without reading the others', async () => {
    for (const failed of [[], ['x']])
      expect(await plan((connection) => nextRedaction(connection, 'c', failed))).toBe(
        'SEARCH redactions USING INDEX redactions_by_created_at (customer_id=?)',
      )
    const redaction = { customer_id: 'c', email: 'x' }
    const counted = await plan((connection) => countOtherRedactions(connection, redaction))
    expect(counted).toMatch(/^SEARCH redactions USING COVERING INDEX \w+ \(customer_id=\?\)$/)
  })

  it.each([
    ['shipments', /shipments_by_reference \(customer_id=\? AND reference>\?\)/],
    ['return_labels', /return_labels_by_serial \(customer_id=\? AND serial>\?\)/],
  ] as const)('reads no more %s than those that were created since it began', async (table, found) => {
    expect(await plan((connection) => recordsBehind(connection, table, 'c', 1, 200))).toMatch(found)
    const newest = await plan((connection) => newestPlace(connection, table, 'c'))
    expect(newest).toMatch(/\(customer_id=\?\)/)
    expect(newest).not.toContain('B-TREE')
  })
})

describe('an export', () => {
  const tables = [
    ...(['exports', 'inbounds', 'modifications', 'orders', 'shipments'] as const),
    ...(['transfers', 'variants'] as const),
  ]
  it.each(tables)('reads the keys of %s along an index, and no others', async (table) => {
    for (const to of [null, 'b']) {
      const scope = { customerId: 'c', from: null, to, search: 'x' }
      const after = { created_at: 'a', id: 'i' }
      const steps = await plan((connection) => keysAfter(connection, scope, table, after))
      walksAnIndex(steps)
      expect(steps).toMatch(/_by_created_at \(customer_id=\? AND \(created_at,id\)>\(\?,\?\)/)
    }
  })

  it('reads the lots of locations along an index, and no others', async () => {
    const steps = await plan((connection) => lotsAfter(connection, 'c', { location_id: 'l', id: 'i' }))
    expect(steps).toMatch(
      /^SEARCH batches USING INDEX \w+ \(customer_id=\? AND \(location_id,id\)>\(\?,\?\)\)/,
    )
    expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
  })
})

describe('the lines of an export', () => {
  const types = Object.entries(exportSources).flatMap(([family, sources]) =>
    Object.entries(sources).map(([type, source]) => ({ family, type, source })),
  )
  it.each(types)('of $family $type are read along indexes', async ({ source }) => {
    const scope = { customerId: 'c', from: 'a', to: 'b', search: 'x' }
    const row = {
      ...{
        created_at: 'a',
        size: 1,
        quantity: 1,
        location_id: 'l',
        variant_id: 'v',
        shipping_method_id: 's',
      },
      ...{ to_customer_id: 'd', order_id: 'o', labels: '[]', serial_numbers: '[]' },
    }
    const found = [
      { ...row, id: 'i' },
      { ...row, id: 'j', location_id: 'm', shipping_method_id: 't', to_customer_id: 'e' },
    ]
    const all = await plansOf(
      database,
      async (connection) => {
        for await (const lines of source.lines((work) => work(connection), scope, source.columns))
          expect(lines).toBeDefined()
      },
      found,
    )
    expect(all.length).toBeGreaterThan(1)
    for (const { steps } of all) {
      expect(steps).toMatch(/^SEARCH /)
      expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
    }
  })
})

describe('the stored exports', () => {
  const unwritten = /^SEARCH exports USING (COVERING )?INDEX exports_unwritten /
  const withFile = /^SEARCH exports USING (COVERING )?INDEX exports_with_file \(customer_id=\?\)$/
  it.each([
    [
      'to write next',
      (connection: Database) => nextWaitingExport(connection, 'c', ['d']),
      [
        /exports_unwritten \(status=\? AND customer_id>\?\)$/,
        /exports_unwritten \(status=\? AND customer_id/,
      ],
    ],
    [
      'of a customer that wait',
      (connection: Database) => countWaitingExports(connection, 'c'),
      [/exports_unwritten \(status=\? AND customer_id=\?\)$/],
    ],
    [
      'that a process left',
      (connection: Database) => releaseAbandonedExports(connection, 'c', 'now'),
      [/exports_unwritten \(status=\? AND customer_id=\?\)$/],
    ],
    [
      'that a process left, by customer',
      (connection: Database) => customersWithBegunExports(connection),
      [unwritten],
    ],
    [
      'to withdraw',
      (connection: Database) => withdrawExports(connection, 'c', 'now'),
      [withFile, /exports_unwritten \(status=\? AND customer_id=\?\)$/],
    ],
    ['of a customer with a file', (connection: Database) => measureExportFiles(connection, 'c'), [withFile]],
    ['with the oldest file', (connection: Database) => oldestExportFile(connection, 'c'), [withFile]],
    [
      'whose file is too old',
      (connection: Database) => nextFileToDelete(connection, 'b'),
      [
        /exports_to_clear \(status=\?\)$/,
        /exports_to_clear \(status=\?\)$/,
        /exports_to_clear \(status=\? AND modified_at<\?\)$/,
      ],
    ],
    [
      'to delete',
      (connection: Database) => deleteSomeOldExports(connection, 'b'),
      [
        /^SEARCH exports .*\(id=\?\)\nLIST SUBQUERY 1\nSEARCH exports .*exports_ended \(modified_at<\?\)\nSEARCH export_parts .*\(export_id=\?\)$/,
      ],
    ],
    [
      'of a customer in their order',
      (connection: Database) => walkExportSearches(connection, 'c', { created_at: 'a', id: 'i' }, 200),
      [/exports_by_created_at \(customer_id=\? AND \(created_at,id\)>\(\?,\?\)\)$/],
    ],
    ['of a call', (connection: Database) => findExport(connection, 'c', 'i'), [/\(id=\?\)$/]],
    [
      'that receives a part',
      (connection: Database) => appendExportPart(connection, 'i', 0, 'x'),
      [/^SEARCH exports .*\(id=\?\)$/],
    ],
    [
      'that was withdrawn',
      (connection: Database) => deleteSomeWithdrawnParts(connection, 'i'),
      [/^SEARCH exports .*\(id=\?\)$/],
    ],
    [
      'that moves',
      (connection: Database) => moveExport(connection, 'i', 'expired', 'now'),
      [/^SEARCH exports .*\(id=\?\)$/],
    ],
  ])('are found along an index, without the others: %s', async (_, read, found) => {
    const all = await plans(read)
    expect(all).toHaveLength(found.length)
    for (const [index, steps] of all.entries()) {
      expect(steps).toMatch(found[index] ?? '')
      expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
    }
  })

  it('without a file are not in the indexes of those with one', async () => {
    const { rows } = await sql<{ name: string }>`select name from pragma_index_list('exports')
      where partial = 1 order by name`.execute(database)
    expect(rows.map(({ name }) => name)).toEqual([
      'exports_ended',
      'exports_to_clear',
      'exports_unwritten',
      'exports_with_file',
    ])
  })

  it('have parts that are read and deleted by their export and position', async () => {
    for (const read of [
      (connection: Database) => readExportPart(connection, 'i', 7),
      (connection: Database) => deleteSomeExportParts(connection, 'i'),
    ])
      for (const steps of await plans(read)) {
        expect(steps).toMatch(/^SEARCH export_parts USING .*\(export_id=\? AND position[=>]\?\)/)
        expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
      }
  })

  it('are walked for an address in steps that visit a limited number', async () => {
    const [walked] = await plansOf(database, (connection) =>
      walkExportSearches(connection, 'c', { created_at: 'a', id: 'i' }, 200),
    )
    expect(walked?.sql).not.toMatch(/like/i)
  })
})

describe('a document', () => {
  it('is found, measured, read and deleted by its id', async () => {
    for (const read of [
      (connection: Database) => findDocument(connection, 'c', 'd'),
      (connection: Database) => measureDocument(connection, 'd'),
      (connection: Database) => readDocumentPart(connection, 'd', { start: 0, length: 1 }),
      (connection: Database) => deleteDocument(connection, 'd'),
    ]) {
      const steps = await plan(read)
      expect(steps).toMatch(/^SEARCH documents USING INDEX \w+ \(id=\?\)/)
      expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
    }
  })

  it('is unlinked along indexes of its links', async () => {
    const all = await plans((connection) => unlinkDocument(connection, 'd'))
    expect(all).toHaveLength(4)
    for (const steps of all) expect(steps).toMatch(/^SEARCH \w+ USING .*INDEX \w+ \(document_id=\?\)$/)
  })

  it('counts for its customer without reading the others', async () => {
    const steps = await plan((connection) => bytesOfSentDocuments(connection, 'c'))
    expect(steps).toMatch(/^SEARCH document_storage USING INDEX \w+ \(customer_id=\?\)$/)
  })
})

describe('the query for deliveries to send', () => {
  it.each([
    ['new', (connection: Database) => webhooksToTell(connection, 7), /PRIMARY KEY \(rowid>\?\)/],
    [
      'never tried by a webhook',
      (connection: Database) => walkUntried(connection, 'w', 7, 256),
      /next_at=\? AND (webhook_id=\? AND )?(rowid|id)>\?/,
    ],
    [
      'due',
      (connection: Database) => webhooksDue(connection, 'a', 'b'),
      /deliveries_due \(next_at>\? AND next_at<\?\)/,
    ],
    [
      'due of a webhook',
      (connection: Database) => walkDue(connection, 'w', { nextAt: 'a', id: 7 }, 'b', 256),
      /deliveries_waiting \(webhook_id=\? AND next_at>\? AND next_at<\?\)/,
    ],
    [
      'next of a resource',
      (connection: Database) => nextOfEntity(connection, 'w', 'e', 'b'),
      /deliveries_of_entity \(webhook_id=\? AND entity_id=\?\)/,
    ],
    [
      'still to be sent again',
      (connection: Database) => isReplayPending(connection, 'w', 'a'),
      /\(next_at=\? AND webhook_id=\?\)/,
    ],
  ])('reads only the deliveries that are %s', async (_, read, found) => {
    const steps = await plan(read)
    expect(steps).toMatch(found)
    expect(steps).not.toMatch(/^SCAN/m)
  })
})
