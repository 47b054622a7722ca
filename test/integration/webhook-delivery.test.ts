import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { systemClock } from '#kit/clock.ts'
import { type MiddlewareOptions, tellInTransaction } from '#middleware/app.ts'
import { type ServiceContext, transact } from '#middleware/services/context.ts'
import { webhookGroups, webhookTopics } from '#shared/domain/webhook-topics.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallId, smallIds } from '#support/small-world.ts'
import { accept, readSigned, refuseWith } from '#support/webhook-receiver.ts'
import { hashSecret, WebhookSite } from '#support/webhook-site.ts'

let site: WebhookSite
beforeEach(async () => {
  site = await WebhookSite.open()
})
afterEach(() => site.close())

describe('a webhook notification', () => {
  it('is signed, names its topic and event, and contains the resource as its GET returns it', async () => {
    const receiver = await site.listen()
    const webhook = await site.subscribe(receiver.url('/orders?from=desk'))
    const order = await site.makeOrder()
    const [received] = await receiver.until(1)
    if (received === undefined) throw new Error('nothing arrived')
    const { host } = new URL(receiver.url())
    expect(received.path).toBe('/orders?from=desk')
    expect(received.headers).toMatchObject({
      host,
      'content-type': 'application/json',
      'x-webhook-topic': 'order/created',
    })
    const { body, ...rest } = readSigned(received, hashSecret)
    expect(rest).toEqual({
      group: 'order',
      action: 'created',
      entity: 'order',
      customer: smallIds.alder,
      entityId: order,
    })
    expect(body).toMatchObject({ id: order, order_lines: [{}] })
    expect(await site.settled(webhook, 'delivered', 1)).toMatchObject([
      {
        event_id: received.headers['x-webhook-id'],
        entity_id: order,
        topic: 'order/created',
        attempts: 1,
        next_at: null,
        log: [{ status: 200, failure: null }],
      },
    ])
  })

  it('is sent for every topic', async () => {
    let context: Omit<ServiceContext, 'tell'> | undefined
    await site.restart({
      tellBy: (given) => {
        context = given
        return tellInTransaction(given)
      },
    })
    if (context === undefined) throw new Error('no context')
    const services = { ...context, tell: tellInTransaction(context) }
    const receiver = await site.listen()
    const topics = webhookGroups.flatMap((group) => webhookTopics[group].map((action) => ({ group, action })))
    expect(topics).toHaveLength(22)
    for (const { group, action } of topics)
      await site.subscribe(receiver.url(`/${group}/${action}`), group, action)
    await transact(services, (unit) => {
      const subject = { customerId: smallIds.alder, id: smallId(999) }
      for (const { group, action } of topics) {
        if (action === 'deleted')
          unit.deleted(group === 'article' ? group : 'variant', subject, { id: subject.id })
        else unit.changed(group, action, subject)
      }
      return Promise.resolve()
    })
    const received = await receiver.until(22)
    expect(received.map(({ headers }) => `/${String(headers['x-webhook-topic'])}`).toSorted()).toEqual(
      received.map(({ path }) => path).toSorted(),
    )
    expect(new Set(received.map(({ path }) => path)).size).toBe(22)
  })

  it('is sent when a client creates or changes a resource of any kind', async () => {
    const receiver = await site.listen()
    for (const group of webhookGroups)
      for (const action of webhookTopics[group]) await site.subscribe(receiver.url(), group, action)
    const call = async (method: string, path: string, body: unknown): Promise<string> => {
      const reply = await site.server.call(path, { method, body })
      expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300)
      return z.object({ id: z.string() }).parse(reply.body).id
    }
    const article = await call('POST', '/wms/articles/', { name: 'Mug', variants: [{ article_code: 'M-1' }] })
    await call('PATCH', `/wms/articles/${article}/`, { name: 'Large mug' })
    const variant = await call('POST', '/wms/variants/', { name: 'Large mug', article_code: 'M-2', article })
    await call('PATCH', `/wms/variants/${variant}/`, { name: 'Small mug' })
    const inbound = await call('POST', '/wms/inbounds/', {
      external_reference: 'PO-900',
      inbound_date: '2026-06-20',
      inbound_lines: [{ article_code: 'A-1', quantity: 5, packing_slip: 6 }],
    })
    await call('PATCH', `/wms/inbounds/${inbound}/`, { note: 'fragile' })
    await call('POST', '/wms/modifications/', {
      reason: 'LOST',
      note: 'not found',
      modification_lines: [{ variant: smallGoods.shirtRed, location: smallGoods.shelf, quantity: -1 }],
    })
    await site.changeOrder(await site.makeOrder(), 'ring twice')
    await call('POST', '/wms/return-labels/', { shipment_id: smallIds.shipments[0] })
    const told = (): Set<unknown> =>
      new Set(receiver.received.map(({ headers }) => headers['x-webhook-topic']))
    // The list contains no topic of an event that only the warehouse causes.
    await receiver.untilTrue(() => told().size >= 11)
    expect([...told()].toSorted()).toEqual([
      'article/created',
      'article/updated',
      'inbound/created',
      'inbound/updated',
      'modification/created',
      'order/created',
      'order/updated',
      'shipment/updated',
      'stock/updated',
      'variant/created',
      'variant/updated',
    ])
    for (const received of receiver.received) {
      const { body, entityId, group } = readSigned(received, hashSecret)
      expect(body, group).toMatchObject({ id: entityId })
    }
  })

  it('is sent repeatedly with the same id until the receiver accepts it', async () => {
    const receiver = await site.listen((response, received) => {
      const isFirst = receiver.received.filter(({ raw }) => raw.equals(received.raw)).length < 3
      refuseWith(isFirst ? 500 : 204)(response, received)
    })
    const webhook = await site.subscribe(receiver.url())
    await site.makeOrder()
    const received = await receiver.until(3)
    expect(new Set(received.map(({ headers }) => headers['x-webhook-id'])).size).toBe(1)
    const [delivery] = await site.settled(webhook, 'delivered', 1)
    expect(delivery?.attempts).toBe(3)
    expect(delivery?.log.map(({ status }) => status)).toEqual([500, 500, 204])
  })

  it('is dropped after ten retries, and no longer delays later notifications', async () => {
    const receiver = await site.listen(refuseWith(503))
    const webhook = await site.subscribe(receiver.url(), 'order', 'updated')
    const order = await site.makeOrder()
    await site.changeOrder(order, 'one')
    await receiver.until(10)
    await site.changeOrder(order, 'two')
    await receiver.until(11)
    receiver.behaviour = accept
    await receiver.until(12)
    const notes = receiver.received.map((each) => readSigned(each, hashSecret).body?.['customer_note'])
    expect(notes).toEqual([...Array.from({ length: 11 }, () => 'one'), 'two'])
    const states = (await site.deliveries(webhook)).map(({ state, attempts }) => ({ state, attempts }))
    expect(states[0]).toEqual({ state: 'given_up', attempts: 11 })
  })

  it('is sent only after the notifications of earlier changes of its resource, even if some attempts fail', async () => {
    let count = 0
    const receiver = await site.listen((response, received) => {
      refuseWith((count += 1) % 3 === 0 ? 500 : 200)(response, received)
    })
    const webhook = await site.subscribe(receiver.url(), 'order', 'updated')
    const changed = [await site.makeOrder(), await site.makeOrder(), await site.makeOrder()]
    const notes = ['1', '2', '3', '4', '5']
    for (const note of notes) for (const order of changed) await site.changeOrder(order, note)
    await site.settled(webhook, 'delivered', changed.length * notes.length)
    for (const order of changed) {
      const own = receiver.received
        .map((each) => readSigned(each, hashSecret))
        .filter(({ entityId }) => entityId === order)
      const told = own.map(({ body }) => String(body?.['customer_note']))
      expect([...new Set(told)]).toEqual(notes)
      expect(told).toEqual(told.toSorted())
    }
  })

  it('is sent in parallel with at most seven other notifications, but alone until the receiver has accepted a notification', async () => {
    const open: (() => void)[] = []
    let most = 0
    const receiver = await site.listen((response) => {
      open.push(() => void response.end())
      most = Math.max(most, open.length)
    })
    const webhook = await site.subscribe(receiver.url())
    for (let order = 0; order < 20; order += 1) await site.makeOrder()
    await receiver.until(1)
    expect(most).toBe(1)
    open.pop()?.()
    await receiver.until(9)
    receiver.behaviour = accept
    for (const end of open) end()
    await site.settled(webhook, 'delivered', 20)
    expect(most).toBe(8)
  })

  it('is not delayed if the receiver of another webhook never responds', async () => {
    const silent = await site.listen(() => undefined)
    const fast = await site.listen()
    await site.subscribe(silent.url())
    const webhook = await site.subscribe(fast.url())
    for (let order = 0; order < 30; order += 1) await site.makeOrder()
    await silent.until(1)
    await site.settled(webhook, 'delivered', 30)
    // Deliveries are sent one at a time until the first is accepted.
    expect(silent.received).toHaveLength(1)
  })

  it('is sent after a restart of the server if the receiver had not accepted it before', async () => {
    const receiver = await site.listen(() => undefined)
    const webhook = await site.subscribe(receiver.url())
    const order = await site.makeOrder()
    const [first] = await receiver.until(1)
    const other = await site.makeOrder()
    receiver.behaviour = accept
    await site.restart()
    await site.settled(webhook, 'delivered', 2)
    const again = receiver.received.slice(1)
    expect(again.map((each) => readSigned(each, hashSecret).entityId).toSorted()).toEqual(
      [order, other].toSorted(),
    )
    expect(again.map(({ headers }) => headers['x-webhook-id'])).toContain(first?.headers['x-webhook-id'])
  })
})

