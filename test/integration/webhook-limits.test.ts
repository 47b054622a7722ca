import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import BetterSqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { systemClock } from '#kit/clock.ts'
import { usualDeliveryLimits } from '#middleware/services/webhooks/delivery-shares.ts'
import { newOrder } from '#support/order-payloads.ts'
import { watchStatements } from '#support/test-database.ts'
import { accept, type Behaviour, readSigned, refuseWith } from '#support/webhook-receiver.ts'
import { hashSecret, WebhookSite } from '#support/webhook-site.ts'

const hour = 3_600_000

let site: WebhookSite
beforeEach(async () => {
  site = await WebhookSite.open({ deliveries: { retryMs: hour } })
})
afterEach(() => site.close())

/** A receiver that does not respond to notifications until `answer` is called. */
function holding(): { behaviour: Behaviour; held: ServerResponse[]; answer: () => void } {
  const held: ServerResponse[] = []
  return {
    behaviour: (response) => void held.push(response),
    held,
    answer: () => {
      for (const response of held.splice(0)) response.end()
    },
  }
}

/** Makes calls that take far longer than a step of background work, so that a step that was due has certainly run. */
async function meanwhile(): Promise<void> {
  for (let call = 0; call < 10; call += 1) await site.server.call('/wms/customers/')
}

function replay(webhook: string, since = '2020-01-01T00:00:00Z'): ReturnType<typeof site.server.call> {
  const body = { since }
  return site.server.call(`/webhooks/${webhook}/replay`, { method: 'POST', body })
}

const article = z.object({ variants: z.array(z.object({ id: z.string() })) })

