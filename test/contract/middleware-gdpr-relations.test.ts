import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ReturnLabelResult } from '#middleware/warehouse/carriers/carrier.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newAddress, newOrder } from '#support/order-payloads.ts'
import { smallGoods } from '#support/small-goods.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'
import { connectWarehouse } from '#support/warehouse-client.ts'
import { openBeside } from '#support/test-database.ts'

/**
 * These tests are about the relation between an order and its shipments and labels. The redaction of a person and the
 * documents of a shipment depend on this relation.
 */

const kim = 'kim@example.org'
const lee = 'lee@example.org'
const over = '-redacted-'
const one = z.object({ id: z.string() }).loose()
const drawn = { pdf: Buffer.from('%PDF-1.4'), labelCode: 'L', trackingCode: 'T', trackingUrl: 'https://t' }

let server: TestServer
beforeEach(async () => {
  server = await startTestServer()
})
afterEach(() => server.close())

async function post(path: string, body: unknown): Promise<string> {
  return one.parse((await server.call(path, { method: 'POST', body })).body).id
}

function orderOf(person: string, email: string, rest: Record<string, unknown> = {}): Promise<string> {
  return post(
    '/wms/orders/',
    newOrder({
      external_reference: 'SHOP-1',
      shipping_contactperson: person,
      shipping_email: email,
      shipping_address: newAddress({ addressed_to: person }),
      documents: [{ title: `${person}.pdf`, file: Buffer.from('%PDF-1.4').toString('base64') }],
      ...rest,
    }),
  )
}

async function rename(order: string, reference: string): Promise<void> {
  const call = { method: 'PATCH', body: { external_reference: reference } }
  expect((await server.call(`/wms/orders/${order}/`, call)).status).toBe(200)
}

const redact = (email: string): Promise<Reply> =>
  server.call('/wms/gdpr/redact-person-data/', { method: 'POST', body: { email } })

async function addressee(path: string): Promise<unknown> {
  const { body } = await server.call(path, { expand: 'shipping_address' })
  return z.object({ shipping_address: z.object({ addressed_to: z.string() }) }).parse(body).shipping_address
    .addressed_to
}

async function titlesOf(shipment: string): Promise<string[]> {
  const { body } = await server.call(`/wms/shipments/${shipment}/`, { expand: 'documents' })
  return z
    .object({ documents: z.array(z.object({ title: z.string() })) })
    .parse(body)
    .documents.map(({ title }) => title)
}

/** Ships one of the two pieces of an order, and moves the order to a status in which it can be changed again. */
async function shipPart(order: string): Promise<string> {
  const { url } = server
  const login = { url, wms: 'DEV', username: 'warehouse', password: 'warehouse-secret-word' }
  const warehouse = await connectWarehouse(login)
  const move = async (status: string): Promise<void> => {
    const call = { method: 'PUT', body: { status } } as const
    expect((await warehouse.command(`/warehouse/orders/${order}/status`, call)).status).toBeLessThan(300)
  }
  for (const status of ['plannable', 'planned', 'processing']) await move(status)
  const lines = [{ variant: smallGoods.shirtRed, quantity: 1, serial_numbers: ['S-9'] }]
  const shipped = await warehouse.command(`/warehouse/orders/${order}/shipments/`, {
    method: 'POST',
    body: { lines, shipping_method: smallIds.express },
  })
  for (const status of ['restock', 'problem']) await move(status)
  return one.parse(shipped.body).id
}