describe('the deliveries of a webhook', () => {
  it('can be filtered by state, and neither their list nor the log contains the secret of the webhook or the path of its URL', async () => {
    const receiver = await site.listen((response, received) => {
      refuseWith(receiver.received.length === 1 ? 200 : 500)(response, received)
    })
    await site.restart({ deliveries: { retryMs: 3_600_000 } })
    const webhook = await site.subscribe(receiver.url('/with-a-token'))
    const first = await site.makeOrder()
    await site.settled(webhook, 'delivered', 1)
    const second = await site.makeOrder()
    await receiver.until(2)
    for (;;) {
      const [waiting] = await site.deliveries(webhook, '&state=pending')
      if (waiting?.next_at != null) break
    }
    expect(await site.deliveries(webhook, '&state=delivered')).toMatchObject([{ entity_id: first }])
    expect(await site.deliveries(webhook, '&state=pending')).toMatchObject([
      { entity_id: second, attempts: 1 },
    ])
    expect(await site.deliveries(webhook, '&state=given_up')).toEqual([])
    const reply = await site.server.call(`/webhooks/${webhook}/deliveries/?limit=1`)
    expect(reply.body).toMatchObject({ count: 2, next: expect.stringContaining('page=2') as unknown })
    const said = JSON.stringify(reply.body) + site.server.logLines.join('')
    expect(said).not.toContain(hashSecret)
    expect(said).not.toContain('with-a-token')
    expect((await site.server.call(`/webhooks/${webhook}/deliveries/?state=lost`)).status).toBe(400)
    expect((await site.server.call(`/webhooks/${webhook}/deliveries/`, { customer: 'BIRCH' })).status).toBe(
      404,
    )
  })

  it('can be repeated one at a time, or all since a given time in their original order', async () => {
    const receiver = await site.listen()
    const webhook = await site.subscribe(receiver.url(), 'order', 'updated')
    const order = await site.makeOrder()
    for (const note of ['1', '2', '3']) await site.changeOrder(order, note)
    const [one, two] = await site.settled(webhook, 'delivered', 3)
    const path = `/webhooks/${webhook}/deliveries/${one?.id}/replay`
    expect(await site.server.call(path, { method: 'POST' })).toMatchObject({
      status: 200,
      body: { state: 'pending', attempts: 0, log: [{ status: 200 }] },
    })
    await receiver.until(4)
    const [again] = await site.settled(webhook, 'delivered', 3)
    expect(again).toMatchObject({
      event_id: one?.event_id,
      attempts: 1,
      log: [{ status: 200 }, { status: 200 }],
    })
    const since = { since: z.string().parse(two?.created_at) }
    const reply = await site.server.call(`/webhooks/${webhook}/replay`, { method: 'POST', body: since })
    expect(reply.status).toBe(200)
    const { replayed } = z.object({ replayed: z.number() }).parse(reply.body)
    expect(replayed).toBeGreaterThanOrEqual(2)
    await receiver.until(4 + replayed)
    const told = receiver.received.map((each) => readSigned(each, hashSecret).body?.['customer_note'])
    expect(told).toEqual(['1', '2', '3', '1', ...['1', '2', '3'].slice(3 - replayed)])
  })

  it('are sent again at once if a client requests their repetition during an attempt that then fails', async () => {
    await site.restart({ deliveries: { retryMs: 3_600_000 } })
    const receiver = await site.listen(refuseWith(500))
    const webhook = await site.subscribe(receiver.url())
    await site.makeOrder()
    await receiver.until(1)
    const replay = async (): Promise<void> => {
      const [delivery] = await site.deliveries(webhook)
      const path = `/webhooks/${webhook}/deliveries/${delivery?.id}/replay`
      expect((await site.server.call(path, { method: 'POST' })).status).toBe(200)
    }
    while ((await site.deliveries(webhook))[0]?.attempts !== 1) await sleep(10)
    let end = (): void => {}
    receiver.behaviour = (response, received) => {
      end = () => refuseWith(500)(response, received)
    }
    await replay()
    await receiver.until(2)
    await replay()
    receiver.behaviour = accept
    end()
    const [delivery] = await site.settled(webhook, 'delivered', 1)
    expect(delivery).toMatchObject({ attempts: 1, log: [{ status: 500 }, { status: 500 }, { status: 200 }] })
  })

  it('are not repeated if the request names an unknown delivery, a delivery of another webhook or an invalid time, or comes from another customer', async () => {
    const receiver = await site.listen()
    const [webhook, other] = [await site.subscribe(receiver.url()), await site.subscribe(receiver.url())]
    await site.makeOrder()
    const [delivery] = await site.settled(webhook, 'delivered', 1)
    const post = async (path: string, body?: unknown, customer = 'ALDER'): Promise<number> =>
      (await site.server.call(path, { method: 'POST', customer, ...(body !== undefined && { body }) })).status
    expect(await post(`/webhooks/${other}/deliveries/${delivery?.id}/replay`)).toBe(404)
    expect(await post(`/webhooks/${webhook}/deliveries/999/replay`)).toBe(404)
    expect(await post(`/webhooks/${webhook}/deliveries/x/replay`)).toBe(404)
    expect(await post(`/webhooks/${webhook}/deliveries/${delivery?.id}/replay`, undefined, 'BIRCH')).toBe(404)
    expect(await post(`/webhooks/${webhook}/replay`, { since: '2026-01-01T00:00:00Z' }, 'BIRCH')).toBe(404)
    for (const since of ['2026-01-01', '2026-01-01T00:00:00+02:00', '2026-01-01T00:00:00-0530']) {
      expect([since, await post(`/webhooks/${webhook}/replay`, { since })]).toEqual([since, 200])
      // A further replay is refused until the deliveries of this replay were attempted.
      await site.settled(webhook, 'delivered', 1)
    }
    for (const since of [
      'yesterday',
      '2026-02-30',
      '2026-01-01T00:00:00',
      '2026-01-01T00:00:00+2500',
      null,
      5,
    ])
      expect(await post(`/webhooks/${webhook}/replay`, { since })).toBe(400)
  })

  it('are deleted after thirty days', async () => {
    const receiver = await site.listen()
    const webhook = await site.subscribe(receiver.url())
    await site.makeOrder()
    await site.settled(webhook, 'delivered', 1)
    const days = (count: number): Partial<MiddlewareOptions> => ({
      clock: { ...systemClock, now: () => Date.now() + count * 24 * 3_600_000 },
    })
    await site.restart(days(29))
    expect(await site.deliveries(webhook)).toHaveLength(1)
    await site.restart(days(31))
    await site.settled(webhook, 'delivered', 0)
  })
})