describe('a call with thousands of webhook deliveries', () => {
  it('stores its deliveries in portions, lets other calls run between the portions, and loses no delivery', async () => {
    const subscribe = (): Promise<string> => site.subscribe('https://hooks.example/', 'variant', 'created')
    const webhooks: string[] = []
    for (let number = 0; number < 9; number += 1) webhooks.push(await subscribe())
    const create = async (count: number): Promise<string[]> => {
      const variants = Array.from({ length: count }, () => ({ article_code: randomUUID() }))
      const reply = await site.server.call('/wms/articles/', {
        method: 'POST',
        body: { name: 'a', variants },
      })
      return article.parse(reply.body).variants.map(({ id }) => id)
    }
    const made = await create(250)
    const rows = new BetterSqlite(site.databaseFile, { readonly: true })
    const written = rows.prepare<[], number>('select count(*) from deliveries').pluck()
    const counts: number[] = []
    let servedAt = Number.NaN
    const served = site.server.call('/wms/customers/', { customer: 'BIRCH' }).then(() => {
      servedAt = written.get() ?? Number.NaN
    })
    for (let count = 0; count < 250 * 9; count = written.get() ?? 0) {
      counts.push(count)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await served
    expect(servedAt).toBeLessThan(250 * 9)
    expect(new Set(counts).size).toBeGreaterThan(3)
    made.push(...(await create(250)))
    // The webhook `late` was created before the last change, so it must get only the delivery of this change. All other
    // webhooks must get the delivery of this change after all earlier deliveries.
    const late = await subscribe()
    made.push(...(await create(1)))
    await site.restart()
    const ofWebhook = rows
      .prepare<[string], string>('select entity_id from deliveries where webhook_id = ? order by id')
      .pluck()
    while (ofWebhook.all(late).length === 0) await meanwhile()
    expect(ofWebhook.all(late)).toEqual(made.slice(-1))
    for (const webhook of webhooks) expect(ofWebhook.all(webhook)).toEqual(made)
    expect(rows.prepare('select * from event_portions').all()).toEqual([])
    rows.close()
  })
})

describe('stored events whose deliveries cannot be written', () => {
  it('do not delay other customers, and delay later events of their customer only for a few attempts', async () => {
    const customers = ['ALDER', 'BIRCH'] as const
    const create = async (customer: string, count: number): Promise<void> => {
      const variants = Array.from({ length: count }, () => ({ article_code: randomUUID() }))
      const body = { name: 'a', variants }
      await site.server.call('/wms/articles/', { method: 'POST', customer, body })
    }
    const webhooks = { ALDER: '', BIRCH: '' }
    for (const customer of customers)
      webhooks[customer] = await site.subscribe('https://hooks.example/', 'variant', 'created', customer)
    for (const [failing, other] of [customers, customers.toReversed()] as const) {
      await site.server.close()
      const rows = new BetterSqlite(site.databaseFile)
      rows
        .prepare(
          `insert into event_portions (customer_id, topic_group, topic_action, created_at, webhook_ids, changes)
           select customer_id, topic_group, topic_action, created_at, json_array(id), '{not json'
           from webhooks where id = ?`,
        )
        .run(webhooks[failing])
      const written = (customer: (typeof customers)[number]): number =>
        Number(
          rows
            .prepare('select count(*) from deliveries where webhook_id = ?')
            .pluck()
            .get(webhooks[customer]),
        )
      const before = { ALDER: written('ALDER'), BIRCH: written('BIRCH') }
      // After a failed attempt to write events, the middleware waits a minute (`portionPauseMs`) before the next
      // attempt. The default time limit of this test is not longer than a minute. So the test fails if the other
      // customer has to wait for that attempt.
      await site.restart({ deliveries: { retryMs: hour, portionPauseMs: 60_000 } })
      await create(failing, 30)
      await create(other, 60)
      while (written(other) < before[other] + 60) await meanwhile()
      expect(written(failing)).toBe(before[failing])
      await site.restart({ deliveries: { retryMs: hour, portionPauseMs: 10 } })
      while (written(failing) < before[failing] + 30) await meanwhile()
      expect(rows.prepare('select * from event_portions').all()).toEqual([])
      rows.close()
    }
  })
})

describe('the webhooks of a customer', () => {
  it('need only one database read for a notification that all of them send', async () => {
    const { behaviour, held, answer } = holding()
    const receiver = await site.listen(behaviour)
    const webhooks = []
    for (let number = 0; number < 5; number += 1) webhooks.push(await site.subscribe(receiver.url()))
    const statements = watchStatements()
    await site.makeOrder()
    await receiver.until(5)
    const reads = statements.texts().filter((text) => /^select (cast\()?"content"/.test(text))
    statements.end()
    expect(reads).toHaveLength(1)
    expect(held).toHaveLength(5)
    expect(new Set(receiver.received.map((each) => each.raw.toString())).size).toBe(1)
    answer()
    for (const webhook of webhooks) await site.settled(webhook, 'delivered', 1)
  })

  it('can have one connection each, and share a limited number of further connections', async () => {
    const limits = { ...usualDeliveryLimits, mostFurtherConnections: 3 }
    await site.restart({ deliveries: { limits, retryMs: hour } })
    const { behaviour, held, answer } = holding()
    const receiver = await site.listen(behaviour)
    const webhooks = [await site.subscribe(receiver.url()), await site.subscribe(receiver.url())]
    for (let order = 0; order < 11; order += 1) await site.makeOrder()
    await receiver.until(2)
    // Accepts one notification of each webhook. Only after a successful delivery does the middleware open further
    // connections for a webhook.
    answer()
    await receiver.until(2 + 5)
    await meanwhile()
    expect(held).toHaveLength(5)
    receiver.behaviour = accept
    answer()
    for (const webhook of webhooks) await site.settled(webhook, 'delivered', 11)
  })

  it('send a notification of 1.8 MB in full', async () => {
    const receiver = await site.listen()
    const webhook = await site.subscribe(receiver.url())
    const variants = Array.from({ length: 100 }, () => ({ article_code: randomUUID() }))
    await site.server.call('/wms/articles/', { method: 'POST', body: { name: 'large', variants } })
    const description = 'é'.repeat(9000)
    const order_lines = variants.map((variant) => ({ ...variant, quantity: 1, description }))
    const body = newOrder({ external_reference: 'LARGE', order_lines })
    expect((await site.server.call('/wms/orders/', { method: 'POST', body })).status).toBe(201)
    const [received] = await receiver.until(1)
    expect(received?.raw.length).toBeGreaterThan(1_800_000)
    if (received !== undefined)
      expect(readSigned(received, hashSecret).body?.['order_lines']).toHaveLength(100)
    await site.settled(webhook, 'delivered', 1)
  })

  it('let the server close while notifications wait for memory, and send the notifications after the restart', async () => {
    const limits = { ...usualDeliveryLimits, mostBytesOfCustomer: 1 }
    await site.restart({ deliveries: { limits, retryMs: hour } })
    const { behaviour } = holding()
    const receiver = await site.listen(behaviour)
    const webhooks = [
      await site.subscribe(receiver.url()),
      await site.subscribe(receiver.url(), 'order', 'updated'),
    ]
    await site.changeOrder(await site.makeOrder(), 'waits for memory')
    await receiver.until(1)
    await meanwhile()
    expect(receiver.received).toHaveLength(1)
    receiver.behaviour = accept
    await site.restart({ deliveries: { limits, retryMs: hour } })
    for (const webhook of webhooks) await site.settled(webhook, 'delivered', 1)
  })
})

describe('a replay of webhook deliveries', () => {
  /** Creates a webhook with one delivery and copies of it. Its receiver does not respond to a replay. */
  async function withDeliveries(copies: number): Promise<string> {
    const { behaviour } = holding()
    const receiver = await site.listen()
    const webhook = await site.subscribe(receiver.url(), 'order', 'updated')
    await site.changeOrder(await site.makeOrder(), 'note 0')
    await site.settled(webhook, 'delivered', 1)
    receiver.behaviour = behaviour
    copyDelivery(copies)
    return webhook
  }

  it('is refused with 429 while deliveries of an earlier replay of the webhook have not been attempted', async () => {
    const receiver = await site.listen()
    const webhook = await site.subscribe(receiver.url(), 'order', 'updated')
    const order = await site.makeOrder()
    for (const note of ['1', '2']) await site.changeOrder(order, note)
    await site.settled(webhook, 'delivered', 2)
    const { behaviour, answer } = holding()
    receiver.behaviour = behaviour
    expect(await replay(webhook)).toMatchObject({ status: 200, body: { replayed: 2, next_since: null } })
    await receiver.until(3)
    const refused = await replay(webhook)
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 429, message: expect.stringContaining('are still waiting') as unknown },
    })
    expect(refused.headers.get('retry-after')).toBe('10')
    expect((await replay(await site.subscribe(receiver.url()))).status).toBe(200)
    receiver.behaviour = accept
    answer()
    await site.settled(webhook, 'delivered', 2)
    expect((await replay(webhook)).body).toMatchObject({ replayed: 2 })
    await site.settled(webhook, 'delivered', 2)
    expect(receiver.received).toHaveLength(6)
  })

  it('marks 250 deliveries per transaction, lets the event loop run between transactions, and returns the total', async () => {
    const webhook = await withDeliveries(999)
    const rows = new BetterSqlite(site.databaseFile)
    rows.exec(`update deliveries set state = 'delivered', attempts = 8;
      insert into delivery_attempts (delivery_id, started_at, duration_ms, status)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 28)
        select deliveries.id, created_at, 5, 200 from deliveries, numbers`)
    const marked = rows.prepare<[], number>("select count(*) from deliveries where state = 'pending'").pluck()
    const replayed = replay(webhook)
    const counts = [0]
    while (counts.at(-1) !== 1000) {
      await new Promise((resolve) => setImmediate(resolve))
      counts.push(marked.get() ?? Number.NaN)
    }
    expect(await replayed).toMatchObject({ status: 200, body: { replayed: 1000, next_since: null } })
    expect(new Set(counts)).toEqual(new Set([0, 250, 500, 750, 1000]))
    const kept = rows.prepare('select distinct count(*) from delivery_attempts group by delivery_id').pluck()
    expect(kept.all()).toEqual([20])
    rows.close()
  })

  it('continues at its `next_since` within a second that has more than 10,000 deliveries', async () => {
    const webhook = await withDeliveries(10_010)
    const rows = new BetterSqlite(site.databaseFile)
    rows.exec(`update deliveries set state = 'delivered', created_at = '2026-06-01T12:00:00.100Z';
      update deliveries set created_at = '2026-06-01T12:00:00.900Z'
        where id in (select id from deliveries order by id desc limit 50)`)
    const next = '2026-06-01T12:00:00.900Z'
    expect((await replay(webhook)).body).toEqual({ replayed: 10_000, next_since: next })
    rows.exec("update deliveries set state = 'delivered'")
    rows.close()
    expect((await replay(webhook, next)).body).toEqual({ replayed: 50, next_since: null })
  })

  it('is accepted after an hour even if a delivery of the earlier replay has not been attempted', async () => {
    let now = Date.parse('2026-06-01T12:00:00Z')
    const clock = { now: () => now, ticks: () => performance.now() }
    await site.restart({ clock, deliveries: { retryMs: 10 * hour } })
    const receiver = await site.listen()
    const webhook = await site.subscribe(receiver.url(), 'order', 'updated')
    const order = await site.makeOrder()
    for (const note of ['1', '2']) await site.changeOrder(order, note)
    await site.settled(webhook, 'delivered', 2)
    receiver.behaviour = refuseWith(500)
    expect((await replay(webhook)).status).toBe(200)
    await receiver.until(3)
    await expect
      .poll(async () => (await site.deliveries(webhook)).map(({ attempts }) => attempts))
      .toEqual([1, 0])
    // The second delivery waits for the first, because both have the same resource.
    expect((await replay(webhook)).status).toBe(429)
    now += hour
    await site.server.logIn('everything', true)
    expect((await replay(webhook)).body).toMatchObject({ replayed: 2 })
  })
})