describe('an order whose external reference was changed', () => {
  it('is redacted with its shipments and their labels', async () => {
    const order = await orderOf('Kim de Wit', kim)
    const shipment = await shipPart(order)
    const label = await post('/wms/return-labels/', { shipment_id: shipment })
    await rename(order, 'SHOP-1-B')
    await redact(kim)
    await expect.poll(() => addressee(`/wms/orders/${order}/`)).toBe(over)
    await expect.poll(() => addressee(`/wms/shipments/${shipment}/`)).toBe(over)
    const { body } = await server.call(`/wms/return-labels/${label}/`)
    expect(body).toMatchObject({ sender_address: { addressed_to: over } })
  })

  it('keeps its data and the data of its shipments if a newer order with the old reference is redacted', async () => {
    const order = await orderOf('Kim de Wit', kim)
    const shipment = await shipPart(order)
    await rename(order, 'SHOP-1-B')
    const next = await orderOf('Lee Other', lee)
    await redact(lee)
    await expect.poll(() => addressee(`/wms/orders/${next}/`)).toBe(over)
    await redact('nobody@example.org')
    expect(await addressee(`/wms/shipments/${shipment}/`)).toBe('Kim de Wit')
    expect(await addressee(`/wms/orders/${order}/`)).toBe('Kim de Wit')
    expect(await titlesOf(shipment)).toEqual(['Kim de Wit.pdf'])
  })

  it('is redacted with its shipments even if these were stored without the id of the order', async () => {
    const world = makeSmallWorld()
    const [seeded = ''] = smallIds.shipments
    const shipments = world.shipments.map((shipment) => ({
      ...shipment,
      shippingAddress: { ...shipment.shippingAddress, emailAddress: null },
    }))
    await server.close()
    server = await startTestServer({ world: { ...world, shipments } })
    const order = await orderOf('Kim de Wit', kim, { external_reference: 'WEB-1' })
    await rename(order, 'WEB-1-B')
    const next = await orderOf('Lee Other', lee, { external_reference: 'WEB-1' })
    expect(await titlesOf(seeded)).toEqual(['Kim de Wit.pdf'])
    await redact(lee)
    await expect.poll(() => addressee(`/wms/orders/${next}/`)).toBe(over)
    expect(await addressee(`/wms/shipments/${seeded}/`)).toBe('Buyer 1')
    await redact(kim)
    await expect.poll(() => addressee(`/wms/shipments/${seeded}/`)).toBe(over)
  })

  it('is redacted with all its shipments even if only one of them has the e-mail address of the person', async () => {
    const world = makeSmallWorld()
    const [seeded = ''] = smallIds.shipments
    const seededOnly = world.shipments.map((shipment) => ({
      ...shipment,
      orderExternalReference: 'SHOP-1',
      shippingAddress: { ...shipment.shippingAddress, emailAddress: kim },
    }))
    await server.close()
    server = await startTestServer({ world: { ...world, shipments: seededOnly.slice(0, 1) } })
    const order = await orderOf('Kim de Wit', kim, { shipping_email: null })
    const shipment = await shipPart(order)
    await redact(kim)
    await expect.poll(() => addressee(`/wms/shipments/${seeded}/`)).toBe(over)
    expect(await addressee(`/wms/orders/${order}/`)).toBe(over)
    expect(await addressee(`/wms/shipments/${shipment}/`)).toBe(over)
  })
})

async function replacePerson(order: string, person: string, email: string): Promise<void> {
  const body = {
    shipping_contactperson: person,
    shipping_email: email,
    shipping_address: newAddress({ addressed_to: person }),
  }
  expect((await server.call(`/wms/orders/${order}/`, { method: 'PATCH', body })).status).toBe(200)
}

async function sender(label: string): Promise<unknown> {
  const { body } = await server.call(`/wms/return-labels/${label}/`)
  return z.object({ sender_address: z.object({ addressed_to: z.string() }) }).parse(body).sender_address
    .addressed_to
}

describe('a shipment that was created before the addressee of its order was changed', () => {
  it('is redacted, with its return label, if the former addressee is redacted by e-mail address; the order keeps its data', async () => {
    const order = await orderOf('Kim de Wit', kim)
    const shipment = await shipPart(order)
    const label = await post('/wms/return-labels/', { shipment_id: shipment })
    await replacePerson(order, 'Lee Other', lee)
    await redact(kim)
    await expect.poll(() => addressee(`/wms/shipments/${shipment}/`)).toBe(over)
    await expect.poll(() => sender(label)).toBe(over)
    expect(await addressee(`/wms/orders/${order}/`)).toBe('Lee Other')
  })

  it('keeps its data and the data of its return label if the new addressee is redacted', async () => {
    const order = await orderOf('Kim de Wit', kim)
    const shipment = await shipPart(order)
    const label = await post('/wms/return-labels/', { shipment_id: shipment })
    await replacePerson(order, 'Lee Other', lee)
    await redact(lee)
    await expect.poll(() => addressee(`/wms/orders/${order}/`)).toBe(over)
    expect(await addressee(`/wms/shipments/${shipment}/`)).toBe('Kim de Wit')
    expect(await sender(label)).toBe('Kim de Wit')
  })
})

