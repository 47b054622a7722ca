import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { storeDocument } from '#middleware/data/documents/documents.ts'
import type { Database } from '#middleware/data/engine/database.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import { seedWorld } from '#middleware/data/seeds/seed.ts'
import type { ServiceContext } from '#middleware/services/context.ts'
import { openDocument, removeDocument } from '#middleware/services/documents/documents.ts'
import { Turns, usualWaitingLimits } from '#middleware/services/turns.ts'
import { smallOrders } from '#support/small-orders.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'
import { startWarehouseBench, type WarehouseBench } from '#support/warehouse-bench.ts'

const documentId = 'a3a3a3a3-0000-4000-8000-000000000001'
const bytes = Buffer.from(Uint16Array.from({ length: 1_350_000 }, (_, at) => at).buffer)

let database: Database
beforeEach(async () => {
  database = openSqliteDatabase(':memory:')
  const world = makeSmallWorld()
  await seedWorld(database, world, new Map(world.users.map(({ id }) => [id, 'no hash'])))
  await storeDocument(database, {
    id: documentId,
    customer_id: smallIds.alder,
    title: 'large',
    mime_type: 'application/pdf',
    document_type: 'order_document',
    created_at: '2026-06-01T12:00:00.000Z',
    content: bytes,
  })
})
afterEach(() => database.destroy())

function open(): ReturnType<typeof openDocument> {
  const turns = new Turns(usualWaitingLimits)
  const context = { database, turns, links: { verify: () => undefined } } as unknown as ServiceContext
  return openDocument(context, { documentId, expires: '', signature: '', address: '127.0.0.1' }, () => false)
}

describe('the deletion of a document', () => {
  let bench: WarehouseBench
  beforeEach(async () => {
    bench = await startWarehouseBench()
    await bench.subscribeToAll()
  })
  afterEach(() => bench.close())

  const order = smallOrders.byStatus('shipped')
  const rowOf = (name: string, id: string): string =>
    `insert into documents (id, customer_id, title, mime_type, document_type, created_at, content)
     values ('${id}', '${bench.alder.id}', 't', 'm', '${name}', '2026-06-01T11:00:00.000Z', '') returning id`

  async function idOfInbound(): Promise<string> {
    const [first] = await bench.rows(
      `select id from inbounds where customer_id = '${bench.alder.id}' limit 1`,
    )
    return String(first?.['id'])
  }

  it('is reported to the webhooks and to the warehouse as a change of its order, and sets `modified_at` of the order', async () => {
    await bench.rows(rowOf('order_document', 'd'))
    await bench.rows(`insert into order_documents (order_id, position, document_id, quantity, is_shipping_label)
      values ('${order}', 7, 'd', 1, 0) returning position`)
    await removeDocument(bench.context, bench.alder, 'd')
    const now = new Date(bench.clock.now()).toISOString()
    expect(await bench.rows(`select modified_at from orders where id = '${order}'`)).toEqual([
      { modified_at: now },
    ])
    expect(await bench.topics()).toEqual(['order/updated'])
    const work = await bench.rows(`select kind, entity_id from warehouse_work where created_at = '${now}'`)
    expect(work).toEqual([{ kind: 'order', entity_id: order }])
    const [event] = await bench.rows(`select content from events`)
    expect(event?.['content']).not.toContain('"id":"d"')
  })

  it.each(['inbound_documents', 'quality_control_documents'])(
    'is told to the webhooks and the warehouse of its inbound: %s',
    async (table) => {
      const inbound = await idOfInbound()
      await bench.rows(rowOf('inbound_document', 'd'))
      await bench.rows(`insert into quality_controls values
        ('q', '${inbound}', '2026-06-01T11:00:00.000Z', 0, 0, 0, 0, '1', 'good', '') returning id`)
      const holder = table === 'inbound_documents' ? inbound : 'q'
      await bench.rows(`insert into ${table} values ('${holder}', 'd') returning document_id`)
      await removeDocument(bench.context, bench.alder, 'd')
      const now = new Date(bench.clock.now()).toISOString()
      expect(await bench.rows(`select modified_at from inbounds where id = '${inbound}'`)).toEqual([
        { modified_at: now },
      ])
      expect(await bench.topics()).toEqual(['inbound/updated'])
      const work = await bench.rows(`select kind, entity_id from warehouse_work where created_at = '${now}'`)
      expect(work).toEqual([{ kind: 'inbound', entity_id: inbound }])
    },
  )
})

describe('the content of a document', () => {
  it('is sent in pieces of at most 64 kB, which together are the whole document', async () => {
    const { size, content } = await open()
    const pieces: Uint8Array[] = []
    for await (const piece of content) pieces.push(piece)
    expect(Math.max(...pieces.map(({ length }) => length))).toBe(64 * 1024)
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
    expect(size).toBe(bytes.length)
  })

  it('ends with an error if the document is deleted while it is read', async () => {
    const { content } = await open()
    const reading = content[Symbol.asyncIterator]()
    await reading.next()
    await database.deleteFrom('documents').where('id', '=', documentId).execute()
    const readRest = async (): Promise<void> => {
      while ((await reading.next()).done !== true);
    }
    await expect(readRest()).rejects.toThrow('Document not found.')
  })
})
