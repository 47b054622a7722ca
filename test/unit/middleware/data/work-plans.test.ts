import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exportSources } from '#middleware/data/exports/export-sources.ts'
import type { Database } from '#middleware/data/engine/database.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import { listDirections } from '#support/list-reads.ts'
import { planOf, plansOf, type Read, stepsOf, walksAnIndex } from '#support/query-plans.ts'
import {
  codeVisits,
  early,
  exportedRecords,
  exportedTables,
  filledLotIndexes,
  filledLotReads,
  late,
  readDeliveries,
  readKeys,
  readLines,
  stockSorts,
  visitStock,
  workReads,
} from '#support/work-reads.ts'

let database: Database
beforeAll(() => {
  database = openSqliteDatabase(':memory:')
})
afterAll(() => database.destroy())

const plan = (read: Read): Promise<string> => planOf(database, read)
const plans = (read: Read): Promise<string[]> => stepsOf(database, read)

describe('the list of stock', () => {
  it('adds up the pieces of a variant from an index, without reading the lots', async () => {
    const [steps = '', ...others] = await plans(workReads['stock of variants'])
    // one statement reads the pieces and the reservations: a shipment could commit between two statements of PostgreSQL
    expect(others).toEqual([])
    expect(steps).toMatch(
      /SEARCH reservations USING COVERING INDEX reservations_by_variant \(variant_id=\?\)/,
    )
    expect(steps).toMatch(/SEARCH batches USING COVERING INDEX batches_to_take_at \(variant_id=\?\)/)
    expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
  })

  it.each(stockSorts.flatMap((sort) => listDirections.map((direction) => [sort, direction] as const)))(
    'uses an index to read the variants after a given position in the order %s %s',
    async (sort, direction) => {
      for (const steps of await plans(visitStock(sort, direction))) {
        walksAnIndex(steps)
        expect(steps).toMatch(
          /\(customer_id=\? AND (.* AND )?(\(\w+,id\)[<>]\(\?,\?\)|(id|article_code)[<>]\?)/,
        )
      }
    },
  )
})

describe('a search for a code that many variants have, in the list of articles or lots', () => {
  it.each(codeVisits)(
    'uses the index for the sort order to read the rows, and reads only the variants of these rows: %s',
    async (_, read) => {
      const [place, wanted, ...others] = await plans(read)
      expect(others).toEqual([])
      walksAnIndex(place ?? '')
      const [list = '', subquery, variant, ...more] = (wanted ?? '').split('\n')
      walksAnIndex(list)
      expect(list).toMatch(/\(customer_id=\? AND (.* AND )?(\(\w+,id\)[<>]\(\?,\?\)|id[<>]\?)/)
      expect(subquery).toMatch(/^CORRELATED SCALAR SUBQUERY/)
      expect(variant).toMatch(/^SEARCH variants USING INDEX \w+ \((article_id|id)=\?\)$/)
      expect(more).toEqual([])
    },
  )

  it('begins with a query that uses an index to find the variants with the code', async () => {
    expect(await plan(workReads['variants of a code'])).toMatch(
      /^SEARCH variants USING INDEX variants_by_ean \(customer_id=\? AND ean=\?\)$/,
    )
  })
})

describe('the lists of lots with pieces', () => {
  it.each(filledLotReads)(
    'find the lots only with indexes that contain no empty lots: %s',
    async (_, read) => {
      const all = await plansOf(database, read, [{ id: 'x', article_id: 'x' }])
      // the lots of a page are read by their ids after the page was found
      const lots = all.flatMap(
        ({ steps }) => steps.match(/^(SEARCH|SCAN) batches .*(?<! \(id=\?\))$/gm) ?? [],
      )
      expect(lots.length).toBeGreaterThan(0)
      for (const step of lots) expect(filledLotIndexes).toContain(/INDEX (\w+)/.exec(step)?.[1])
    },
  )
})

describe('the search for stock', () => {
  it('finds a part of a text in an index, and reads only the variants with this part', async () => {
    const found = [{ id: 'v' }, { id: 'w' }]
    const [parts, ids] = await plansOf(database, workReads['stock with a part of a text'], found)
    expect(parts?.steps).toMatch(
      /^SCAN searched_parts VIRTUAL TABLE INDEX \d+:M\d+\nSEARCH searched_texts USING INTEGER PRIMARY KEY/,
    )
    expect(ids?.steps).toMatch(/^SEARCH variants USING INDEX \w+ \(id=\?\)\nLIST SUBQUERY \d+\nSCAN wanted/)
  })
})

describe('a movement of stock', () => {
  it.each([
    ['takes from a location', workReads['lots to take at a location'], 2],
    ['takes lots of a date', workReads['lots to take of a date'], 1],
    ['picks at a location', workReads['lots to pick at a location'], 2],
    ['adds to the last lot', workReads['last lot at a location'], 2],
    ['adds to a lot like it', workReads['lot like another'], 1],
  ])('reads only the lots of its variant at its location, without a sort: %s', async (_, read, count) => {
    const found = await plans(read)
    expect(found).toHaveLength(count)
    for (const steps of found) {
      expect(steps).toMatch(/SEARCH batches USING INDEX \w+ \(variant_id=\? AND location_id=\?/)
      expect(steps).not.toMatch(/SCAN|TEMP B-TREE FOR ORDER/)
    }
  })

  it.each([
    ['takes', workReads['lots to take anywhere']],
    ['picks', workReads['lots to pick anywhere']],
  ])('reads the lots of its variant at all locations along an index, without a sort: %s', async (_, read) => {
    for (const steps of await plans(read)) {
      expect(steps).toMatch(/SEARCH batches USING INDEX batches_to_take \(variant_id=\? AND expiration_date/)
      expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
    }
  })
})

describe('the articles with given names', () => {
  it('are found along an index, the oldest first, without reading other articles', async () => {
    const steps = await plan(workReads['articles with names'])
    expect(steps).toMatch(/SEARCH named USING INDEX articles_living_name \(customer_id=\? AND name=\?\)/)
    expect(steps).toMatch(/SEARCH articles USING INDEX \w+ \(id=\?\)/)
    expect(steps).not.toMatch(/SCAN (?!wanted)|TEMP B-TREE/)
  })
})

describe('the limit for the variants of an article', () => {
  it('uses only an index, and no rows of the table, to count the variants that are not deleted', async () => {
    expect(await plan(workReads['number of variants of articles'])).toBe(
      'SEARCH variants USING COVERING INDEX variants_living_of_article (article_id=?)',
    )
  })
})

describe('a location whose `pickable` has changed', () => {
  it('is found in an index that has only such locations', async () => {
    expect(await plan(workReads['changed location'])).toBe(
      'SCAN locations USING INDEX locations_with_steps_left',
    )
  })

  it('is searched along an index for the ids of variants that have pieces there, in the order of these ids, beginning after a given id', async () => {
    expect(await plan(workReads['variants at a changed location'])).toBe(
      'SEARCH batches USING INDEX batches_filled_by_variant (location_id=? AND variant_id>?)',
    )
  })
})

describe('the deletion of variants', () => {
  it('uses indexes to read the uses of these variants, and reads no uses of other variants', async () => {
    const [steps = '', ...others] = await plans(workReads['uses of variants'])
    expect(others).toEqual([])
    const searched = steps.split('\n').filter((step) => !/^CORRELATED SCALAR SUBQUERY \d+$/.test(step))
    expect(searched).toEqual([
      expect.stringMatching(/^SEARCH variants USING (COVERING )?INDEX \w+ \(id=\?\)$/),
      expect.stringMatching(/^SEARCH batches USING (COVERING )?INDEX batches_to_take\w* \(variant_id=\?\)$/),
      expect.stringMatching(/^SEARCH reservations USING COVERING INDEX \w+ \(variant_id=\?\)$/),
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
      workReads['orders that move'],
      /^SEARCH orders USING (COVERING )?INDEX orders_by_due \(status=\?\)$/,
    ],
    [
      'orders that wait',
      workReads['orders that wait'],
      /^SEARCH orders USING COVERING INDEX orders_waiting \(status=\? AND id>\?\)$/,
    ],
    [
      'inbounds',
      workReads['inbounds that move'],
      /^SEARCH inbounds USING COVERING INDEX inbounds_by_due \(status=\?\)$/,
    ],
    [
      'transfers',
      workReads['transfers that move'],
      /^SEARCH transfers USING INDEX transfers_by_due \(status=\?\)$/,
    ],
    [
      'modifications',
      workReads['undecided modifications'],
      /^SEARCH modifications USING INDEX modifications_by_due \(status=\?\)$/,
    ],
    [
      'shipments without tracking data',
      workReads['untracked shipments'],
      /^SCAN shipments USING INDEX shipments_untracked$/,
    ],
    [
      'lots to put away',
      workReads['lots to put away'],
      /^SEARCH batches USING INDEX batches_to_put_away \(location_id=\?\)$/,
    ],
    [
      'the shipment of a return',
      workReads['shipment of a return'],
      /^SEARCH shipments USING INDEX \w+ \((customer_id=\? AND )?reference=\?\)$/,
    ],
  ])('reads %s along an index, without a sort', async (_, read, found) => {
    const all = await plans(read)
    expect(all.length).toBeGreaterThan(0)
    for (const steps of all) expect(steps).toMatch(found)
  })

  it.each([
    ['pieces', workReads['pieces outside quarantine'], 'batches'],
    ['reservations', workReads['pieces promised'], 'reservations'],
  ])('adds up only the %s of the given variants', async (_, read, table) => {
    const steps = await plan(read)
    expect(steps).toMatch(new RegExp(`SEARCH ${table} USING (COVERING )?INDEX \\w+ \\(variant_id=\\?\\)`))
    expect(steps).not.toMatch(/SCAN/)
  })
})

describe('the search for a shipment to return', () => {
  it('reads the next older shipments along an index', async () => {
    const first = await plan(workReads['newest shipments'])
    expect(first).toMatch(/^SCAN shipments USING (COVERING )?INDEX shipments_by_age$/)
    const later = await plan(workReads['older shipments'])
    expect(later).toMatch(
      /^SEARCH shipments USING (COVERING )?INDEX shipments_by_age \(\(created_at,reference\)<\(\?,\?\)\)$/,
    )
  })

  it('uses an index to find the returns that have the reference of a shipment', async () => {
    const steps = await plan(workReads['shipments to return'])
    expect(steps).toMatch(/^SEARCH shipments USING INDEX \w+ \(id=\?\)/)
    expect(steps).toMatch(/inbounds_returns \(customer_id=\? AND external_reference=\?\)/)
    expect(steps).toMatch(/shipment_lines .*\(shipment_id=\?\)/)
    expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
  })
})

describe('the lines of shipments', () => {
  it('are read in their order with the primary key, without reading the present variants', async () => {
    const steps = await plan(workReads['lines of shipments'])
    expect(steps).toMatch(/^SEARCH shipment_lines USING INDEX \w+ \(shipment_id=\?\)$/)
  })
})

describe('the derived reference of a label', () => {
  it('is found without reading the other labels of the customer', async () => {
    const steps = await plan(workReads['taken references of labels'])
    expect(steps).toMatch(
      /^SEARCH \w+ USING (COVERING )?INDEX \w+_living_reference \(customer_id=\? AND external_reference=\?\)$/,
    )
  })
})

describe('the warehouse’s search for orders with an invalid address', () => {
  it('uses an index to find a single new order by its id', async () => {
    const steps = await plan(workReads['invalid address of an order'])
    expect(steps).toMatch(/^SEARCH orders USING INDEX \w+ \(id=\?\)$/)
  })

  it('uses an index to find all new orders with an invalid address, and reads no other orders', async () => {
    const steps = await plan(workReads['invalid addresses'])
    expect(steps).toMatch(/^SEARCH orders USING (COVERING )?INDEX orders_invalid \(status=\?\)$/)
  })
})

describe('the list of the deliveries of a webhook', () => {
  it.each([
    ['count of deliveries', null, { from: null, to: null }, /\(webhook_id=\?\)$/],
    [
      'count of deliveries in a state',
      'given_up',
      { from: null, to: null },
      /\(webhook_id=\? AND state=\?\)$/,
    ],
    [
      'count of deliveries in a state and time',
      'given_up',
      { from: early, to: late },
      /state=\? AND created_at>\? AND created_at<\?\)$/,
    ],
  ] as const)(
    'counts and reads only the deliveries that match the filter: %s',
    async (count, state, range, found) => {
      const counted = await plan(workReads[count])
      expect(counted).toMatch(/^SEARCH deliveries USING COVERING INDEX/)
      expect(counted).toMatch(found)
      for (const direction of listDirections) {
        const listed = await plan(readDeliveries(state, range, direction))
        expect(listed).toMatch(/^SEARCH deliveries USING COVERING INDEX/)
        expect(listed).toMatch(found)
        expect(listed).not.toContain('B-TREE')
      }
    },
  )
})

describe('a replay of deliveries', () => {
  it('reads each portion along an index', async () => {
    const steps = await plan(workReads['deliveries between two'])
    expect(steps).toMatch(
      /^SEARCH deliveries USING COVERING INDEX \w+ \(webhook_id=\? AND created_at>\? AND created_at<\?\)$/,
    )
  })

  it('reads only the replayed deliveries and their attempts', async () => {
    const all = await plans(workReads['replay of deliveries'])
    expect(all).toHaveLength(2)
    for (const steps of all) {
      expect(steps).toMatch(/^SEARCH deliveries USING INTEGER PRIMARY KEY \(rowid=\?\)$/m)
      expect(steps).not.toMatch(/^SCAN (deliveries|delivery_attempts)|webhook_id/m)
    }
  })
})

describe('the parents that Expand adds to many rows of a list', () => {
  it.each(['shipments', 'articles'] as const)('are read by their ids: %s', async (table) => {
    const steps = await plan(workReads[`${table} by id`])
    expect(steps).toMatch(new RegExp(`^SEARCH ${table} USING INDEX \\S+ \\(id=\\?\\)$`))
  })
})

describe('the logins above the limit of a user', () => {
  it('are found with an index, without a table scan or a sort', async () => {
    const steps = await plan(workReads['oldest logins of a user'])
    expect(steps).toContain('SEARCH logins USING COVERING INDEX logins_by_user (user_id=?)')
    expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
  })
})

describe('a redaction', () => {
  it('is found without reading the other waiting redactions', async () => {
    for (const read of [workReads['next redaction'], workReads['next redaction except one']])
      expect(await plan(read)).toBe('SEARCH redactions USING INDEX redactions_by_created_at (customer_id=?)')
    const counted = await plan(workReads['other redactions'])
    expect(counted).toMatch(/^SEARCH redactions USING COVERING INDEX \w+ \(customer_id=\?\)$/)
  })

  it.each([
    ['shipments', 'shipment', /shipments_by_reference \(customer_id=\? AND reference>\?\)/],
    ['labels', 'label', /return_labels_by_serial \(customer_id=\? AND serial>\?\)/],
  ] as const)(
    'reads only those %s that were created since the redaction began',
    async (records, record, found) => {
      expect(await plan(workReads[`${records} behind a place`])).toMatch(found)
      const newest = await plan(workReads[`newest ${record}`])
      expect(newest).toMatch(/\(customer_id=\?\)/)
      expect(newest).not.toContain('B-TREE')
    },
  )
})

describe('an export', () => {
  it.each(exportedTables)('finds the rows of %s with an index, and reads no other rows', async (table) => {
    for (const to of [null, late]) {
      const steps = await plan(readKeys(table, to))
      walksAnIndex(steps)
      expect(steps).toMatch(/_by_created_at \(customer_id=\? AND \(created_at,id\)>\(\?,\?\)/)
    }
  })

  it('reads the lots of the customer’s locations along an index', async () => {
    const steps = await plan(workReads['lots of locations'])
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
  it.each(types)('of $family $type are read with indexes', async ({ source }) => {
    const all = await plansOf(database, readLines(source), exportedRecords)
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
      workReads['next waiting export'],
      [
        /exports_unwritten \(status=\? AND customer_id>\?\)$/,
        /exports_unwritten \(status=\? AND customer_id/,
      ],
    ],
    [
      'of a customer that wait',
      workReads['waiting exports of a customer'],
      [/exports_unwritten \(status=\? AND customer_id=\?\)$/],
    ],
    [
      'that a process left',
      workReads['abandoned exports'],
      [/exports_unwritten \(status=\? AND customer_id=\?\)$/],
    ],
    ['that a process left, by customer', workReads['customers with begun exports'], [unwritten]],
    [
      'to withdraw',
      workReads['exports to withdraw'],
      [withFile, /exports_unwritten \(status=\? AND customer_id=\?\)$/],
    ],
    ['of a customer with a file', workReads['files of exports'], [withFile]],
    ['with the oldest file', workReads['oldest file of an export'], [withFile]],
    [
      'whose file is too old',
      workReads['next file to delete'],
      [
        /exports_to_clear \(status=\?\)$/,
        /exports_to_clear \(status=\?\)$/,
        /exports_to_clear \(status=\? AND modified_at<\?\)$/,
      ],
    ],
    [
      'to delete',
      workReads['old exports to delete'],
      [
        /^SEARCH exports .*\(id=\?\)\nLIST SUBQUERY 1\nSEARCH exports .*exports_ended \(modified_at<\?\)\nSEARCH export_parts .*\(export_id=\?\)$/,
      ],
    ],
    [
      'of a customer in their order',
      workReads['searches of exports'],
      [/exports_by_created_at \(customer_id=\? AND \(created_at,id\)>\(\?,\?\)\)$/],
    ],
    ['of a call', workReads['export of a call'], [/\(id=\?\)$/]],
    ['that receives a part', workReads['new part of an export'], [/^SEARCH exports .*\(id=\?\)$/]],
    ['that was withdrawn', workReads['parts of a withdrawn export'], [/^SEARCH exports .*\(id=\?\)$/]],
    ['that moves', workReads['move of an export'], [/^SEARCH exports .*\(id=\?\)$/]],
  ])('are found along an index, without reading other exports: %s', async (_, read, found) => {
    const all = await plans(read)
    expect(all).toHaveLength(found.length)
    for (const [index, steps] of all.entries()) {
      expect(steps).toMatch(found[index] ?? '')
      expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
    }
  })

  it('have four partial indexes, each of which contains only the exports in a certain state', async () => {
    const { rows } = await sql<{ name: string }>`select name from pragma_index_list('exports')
      where partial = 1 order by name`.execute(database)
    expect(rows.map(({ name }) => name)).toEqual([
      'exports_ended',
      'exports_to_clear',
      'exports_unwritten',
      'exports_with_file',
    ])
  })

  it('have parts, which are found with an index of export and position when they are read or deleted', async () => {
    for (const read of [workReads['part of an export'], workReads['parts of an export']])
      for (const steps of await plans(read)) {
        expect(steps).toMatch(/^SEARCH export_parts USING .*\(export_id=\? AND position[=>]\?\)/)
        expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
      }
  })

  it('are searched for an e-mail address by the service, not by a comparison of texts in the database', async () => {
    const [walked] = await plansOf(database, workReads['searches of exports'])
    expect(walked?.sql).not.toMatch(/like/i)
  })
})

describe('a document', () => {
  it('is found by its id with an index when it is measured, read or deleted', async () => {
    for (const read of [
      workReads['document of a customer'],
      workReads['size of a document'],
      workReads['part of a document'],
      workReads['deletion of a document'],
    ]) {
      const steps = await plan(read)
      expect(steps).toMatch(/^SEARCH documents USING INDEX \w+ \(id=\?\)/)
      expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
    }
  })

  it('has references in four tables, which are found with an index of each table when the document is deleted', async () => {
    const all = await plans(workReads['links of a document'])
    expect(all).toHaveLength(4)
    for (const steps of all) expect(steps).toMatch(/^SEARCH \w+ USING .*INDEX \w+ \(document_id=\?\)$/)
  })

  it('has an order or inbound, which is found with an index when the document is deleted', async () => {
    const all = await plans(workReads['holders of a document'])
    expect(all).toHaveLength(2)
    for (const steps of all) {
      expect(steps).toMatch(/^SEARCH (orders|inbounds) USING (COVERING )?INDEX \w+ \(id=\?\)$/m)
      expect(steps).toMatch(/_documents USING .*INDEX \w+ \(document_id=\?\)$/m)
      expect(steps).not.toMatch(/SCAN \w+_documents|SCAN (orders|inbounds|quality_controls)/)
    }
  })

  it('is not read to get the total size of its customer’s documents, because one row contains this size', async () => {
    const steps = await plan(workReads['bytes of documents'])
    expect(steps).toMatch(/^SEARCH document_storage USING INDEX \w+ \(customer_id=\?\)$/)
  })
})

describe('the query for deliveries to send', () => {
  it.each([
    ['new', workReads['new deliveries'], /PRIMARY KEY \(rowid>\?\)/],
    [
      'never tried by a webhook',
      workReads['untried deliveries of a webhook'],
      /next_at=\? AND (webhook_id=\? AND )?(rowid|id)>\?/,
    ],
    ['due', workReads['due webhooks'], /deliveries_due \(next_at>\? AND next_at<\?\)/],
    [
      'due of a webhook',
      workReads['due deliveries of a webhook'],
      /deliveries_waiting \(webhook_id=\? AND next_at>\? AND next_at<\?\)/,
    ],
    [
      'next of a resource',
      workReads['next delivery of a resource'],
      /deliveries_of_entity \(webhook_id=\? AND entity_id=\?\)/,
    ],
    ['still to be sent again', workReads['deliveries to replay'], /\(next_at=\? AND webhook_id=\?\)/],
  ])('reads only the deliveries that are %s', async (_, read, found) => {
    const steps = await plan(read)
    expect(steps).toMatch(found)
    expect(steps).not.toMatch(/^SCAN/m)
  })
})