describe('a redaction of the e-mail address of an order', () => {
  it('also overwrites, in its shipment and return label, the name and the stored e-mail address, even if no response contains this address', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'middleware-'))
    const databaseFile = join(folder, 'middleware.db')
    await server.close()
    server = await startTestServer({ databaseFile })
    try {
      const withLee = newAddress({ addressed_to: 'Kim de Wit', email_address: lee })
      const order = await orderOf('Kim de Wit', kim, { shipping_address: withLee })
      const shipment = await shipPart(order)
      const label = await post('/wms/return-labels/', { shipment_id: shipment })
      const expand = 'shipping_address,shipping_method,shipment_lines,return_label'
      const shown = [
        await server.call(`/wms/shipments/${shipment}/`, { expand }),
        await server.call('/wms/shipments/', { expand }),
        await server.call(`/wms/return-labels/${label}/`, { expand: 'shipment' }),
      ]
      expect(JSON.stringify(shown.map(({ body }) => body))).not.toContain(kim)
      await redact(kim)
      await expect.poll(() => addressee(`/wms/shipments/${shipment}/`)).toBe(over)
      await expect.poll(() => sender(label)).toBe(over)
      const beside = await openBeside(databaseFile)
      const { rows } = await sql`select shipping_email as email from shipments where id = ${shipment}
        union all select sender_email from return_labels where id = ${label}`.execute(beside)
      await beside.destroy()
      expect(rows).toEqual([{ email: over }, { email: over }])
    } finally {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
      server = await startTestServer()
    }
  })
})

