import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { usualEventLimits } from '#middleware/services/unit.ts'
import { webhookGroups, webhookTopics } from '#shared/domain/webhook-topics.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'
import { smallGoods } from '#support/small-goods.ts'
import { makeMovingWorld, smallMoves } from '#support/small-moves.ts'
import { smallOrders } from '#support/small-orders.ts'
import { smallIds } from '#support/small-world.ts'
import { connectWarehouse } from '#support/warehouse-client.ts'
import { isOnPostgres, queryBeside, watchStatements } from '#support/test-database.ts'

let folder: string
let databaseFile: string
let server: TestServer
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scandesk-events-'))
  databaseFile = join(folder, 'middleware.db')
  server = await startTestServer({ databaseFile })
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

function rows(text: string): Promise<Record<string, unknown>[]> {
  return queryBeside(databaseFile, text)
}

async function subscribe(group: string, action: string, customer = 'ALDER'): Promise<void> {
  const body = { url: 'https://hooks.example.org/all', group, action, hash_secret: 'secret' }
  expect((await server.call('/webhooks/', { method: 'POST', body, customer })).status).toBe(201)
}

const contents = z.object({
  group: z.string(),
  action: z.string(),
  entity: z.string(),
  customer: z.string(),
  entityId: z.string(),
  body: z.record(z.string(), z.unknown()),
})

/** Selects the notifications in the order in which they were written. */
const inOrder = `select content from events join
  (select event_id, min(id) as first from deliveries group by event_id) as queued on queued.event_id = events.id
  order by queued.first`

async function events(): Promise<z.output<typeof contents>[]> {
  return (await rows(inOrder)).map(({ content }) => contents.parse(JSON.parse(z.string().parse(content))))
}

describe('the change of `pickable` of a location', () => {
  it('leads to a stock event for each variant with pieces there, even if the server restarts meanwhile', async () => {
    await subscribe('stock', 'updated')
    await server.close()
    await rows(`update locations set noted_to = '' where id = '${smallGoods.shelf}' returning id`)
    server = await startTestServer({ databaseFile })
    const unfinished = (): Promise<unknown[]> => rows('select id from locations where noted_to is not null')
    await vi.waitUntil(async () => (await unfinished()).length === 0, { timeout: 10_000 })
    const lying = await rows(`select distinct variant_id from batches
      where location_id = '${smallGoods.shelf}' and quantity > 0 and customer_id = '${smallIds.alder}'`)
    const noted = await rows("select entity_id from events where topic_group = 'stock'")
    expect(lying.length).toBeGreaterThan(0)
    expect(noted.map((event) => event['entity_id']).toSorted()).toEqual(
      lying.map((lot) => lot['variant_id']).toSorted(),
    )
  })
})

describe('a webhook event', () => {
  it('is stored with the committed resource and all its groups expanded', async () => {
    await subscribe('order', 'created')
    const made = await server.call('/wms/orders/', { method: 'POST', body: newOrder() })
    expect(made.status).toBe(201)
    const id = z.object({ id: z.string() }).parse(made.body).id
    const [event, ...others] = await events()
    expect(others).toEqual([])
    expect(event).toMatchObject({ group: 'order', action: 'created', entity: 'order', entityId: id })
    expect(event?.body).toMatchObject({ id, status: 'created', shipping_address: {}, order_lines: [{}] })
  })

  it('about the stock contains the variant whose pieces a new order reserves', async () => {
    await subscribe('stock', 'updated')
    const body = newOrder({ order_lines: [{ article_code: 'A-1', quantity: 2, description: 'two' }] })
    await server.call('/wms/orders/', { method: 'POST', body })
    expect(await events()).toMatchObject([
      { group: 'stock', entity: 'variant', entityId: smallGoods.shirtRed, body: { article_code: 'A-1' } },
    ])
  })

  it('is not stored for a refused call', async () => {
    await subscribe('order', 'created')
    const body = newOrder()
    await server.call('/wms/orders/', { method: 'POST', body })
    expect((await server.call('/wms/orders/', { method: 'POST', body })).status).toBe(400)
    expect(await events()).toHaveLength(1)
  })

  it('is stored only for customers with a webhook that subscribes to it', async () => {
    await subscribe('order', 'updated')
    await subscribe('order', 'created', 'BIRCH')
    await server.call('/wms/orders/', { method: 'POST', body: newOrder() })
    expect(await events()).toEqual([])
  })

  it('is queued once for each webhook that subscribes to it', async () => {
    await subscribe('order', 'created')
    await subscribe('order', 'created')
    await server.call('/wms/orders/', { method: 'POST', body: newOrder() })
    const webhooks = await rows('select id as webhook_id from webhooks order by id')
    // the server delivers notifications in the background, so it may have made the first attempt of a delivery already
    expect(await rows('select webhook_id, state from deliveries order by webhook_id')).toEqual(
      webhooks.map((webhook) => ({ ...webhook, state: 'pending' })),
    )
    expect(webhooks).toHaveLength(2)
    expect(await rows('select id from events')).toHaveLength(1)
  })
})