describe('a webhook that is deleted', () => {
  it('disappears at once and gets no more notifications, while its deliveries are deleted in portions', async () => {
    await site.restart({ deliveries: { retryMs: hour, timeoutMs: 60_000 } })
    const { behaviour, answer } = holding()
    const receiver = await site.listen(behaviour)
    const webhook = await site.subscribe(receiver.url(), 'order', 'updated')
    const order = await site.makeOrder()
    await site.changeOrder(order, 'note 0')
    await receiver.until(1)
    copyDelivery(999)
    const other = await site.subscribe(receiver.url(), 'order', 'created')
    const rows = new BetterSqlite(site.databaseFile)
    rows.exec(`create trigger stop before delete on deliveries
      when (select count(*) from deliveries where webhook_id = old.webhook_id) < 400
      begin select raise(abort, 'stopped'); end`)
    const left = rows
      .prepare<[string], number>('select count(*) from deliveries where webhook_id = ?')
      .pluck()
    const counts = [1000]
    const watch = async (isOver: () => boolean): Promise<void> => {
      while (!isOver()) {
        counts.push(left.get(webhook) ?? Number.NaN)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const path = `/webhooks/${webhook}/`
    const asked = site.server.call(path, { method: 'DELETE' })
    await watch(() => site.server.logLines.some((line) => line.includes('deferred work failed')))
    expect(await asked).toMatchObject({ status: 204, body: '' })
    expect(left.get(webhook)).toBe(500)
    for (const [method, below] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', 'deliveries/'],
      ['POST', 'replay'],
    ] as const)
      expect(
        (
          await site.server.call(path + below, {
            method,
            ...(method === 'POST' && { body: { since: '2020-01-01T00:00:00Z' } }),
          })
        ).status,
      ).toBe(404)
    expect((await site.server.call('/webhooks/')).body).toMatchObject({ count: 1, results: [{ id: other }] })
    receiver.behaviour = accept
    answer()
    await site.changeOrder(order, 'after')
    await site.makeOrder()
    await site.settled(other, 'delivered', 1)
    rows.exec('drop trigger stop')
    const restarted = site.restart()
    await watch(() => left.get(webhook) === 0)
    await restarted
    await expect.poll(() => rows.prepare('select id from webhooks').pluck().all()).toEqual([other])
    const steps = counts.slice(1).map((count, at) => (counts[at] ?? count) - count)
    expect(Math.max(...steps)).toBe(250)
    expect(receiver.received).toHaveLength(2)
    rows.close()
  })
})

describe('a webhook whose group of resources and URL were changed', () => {
  it('sends no notification about a resource of the earlier group (here an order) to its new URL, even in a replay', async () => {
    await site.restart({ deliveries: { retryMs: hour } })
    const earlier = await site.listen(refuseWith(500))
    const later = await site.listen()
    const webhook = await site.subscribe(earlier.url())
    await site.makeOrder()
    await expect.poll(async () => (await site.deliveries(webhook))[0]?.attempts).toBe(1)
    const body = { url: later.url(), group: 'inbound', action: 'created' }
    expect((await site.server.call(`/webhooks/${webhook}/`, { method: 'PATCH', body })).status).toBe(200)
    const since = { since: '2026-01-01T00:00:00Z' }
    await site.server.call(`/webhooks/${webhook}/replay`, { method: 'POST', body: since })
    const [delivery] = await site.settled(webhook, 'given_up', 1)
    expect(delivery?.log.at(-1)).toMatchObject({ status: null, failure: 'other_group' })
    expect(later.received).toEqual([])
  })
})

describe('deliveries that wait for an earlier delivery of the same resource', () => {
  it('keep the planned time of their retry if the clock of another process is fifteen minutes behind', async () => {
    await site.restart({ deliveries: { retryMs: hour } })
    const receiver = await site.listen(refuseWith(500))
    const webhook = await site.subscribe(receiver.url())
    await site.makeOrder()
    await expect.poll(async () => (await site.deliveries(webhook))[0]?.attempts).toBe(1)
    receiver.behaviour = accept
    const clock = { ...systemClock, now: () => Date.now() - hour / 4 }
    await site.restart({ clock, deliveries: { retryMs: hour, lookOverMs: 20 } })
    await site.makeOrder()
    // The clock of the restarted process is behind, so the second order has an earlier time than the first order.
    await expect
      .poll(async () => (await site.deliveries(webhook)).map(({ state, attempts }) => [state, attempts]))
      .toEqual([
        ['delivered', 1],
        ['pending', 1],
      ])
  })

  it('are sent after the clock was set back, even if it was ahead when the retry of the earlier delivery was planned', async () => {
    let aheadMs = 24 * hour
    const clock = { ...systemClock, now: () => Date.now() + aheadMs }
    await site.restart({ clock, deliveries: { retryMs: hour, lookOverMs: 20 } })
    const receiver = await site.listen(refuseWith(500))
    const webhook = await site.subscribe(receiver.url(), 'order', 'updated')
    const order = await site.makeOrder()
    await site.changeOrder(order, '1')
    await receiver.until(1)
    await expect.poll(async () => (await site.deliveries(webhook))[0]?.attempts).toBeGreaterThan(0)
    aheadMs = 0
    await site.restart({ clock, deliveries: { retryMs: hour, lookOverMs: 20 } })
    receiver.behaviour = accept
    await site.changeOrder(order, '2')
    await site.settled(webhook, 'delivered', 2)
    const told = receiver.received.map((each) => readSigned(each, hashSecret).body?.['customer_note'])
    expect(told.slice(-2)).toEqual(['1', '2'])
  })

  it('are sent after the earlier delivery was deleted', async () => {
    await site.restart({ deliveries: { retryMs: hour, lookOverMs: 20 } })
    const receiver = await site.listen(refuseWith(500))
    const webhook = await site.subscribe(receiver.url(), 'order', 'updated')
    const order = await site.makeOrder()
    for (const note of ['1', '2']) await site.changeOrder(order, note)
    await expect
      .poll(async () => (await site.deliveries(webhook)).map(({ attempts }) => attempts))
      .toEqual([1, 0])
    receiver.behaviour = accept
    const database = new BetterSqlite(site.databaseFile)
    const [first] = z
      .array(z.object({ id: z.string() }))
      .parse(database.prepare('select id from events order by rowid').all())
    database.prepare('delete from events where id = ?').run(first?.id)
    database.close()
    await site.settled(webhook, 'delivered', 1)
    const told = receiver.received.map((each) => readSigned(each, hashSecret).body?.['customer_note'])
    expect(told).toEqual(['1', '2'])
  })

  it('are sent in order, even if hundreds of deliveries wait, and do not delay deliveries of other resources', async () => {
    await site.restart({ deliveries: { retryMs: hour, timeoutMs: 60_000 } })
    const { behaviour, answer } = holding()
    const receiver = await site.listen(behaviour)
    const webhook = await site.subscribe(receiver.url(), 'order', 'updated')
    const [order, other] = [await site.makeOrder(), await site.makeOrder()]
    await site.changeOrder(order, 'note 0')
    await receiver.until(1)
    // There are more deliveries than one query returns.
    copyDelivery(299)
    await site.changeOrder(other, 'other')
    receiver.behaviour = accept
    answer()
    await receiver.until(301)
    const told = receiver.received.map((each) => readSigned(each, hashSecret).body?.['customer_note'])
    const notes = Array.from({ length: 300 }, (_, note) => `note ${note}`)
    expect(told.filter((note) => note !== 'other')).toEqual(notes)
    expect(told.indexOf('other')).toBeLessThan(300)
    await expect.poll(async () => (await site.deliveries(webhook, '&state=pending')).length).toBe(0)
  })
})

/** Inserts this number of deliveries after the only delivery, as if its resource had changed repeatedly. */
function copyDelivery(count: number): void {
  const database = new BetterSqlite(site.databaseFile)
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})`
  database.exec(`
    ${numbers} insert into events (id, customer_id, topic_group, topic_action, entity_id, content, created_at, deliveries)
      select id || '-' || n, customer_id, topic_group, topic_action, entity_id,
        replace(content, 'note 0', 'note ' || n), created_at, 1 from events, numbers order by n;
    ${numbers} insert into deliveries (webhook_id, event_id, entity_id, state, attempts, created_at)
      select webhook_id, event_id || '-' || n, entity_id, 'pending', 0, created_at from deliveries, numbers order by n;
  `)
  database.close()
}