describe('records that are created while a redaction runs', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'middleware-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  it('are redacted too, at most twenty in one transaction', async () => {
    const [first = '', second = ''] = smallIds.shipments
    const world = makeSmallWorld()
    const emails = new Map([[second, kim]])
    const shipments = world.shipments.map((shipment) => ({
      ...shipment,
      orderExternalReference: 'SHOP-1',
      shippingAddress: { ...shipment.shippingAddress, emailAddress: emails.get(shipment.id) ?? null },
    }))
    const carrier = Promise.withResolvers<ReturnLabelResult>()
    const asked = Promise.withResolvers<undefined>()
    const databaseFile = join(folder, 'middleware.db')
    await server.close()
    server = await startTestServer({
      databaseFile,
      world: { ...world, shipments },
      carrierFor: () => ({
        drawReturnLabel() {
          asked.resolve(undefined)
          return carrier.promise
        },
      }),
    })
    try {
      const order = await orderOf('Kim de Wit', kim)
      const label = await post('/wms/return-labels/', { shipment_id: first })
      const requested = server.call(`/wms/return-labels/${label}/request`, { method: 'POST' })
      await asked.promise
      // the first shipment has no e-mail address, so the redaction overwrites this shipment first, and then waits for
      // the carrier's response for its label
      await redact(kim)
      await expect.poll(() => addressee(`/wms/shipments/${first}/`)).toBe(over)
      // The redaction overwrites the two records that contain the e-mail address (the order and the second shipment)
      // after all others.
      const late = await shipPart(order)
      expect(await addressee(`/wms/shipments/${second}/`)).toBe('Buyer 2')
      for (let count = 0; count < 70; count++) await post('/wms/return-labels/', { shipment_id: second })
      const beside = await openBeside(databaseFile)
      const done = sql<{ count: number }>`select count(*) as count from return_labels
        where cast(sender_address as text) like ${`%${over}%`}`
      carrier.resolve(drawn)
      await requested
      const seen = [0]
      while (seen.at(-1) !== 71) {
        await new Promise((resolve) => setImmediate(resolve))
        seen.push((await done.execute(beside)).rows[0]?.count ?? 0)
      }
      await beside.destroy()
      for (const [at, count] of seen.slice(1).entries())
        expect(count - (seen[at] ?? 0)).toBeLessThanOrEqual(20)
      expect(await addressee(`/wms/shipments/${second}/`)).toBe(over)
      expect(await addressee(`/wms/shipments/${late}/`)).toBe(over)
    } finally {
      carrier.resolve(drawn)
      await server.close()
      server = await startTestServer()
    }
  })

  it('are redacted, but if a client replaces the person of an order during the redaction, the order keeps the data of the new person', async () => {
    const [first = ''] = smallIds.shipments
    const world = makeSmallWorld()
    const shipments = world.shipments.map((shipment) => ({
      ...shipment,
      orderExternalReference: 'SHOP-1',
      shippingAddress: { ...shipment.shippingAddress, emailAddress: null },
    }))
    const carrier = Promise.withResolvers<ReturnLabelResult>()
    const asked = Promise.withResolvers<undefined>()
    await server.close()
    server = await startTestServer({
      world: { ...world, shipments },
      carrierFor: () => ({
        drawReturnLabel() {
          asked.resolve(undefined)
          return carrier.promise
        },
      }),
    })
    const withEmail = newAddress({ addressed_to: 'Kim de Wit', email_address: kim })
    const bearing = await orderOf('Kim de Wit', kim, { shipping_address: withEmail })
    const changed = await orderOf('Kim de Wit', kim, {
      external_reference: 'SHOP-2',
      shipping_address: withEmail,
    })
    const without = await orderOf('Kim de Wit', kim, { external_reference: 'SHOP-3' })
    const label = await post('/wms/return-labels/', { shipment_id: first })
    const requested = server.call(`/wms/return-labels/${label}/request`, { method: 'POST' })
    await asked.promise
    // The redaction overwrites the records without the e-mail address first. Among them is the return label, for which
    // it waits until the carrier has responded. Only after that does it overwrite the records with the e-mail address.
    await redact(kim)
    await expect.poll(() => addressee(`/wms/shipments/${first}/`)).toBe(over)
    const late = await shipPart(changed)
    const patch = async (order: string, body: Record<string, unknown>): Promise<void> => {
      expect((await server.call(`/wms/orders/${order}/`, { method: 'PATCH', body })).status).toBe(200)
    }
    await patch(changed, {
      shipping_contactperson: 'Lee Other',
      shipping_email: lee,
      shipping_address: newAddress({ addressed_to: 'Lee Other', email_address: lee }),
    })
    await patch(without, { shipping_email: null })
    carrier.resolve(drawn)
    await requested
    await expect.poll(() => addressee(`/wms/orders/${bearing}/`)).toBe(over)
    expect(await addressee(`/wms/orders/${without}/`)).toBe(over)
    const { body } = await server.call(`/wms/orders/${changed}/`, { expand: 'shipping_address,documents' })
    expect(body).toMatchObject({
      shipping_contactperson: 'Lee Other',
      shipping_email: lee,
      shipping_address: { addressed_to: 'Lee Other', email_address: lee },
      documents: [{ title: 'Kim de Wit.pdf' }],
    })
    // The last shipment was created before the addressee of the order was changed, so it has the data of the first
    // person.
    expect(await addressee(`/wms/shipments/${late}/`)).toBe(over)
  })

  it('are redacted, including a return label that a client requests while the redaction waits for the PDF of another one', async () => {
    const answers = [0, 1].map(() => Promise.withResolvers<ReturnLabelResult>())
    const asked = [0, 1].map(() => Promise.withResolvers<undefined>())
    let calls = 0
    await server.close()
    server = await startTestServer({
      carrierFor: () => ({
        drawReturnLabel() {
          const at = calls++
          asked[at]?.resolve(undefined)
          return answers[at]?.promise ?? Promise.reject(new Error('no third label'))
        },
      }),
    })
    const [shipment = ''] = smallIds.shipments
    const labels = await Promise.all([0, 1].map(() => post('/wms/return-labels/', { shipment_id: shipment })))
    const request = (at: number): Promise<Reply> =>
      server.call(`/wms/return-labels/${labels[at] ?? ''}/request`, { method: 'POST' })
    const first = request(0)
    await asked[0]?.promise
    server.clock.advance(1000)
    await redact('sam@example.org')
    await expect.poll(() => addressee(`/wms/shipments/${shipment}/`)).toBe(over)
    const second = request(1)
    await asked[1]?.promise
    answers[0]?.resolve(drawn)
    await first
    // While these two calls run, the redaction could overwrite the second label, which the carrier has not drawn yet.
    await server.call('/wms/orders/')
    await server.call('/wms/orders/')
    answers[1]?.resolve(drawn)
    await second
    for (const label of labels)
      await expect
        .poll(async () => (await server.call(`/wms/return-labels/${label}/`)).body)
        .toMatchObject({ url: null, sender_address: { addressed_to: over } })
  })
})