describe('a webhook event above the size limit', () => {
  const large = expect.objectContaining({ bodyTooLarge: true }) as unknown

  it('contains the id of its resource instead of the resource', async () => {
    await subscribe('order', 'created')
    const variants = Array.from({ length: 120 }, (_, at) => ({ article_code: `L-${at}` }))
    await server.call('/wms/articles/', { method: 'POST', body: { name: 'large', variants } })
    const order_lines = variants.map((variant) => ({
      ...variant,
      quantity: 1,
      description: 'd'.repeat(18_000),
    }))
    const reply = await server.call('/wms/orders/', { method: 'POST', body: newOrder({ order_lines }) })
    const { id } = z.object({ id: z.string() }).parse(reply.body)
    const [content] = (await rows('select content from events')).map((row) => String(row['content']))
    expect(JSON.parse(content ?? '')).toEqual({
      body: { id },
      bodyTooLarge: true,
      group: 'order',
      action: 'created',
      entity: 'order',
      customer: smallIds.alder,
      entityId: id,
    })
  })

  it('about an update or a deletion contains the id of its resource instead of the resource', async () => {
    await subscribe('article', 'created')
    await subscribe('article', 'updated')
    await subscribe('article', 'deleted')
    const variants = (from: number): unknown[] =>
      Array.from({ length: 40 }, (_, at) => ({
        article_code: `L-${from + at}`,
        description: 'd'.repeat(19_000),
      }))
    const body = { name: 'large', variants: variants(0) }
    const made = await server.call('/wms/articles/', { method: 'POST', body })
    const { id } = z.object({ id: z.string() }).parse(made.body)
    for (let number = 40; number < 240; number++) {
      const variant = { article: id, article_code: `L-${number}`, description: 'd'.repeat(19_000) }
      expect((await server.call('/wms/variants/', { method: 'POST', body: variant })).status).toBe(201)
    }
    await server.call(`/wms/articles/${id}/`, { method: 'PATCH', body: { name: 'larger' } })
    const warehouse = await connectWarehouse({
      url: server.url,
      wms: 'DEV',
      username: 'warehouse',
      password: 'warehouse-secret-word',
    })
    expect((await warehouse.command(`/warehouse/articles/${id}/`, { method: 'DELETE' })).status).toBe(204)
    const told = await events()
    expect(told[0]).not.toEqual(large)
    expect(told.at(-2)).toMatchObject({ action: 'updated', body: { id } })
    expect(told.at(-1)).toMatchObject({ action: 'deleted', body: { id } })
    const last = await rows(`${inOrder} desc limit 2`)
    for (const { content } of last) expect(JSON.parse(String(content))).toEqual(large)
  })
})

describe('the stored events of a customer', () => {
  const stored = async (): Promise<unknown> => (await rows('select bytes from event_storage'))[0]?.['bytes']
  const sum = async (): Promise<unknown> =>
    (await rows('select sum(bytes) as bytes from events'))[0]?.['bytes']
  const notes = async (): Promise<unknown[]> => (await events()).map(({ body }) => body['customer_note'])
  const restart = async (mostStoredBytes: number): Promise<void> => {
    await server.close()
    server = await startTestServer({
      databaseFile,
      eventLimits: { ...usualEventLimits, mostStoredBytes },
    })
    // moves the clock beyond the times of all existing records
    server.clock.advance(60_000)
  }
  const change = async (...all: readonly string[]): Promise<void> => {
    for (const customer_note of all) {
      server.clock.advance(1)
      const path = `/wms/orders/${smallOrders.byStatus('created')}/`
      expect((await server.call(path, { method: 'PATCH', body: { customer_note } })).status).toBe(200)
    }
  }
  const settle = async (note: string, state: string): Promise<void> => {
    await queryBeside(
      databaseFile,
      'update deliveries set state = ? where event_id in (select id from events where content like ?)',
      [state, `%"customer_note":"${note}"%`],
    )
  }

  it('are counted in bytes in the table event_storage, which contains 0 after all events were deleted', async () => {
    await subscribe('order', 'updated')
    await change('1', '2')
    expect(await stored()).toBe(await sum())
    expect(await stored()).toBeGreaterThan(1000)
    await rows('delete from events')
    expect(await stored()).toBe(0)
  })

  it('are limited in bytes: delivered events are deleted first, then, with a line in the log, the oldest events', async () => {
    await subscribe('order', 'updated')
    await change('1')
    const one = Number(await stored())
    await restart(4 * one + 100)
    await change('2', '3', '4')
    expect(await notes()).toEqual(['1', '2', '3', '4'])
    await settle('3', 'delivered')
    await change('5')
    expect(await notes()).toEqual(['1', '2', '4', '5'])
    expect(server.logLines.join('')).not.toContain('notifications were dropped')
    await change('6')
    expect(await notes()).toEqual(['2', '4', '5', '6'])
    const dropped = server.logLines.filter((line) => line.includes('notifications were dropped'))
    // the numbers are compared as sets, because PostgreSQL may refuse a transaction, which then runs again and logs its
    // line twice
    expect(new Set(dropped.map((line) => (JSON.parse(line) as { dropped: number }).dropped))).toEqual(
      new Set([1]),
    )
    expect(await stored()).toBe(await sum())
  })

  it('are deleted, to make space for a new event, before the deliveries of the new event get their numbers', async () => {
    await subscribe('order', 'updated')
    await restart(3000)
    await change('1', '2')
    const watched = watchStatements()
    await change('3')
    const texts = watched.texts()
    watched.end()
    const first = (pattern: RegExp): number => texts.findIndex((text) => pattern.test(text))
    expect(first(/^delete from "events"/)).toBeGreaterThanOrEqual(0)
    expect(first(/^delete from "events"/)).toBeLessThan(first(/^insert into "deliveries"/))
    if (isOnPostgres) expect(first(/^delete from "events"/)).toBeLessThan(first(/pg_advisory_xact_lock/))
  })

  it('are not deleted if another customer exceeds its limit of stored events', async () => {
    await subscribe('order', 'updated')
    await subscribe('order', 'created', 'BIRCH')
    const order_lines = [{ article_code: 'B-1', quantity: 1, description: 'one' }]
    const body = newOrder({ order_lines })
    const made = await server.call('/wms/orders/', { method: 'POST', body, customer: 'BIRCH' })
    expect(made.status).toBe(201)
    await restart(6000)
    await change(...Array.from({ length: 9 }, (_, at) => String(at)))
    const counts = await rows(
      'select count(*) as count from events group by customer_id order by customer_id',
    )
    expect(counts.map(({ count }) => count)).toEqual([expect.any(Number), 1])
    expect((await notes()).length).toBeLessThan(10)
    expect(await notes()).toContain('8')
  })
})

describe('the stock ledger of the middleware', () => {
  const sums = `select
    (select count(*) from batches where quantity <>
      (select coalesce(sum(pieces), 0) from stock_entries where batch_id = batches.id)) as lots,
    (select count(*) from (select order_id, variant_id, sum(pieces) as pieces from stock_entries
      where order_id is not null group by order_id, variant_id having sum(pieces) <> 0
      except select order_id, variant_id, pieces from reservations)) as reservations`

  it('agrees with the stock and the reservations of the initial data', async () => {
    expect(await rows(sums)).toEqual([{ lots: 0, reservations: 0 }])
    expect((await rows('select count(*) as entries from stock_entries'))[0]?.['entries']).toBeGreaterThan(2)
  })

  it('records how the creation, a change and the cancellation of an order change its reserved pieces', async () => {
    const line = (quantity: number): unknown => ({ article_code: 'A-1', quantity, description: 'shirts' })
    const body = newOrder({ order_lines: [line(2)] })
    const made = await server.call('/wms/orders/', { method: 'POST', body })
    const { id } = z.object({ id: z.string() }).parse(made.body)
    const reserved = (): Promise<unknown> => rows(`select pieces from reservations where order_id = '${id}'`)
    expect(await reserved()).toEqual([{ pieces: 2 }])
    await server.call(`/wms/orders/${id}/`, { method: 'PATCH', body: { order_lines: [line(5)] } })
    expect(await reserved()).toEqual([{ pieces: 5 }])
    await server.call(`/wms/orders/${id}/cancel/`, { method: 'PATCH' })
    expect(await reserved()).toEqual([])
    expect(await rows(`select pieces from stock_entries where order_id = '${id}'`)).toEqual([
      { pieces: 2 },
      { pieces: 3 },
      { pieces: -5 },
    ])
    expect(await rows(sums)).toEqual([{ lots: 0, reservations: 0 }])
  })
})

describe('the work list of the warehouse', () => {
  it('has one entry for the creation of an order and one entry for its cancellation', async () => {
    const before = (await rows('select max(sequence) as last from warehouse_work'))[0]?.['last'] ?? 0
    const made = await server.call('/wms/orders/', { method: 'POST', body: newOrder() })
    const { id } = z.object({ id: z.string() }).parse(made.body)
    await server.call(`/wms/orders/${id}/cancel/`, { method: 'PATCH' })
    const work = await rows(
      `select kind, entity_id from warehouse_work where sequence > ${z.number().parse(before)}`,
    )
    expect(work).toEqual([
      { kind: 'order', entity_id: id },
      { kind: 'order', entity_id: id },
    ])
  })
})

describe('every event type', () => {
  const id = z.object({ id: z.string() })
  const make = async (path: string, body: unknown): Promise<string> => {
    const reply = await server.call(path, { method: 'POST', body })
    expect([path, reply.status]).toEqual([path, 201])
    return id.parse(reply.body).id
  }
  const change = async (path: string, body: unknown): Promise<void> => {
    const reply = await server.call(path, { method: 'PATCH', body })
    expect([path, reply.status]).toEqual([path, 200])
  }
  const decide = async (path: string): Promise<void> => {
    const reply = await server.call(`/sandbox/${path}`, { method: 'POST', body: {} })
    expect([path, reply.status]).toEqual([path, 200])
  }

  it('is produced by a call of a client or of the warehouse', async () => {
    await server.close()
    databaseFile = join(folder, 'moving.db')
    server = await startTestServer({
      databaseFile,
      world: makeMovingWorld(),
    })
    const topics = webhookGroups.flatMap((group) =>
      webhookTopics[group].map((action) => `${group}/${action}`),
    )
    for (const topic of topics) await subscribe(...(topic.split('/') as [string, string]))
    const article = await make('/wms/articles/', {
      name: 'Scarf',
      variants: [{ article_code: 'SCARF-1' }, { article_code: 'SCARF-2' }],
    })
    await change(`/wms/articles/${article}/`, { name: 'Long scarf' })
    const variant = await make('/wms/variants/', { article, article_code: 'SCARF-3' })
    await change(`/wms/variants/${variant}/`, { description: 'warm' })
    const line = { variant: smallGoods.shirtRed, location: smallGoods.shelf, quantity: 1 }
    const modification = { note: 'counted', reason: 'CORRECTION', modification_lines: [line] }
    await decide(`modifications/${await make('/wms/modifications/', modification)}/approve`)
    await decide(`modifications/${await make('/wms/modifications/', modification)}/disapprove`)
    const inbound = await make('/wms/inbounds/', {
      external_reference: 'IN-1',
      inbound_date: '2026-06-02',
      inbound_lines: [{ article_code: 'A-1', quantity: 3, packing_slip: 3 }],
    })
    await change(`/wms/inbounds/${inbound}/`, { note: 'late' })
    await decide(`inbounds/${smallMoves.inbounds[0] ?? ''}/complete`)
    await make('/wms/orders/', newOrder())
    const order = smallOrders.byStatus('created')
    await change(`/wms/orders/${order}/`, { note: 'a gift' })
    await decide(`orders/${order}/ship`)
    await make('/wms/return-labels/', { shipment_id: smallIds.shipments[0] })
    const warehouse = await connectWarehouse({
      ...{ url: server.url, wms: 'DEV' },
      ...{ username: 'warehouse', password: 'warehouse-secret-word' },
    })
    for (const path of [`variants/${variant}/`, `articles/${article}/`])
      expect((await warehouse.command(`/warehouse/${path}`, { method: 'DELETE' })).status).toBe(204)
    const told = new Set((await events()).map(({ group, action }) => `${group}/${action}`))
    expect([...told].sort()).toEqual(topics.toSorted())
    const deleted = (await events()).find(({ group, action }) => group === 'article' && action === 'deleted')
    expect(deleted?.body).toMatchObject({ id: article, name: 'Long scarf' })
  })
})
