import { tables } from '#middleware/data/schema/schema.ts'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ReturnLabelResult } from '#middleware/warehouse/carriers/carrier.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newAddress, newOrder } from '#support/order-payloads.ts'
import { smallOrders } from '#support/small-orders.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'
import { failBefore, isOnPostgres, openBeside, queryBeside } from '#support/test-database.ts'

const email = 'kim@example.org'
const over = '-redacted-'
const one = z.object({ id: z.string() }).loose()

let server: TestServer
beforeEach(async () => {
  server = await startTestServer()
})
afterEach(() => server.close())

function ask(what: 'request' | 'redact', body: unknown = { email }, customer = 'ALDER'): Promise<Reply> {
  return server.call(`/wms/gdpr/${what}-person-data/`, { method: 'POST', body, customer })
}

async function order(rest: Record<string, unknown>, customer = 'ALDER'): Promise<string> {
  const lines = [{ article_code: customer === 'ALDER' ? 'A-1' : 'B-1', quantity: 1, description: 'x' }]
  const body = newOrder({ order_lines: lines, ...rest })
  const reply = await server.call('/wms/orders/', { method: 'POST', body, customer })
  return one.parse(reply.body).id
}

async function read(path: string, expand = '', customer = 'ALDER'): Promise<Record<string, unknown>> {
  return z
    .record(z.string(), z.unknown())
    .parse((await server.call(path, { customer, ...(expand && { expand }) })).body)
}

describe('a GDPR request for the data of a person', () => {
  it('returns the same response whether or not the person is known', async () => {
    for (const what of ['request', 'redact'] as const) {
      const known = await ask(what, { email: 'sam@example.org' })
      expect(known).toMatchObject({ status: 200, body: { message: expect.any(String) as unknown } })
      expect((await ask(what)).body).toEqual(known.body)
    }
  })

  it.each([{}, { email: '' }, { email: 'kim' }, { email: null }, { mail: email }])(
    'is refused for the body %j',
    async (body) => {
      for (const what of ['request', 'redact'] as const)
        expect(await ask(what, body)).toMatchObject({
          status: 400,
          body: { errors: { email: [expect.any(String) as unknown] } },
        })
    },
  )

  it('is refused for an e-mail address above the maximum length', async () => {
    const reply = await ask('redact', { email: `${'k'.repeat(60_000)}@example.org` })
    expect(reply).toMatchObject({ status: 400, body: { errors: { email: [expect.any(String) as unknown] } } })
  })

  it('leaves the data unchanged if it asks only for a report', async () => {
    const id = await order({ shipping_email: email })
    await ask('request')
    await server.call('/wms/stock/?limit=1')
    expect(await read(`/wms/orders/${id}/`)).toMatchObject({ shipping_email: email })
  })
})

describe('the redaction of a person', () => {
  it('overwrites only the personal data of an order: contact, e-mail address and the address except its country', async () => {
    const address = newAddress({ email_address: 'Kim@Example.org', state: 'UT', phone_number: '1' })
    const fields = { note: 'n', po_number: 'PO-1', shipping_email: email, shipping_address: address }
    const id = await order(fields)
    const expand = 'shipping_address,order_lines'
    const before = await read(`/wms/orders/${id}/`, expand)
    await ask('redact')
    await expect.poll(() => read(`/wms/orders/${id}/`)).toMatchObject({ shipping_email: over })
    expect(await read(`/wms/orders/${id}/`, expand)).toEqual({
      ...before,
      shipping_email: over,
      shipping_contactperson: over,
      shipping_address: {
        addressed_to: over,
        contact_person: null,
        street: over,
        street2: null,
        street_number: over,
        street_number_addition: null,
        zipcode: over,
        city: over,
        country: 'NL',
        state: over,
        phone_number: over,
        mobile_number: null,
        fax_number: null,
        email_address: over,
        invalid: false,
      },
    })
  })

  it('finds exactly the orders with the e-mail address of the person in the order or in its postal address', async () => {
    const ids = [
      await order({ external_reference: '1', shipping_email: email.toUpperCase() }),
      await order({ external_reference: '2', shipping_address: newAddress({ email_address: email }) }),
      await order({ external_reference: '6', shipping_email: `Kim de Wit <${email}>` }),
      await order({ external_reference: '7', shipping_email: `  <${email.toUpperCase()}> ` }),
      await order({ external_reference: '8', shipping_email: `mailto:${email}` }),
      await order({
        external_reference: '9',
        shipping_address: newAddress({ email_address: `"Wit, Kim (shop)" <${email}>` }),
      }),
      await order({ external_reference: '10', shipping_email: `other@example.org; ${email}` }),
    ]
    const others = [
      await order({ external_reference: '3', shipping_email: `a${email}` }),
      await order({ external_reference: '4', note: email, shipping_email: 'kimXexample.org' }),
      await order({ external_reference: '5', shipping_email: null }),
      await order({ external_reference: '11', shipping_email: 'kim+shop@example.org' }),
      await order({ external_reference: '12', shipping_email: `Kim <${email}.uk>` }),
      await order({ external_reference: '13', shipping_email: `o'${email}` }),
    ]
    const unlike = await Promise.all(others.map((id) => read(`/wms/orders/${id}/`, 'shipping_address')))
    await ask('redact')
    for (const id of ids)
      await expect.poll(() => read(`/wms/orders/${id}/`)).toMatchObject({ shipping_contactperson: over })
    const after = await Promise.all(others.map((id) => read(`/wms/orders/${id}/`, 'shipping_address')))
    expect(after).toEqual(unlike)
  })

  it('overwrites shipments and return labels, and deletes documents that show the person', async () => {
    const [shipment = ''] = smallIds.shipments
    const path = `/wms/shipments/${shipment}/`
    const body = { shipment_id: shipment }
    const label = one.parse((await server.call('/wms/return-labels/', { method: 'POST', body })).body)
    await server.call(`/wms/return-labels/${label.id}/request`, { method: 'POST' })
    const pickup = one.parse((await read(path, 'shipment_document'))['shipment_document'])
    await ask('redact', { email: 'sam@example.org' })
    await expect
      .poll(() => read(path, 'shipping_address'))
      .toMatchObject({
        shipping_address: { addressed_to: over, city: over, country: 'NL', email_address: over },
      })
    expect(await read(`/wms/return-labels/${label.id}/`)).toMatchObject({
      url: null,
      sender_address: { addressed_to: over, street_number: over, country: 'NL' },
      tracking_information: [{ tracking_code: expect.any(String) as unknown }],
    })
    for (const id of [pickup.id, smallOrders.document])
      expect((await server.call(`/wms/documents/${id}/`)).status).toBe(404)
    const shipped = await read(`/wms/orders/${smallOrders.byStatus('shipped')}/`, 'documents')
    expect(shipped).toMatchObject({ shipping_contactperson: over, documents: [] })
    // The document is created again for this read, and contains only the data that was not deleted.
    expect((await read(path, 'shipment_document'))['shipment_document']).not.toMatchObject({ id: pickup.id })
  })

  it('covers shipments and labels without an e-mail address if their order has the e-mail address of the person', async () => {
    const [first = '', second = ''] = smallIds.shipments
    const world = makeSmallWorld()
    const shipments = world.shipments.map((shipment) => ({
      ...shipment,
      orderExternalReference: 'SHOP-1001',
      shippingAddress: {
        ...shipment.shippingAddress,
        emailAddress: shipment.id === second ? 'other@example.org' : null,
      },
    }))
    await server.close()
    server = await startTestServer({ world: { ...world, shipments } })
    const id = await order({ shipping_email: email })
    const body = { shipment_id: first }
    const label = one.parse((await server.call('/wms/return-labels/', { method: 'POST', body })).body)
    await ask('redact')
    await expect.poll(() => read(`/wms/orders/${id}/`)).toMatchObject({ shipping_email: over })
    const addressOf = async (shipment: string): Promise<unknown> =>
      (await read(`/wms/shipments/${shipment}/`, 'shipping_address'))['shipping_address']
    expect(await addressOf(first)).toMatchObject({ addressed_to: over, email_address: null })
    expect(await read(`/wms/return-labels/${label.id}/`)).toMatchObject({
      sender_address: { addressed_to: over },
    })
    expect(await addressOf(second)).toMatchObject({ addressed_to: 'Buyer 2' })
  })

  it('covers an order without an e-mail address if its shipment has the e-mail address of the person', async () => {
    const own = await order({ external_reference: 'WEB-1' })
    const other = await order({ external_reference: 'WEB-5', shipping_email: 'other@example.org' })
    await ask('redact', { email: 'sam@example.org' })
    await expect.poll(() => read(`/wms/orders/${own}/`)).toMatchObject({ shipping_contactperson: over })
    expect(await read(`/wms/orders/${other}/`)).toMatchObject({ shipping_contactperson: 'Kim de Wit' })
  })

  it('makes an export expire only if exports of its type can contain personal data', async () => {
    await order({ shipping_email: email, shipping_address: newAddress({ addressed_to: 'Kim Person' }) })
    const made: Record<string, string> = {}
    for (const type of ['orders', 'stock']) {
      const asked = await server.call('/wms/exports/', { method: 'POST', body: { type } })
      made[type] = one.parse(asked.body).id
    }
    const file = (type: string): Promise<Reply> => server.call(`/wms/exports/${made[type] ?? ''}/download`)
    await expect.poll(async () => String((await file('orders')).body)).toContain('Kim Person')
    await expect.poll(async () => (await file('stock')).status).toBe(200)
    await ask('redact')
    await expect.poll(async () => (await file('orders')).status).toBe(412)
    expect((await file('stock')).status).toBe(200)
    const again = await server.call('/wms/exports/', { method: 'POST', body: { type: 'orders' } })
    made['orders'] = one.parse(again.body).id
    await expect.poll(async () => (await file('orders')).status).toBe(200)
    expect(String((await file('orders')).body)).not.toContain('Kim Person')
  })

  it('overwrites the e-mail address in the filters of exports and in files that list these filters', async () => {
    await order({ shipping_email: email })
    const create = async (search: string, customer = 'ALDER'): Promise<string> => {
      const body = { type: 'orders', filters: { search, from: '2026-01-01' } }
      return one.parse((await server.call('/wms/exports/', { method: 'POST', body, customer })).body).id
    }
    const searchOf = async (id: string, customer = 'ALDER'): Promise<unknown> =>
      (await read(`/wms/exports/${id}/`, '', customer))['filters']
    const own = [await create(email), await create(`Kim <${email.toUpperCase()}>`)]
    const others = [await create(`a${email}`), await create('kim')]
    const birch = await create(email, 'BIRCH')
    await ask('redact')
    for (const id of own)
      await expect.poll(() => searchOf(id)).toEqual({ search: over, from: '2026-01-01', to: null })
    expect(await Promise.all(others.map((id) => searchOf(id)))).toMatchObject([
      { search: `a${email}` },
      { search: 'kim' },
    ])
    expect(await searchOf(birch, 'BIRCH')).toMatchObject({ search: email })
    const listed = await server.call('/wms/exports/', { method: 'POST', body: { type: 'exports' } })
    const path = `/wms/exports/${one.parse(listed.body).id}/download`
    await expect.poll(async () => (await server.call(path)).status).toBe(200)
    const file = String((await server.call(path)).body)
    expect(file).toContain(over)
    expect(file).not.toContain(`,${email}`)
  })

  it('does not change the data of persons of other customers', async () => {
    const own = await order({ shipping_email: email })
    const other = await order({ shipping_email: email }, 'BIRCH')
    await ask('redact')
    await expect.poll(() => read(`/wms/orders/${own}/`)).toMatchObject({ shipping_email: over })
    expect(await read(`/wms/orders/${other}/`, '', 'BIRCH')).toMatchObject({ shipping_email: email })
    const document = await server.call(`/wms/documents/${smallOrders.birchDocument}/`, { customer: 'BIRCH' })
    expect(document.status).toBe(200)
  })
})

describe('the redaction that a customer has requested', () => {
  let folder: string
  let databaseFile: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'middleware-'))
    databaseFile = join(folder, 'middleware.db')
  })
  afterEach(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
    server = await startTestServer()
  })

  // skipped on PostgreSQL, which removes earlier versions of rows only when it vacuums
  it.skipIf(isOnPostgres)(
    'leaves no data of the person in any database file, including earlier versions of rows',
    async () => {
      const everything = (): string =>
        readdirSync(folder)
          .map((file) => readFileSync(join(folder, file), 'latin1'))
          .join('')
      await server.close()
      server = await startTestServer({ databaseFile })
      const ids: string[] = []
      for (let count = 0; count < 30; count++) {
        const shipping_address = newAddress({ addressed_to: 'Zebedee Quux', email_address: email })
        ids.push(await order({ external_reference: String(count), shipping_email: email, shipping_address }))
      }
      // the longer notes make SQLite move the rows, which leaves copies of the old rows in the file
      for (const id of ids)
        for (const length of [100, 900]) {
          const call = { method: 'PATCH', body: { note: 'n'.repeat(length) } }
          expect((await server.call(`/wms/orders/${id}/`, call)).status).toBe(200)
        }
      expect(everything()).toContain('Zebedee Quux')
      await ask('redact')
      await expect.poll(() => read(`/wms/orders/${ids[0] ?? ''}/`)).toMatchObject({ shipping_email: over })
      await expect.poll(() => everything().includes('Zebedee Quux')).toBe(false)
      expect(everything()).not.toContain(email)
    },
  )

  it('lists each redacted order in the work of the warehouse, and no other order', async () => {
    await server.close()
    server = await startTestServer({ databaseFile })
    const meant = await order({ external_reference: '1', shipping_email: email })
    await order({ external_reference: '2', shipping_email: 'sam@example.org' })
    const work = (): Promise<{ entity_id: string }[]> =>
      queryBeside(databaseFile, 'select entity_id from warehouse_work order by sequence')
    const before = await work()
    await ask('redact')
    await expect.poll(() => read(`/wms/orders/${meant}/`)).toMatchObject({ shipping_email: over })
    expect((await work()).slice(before.length)).toEqual([{ entity_id: meant }])
  })

  it('is stored in one row per e-mail address until it is done, with at most 1000 rows per customer', async () => {
    let recover = (): Promise<void> => Promise.resolve()
    await server.close()
    server = await startTestServer({ databaseFile })
    // `failBefore` makes every redaction fail at its end, so that the row of the redaction stays in the table
    recover = await failBefore(databaseFile, 'delete', 'redactions')
    const waiting = (customerId: string) =>
      queryBeside<{ email: string; id: string }>(
        databaseFile,
        'select email, id from redactions where customer_id = ?',
        [customerId],
      )
    const ids = new Set<unknown>()
    for (const spelling of [email, email.toUpperCase(), 'Kim@Example.org']) {
      expect((await ask('redact', { email: spelling })).status).toBe(200)
      const rows = await waiting(smallIds.alder)
      expect(rows).toEqual([{ email, id: expect.any(String) as unknown }])
      // each request stores a new id, so the redaction runs again even if it is already running
      ids.add(rows[0]?.id)
    }
    expect(ids.size).toBe(3)
    const others = Array.from({ length: 999 }, (_, at) => ({
      id: `r${at + 1}`,
      customer_id: smallIds.alder,
      email: `${at + 1}@example.org`,
      created_at: '2026-06-01T12:00:00.000Z',
    }))
    const beside = await openBeside(databaseFile)
    await beside.insertInto('redactions').values(others).execute()
    await beside.destroy()
    const refused = await ask('redact', { email: 'lee@example.org' })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await ask('redact', { email: '7@example.org' })).status).toBe(200)
    expect((await ask('redact', { email: 'lee@example.org' }, 'BIRCH')).status).toBe(200)
    const counts = await Promise.all([waiting(smallIds.alder), waiting(smallIds.birch)])
    expect(counts.map(({ length }) => length)).toEqual([1000, 1])
    await recover()
  })

  it('includes orders that were created while an earlier redaction of the same person was running', async () => {
    const create = (at: number): Promise<string> =>
      order({ external_reference: `R-${at}`, shipping_email: email })
    const ids: string[] = []
    for (let at = 0; at < 30; at++) ids.push(await create(at))
    for (let at = 30; at < 40; at++) {
      await ask('redact')
      ids.push(await create(at))
    }
    await ask('redact')
    for (const id of ids)
      await expect
        .poll(async () => (await read(`/wms/orders/${id}/`))['shipping_email'], { timeout: 10_000 })
        .toBe(over)
  })

  it('changes twenty orders in each transaction, and continues after a failure and a restart', async () => {
    await server.close()
    server = await startTestServer({ databaseFile })
    for (let count = 0; count < 60; count++)
      await order({ external_reference: String(count), shipping_email: email })
    // this trigger stops the redaction at the 31st order
    const recover = await failBefore(
      databaseFile,
      'update',
      'orders',
      `(select count(*) from orders where shipping_email = '${over}') = 30`,
    )
    const beside = await openBeside(databaseFile)
    const done = sql<{ count: number }>`select count(*) as count from orders where shipping_email = ${over}`
    const seen = [0]
    const watch = async (isOver: () => boolean): Promise<void> => {
      while (!isOver()) {
        await new Promise((resolve) => setImmediate(resolve))
        seen.push((await done.execute(beside)).rows[0]?.count ?? 0)
      }
    }
    await ask('redact')
    await watch(() => server.logLines.some((line) => line.includes('a redaction failed')))
    // The redaction of the 31st order fails, and the second portion of twenty orders, which contains this order, is
    // rolled back.
    expect(seen.at(-1)).toBe(20)
    await server.close()
    await recover()
    server = await startTestServer({ databaseFile, world: null })
    await watch(() => seen.at(-1) === 60)
    expect(seen.filter((count) => count % 20 !== 0)).toEqual([])
    const promises = () => beside.selectFrom('redactions').select('id').execute()
    await expect.poll(promises).toEqual([])
    await beside.destroy()
  })

  it(
    'stops between two transactions when the server closes, and is completed at the next start',
    { timeout: 180_000 },
    async () => {
      const beside = await openBeside(databaseFile)
      const count = 5_000
      await server.close()
      server = await startTestServer({ databaseFile })
      const id = await order({ shipping_email: email })
      const names = Object.keys(tables.orders.columns)
      // the columns whose values must be unique among the orders
      const values = names.map((name) => {
        if (name === 'external_id') return 'null'
        return /^(id|reference|external_reference)$/.test(name) ? 'cast(value as text)' : name
      })
      await sql`insert into orders (${sql.raw(names.join(', '))})
        with recursive numbers (value) as (select 1 union all select value + 1 from numbers where value < ${count})
        select ${sql.raw(values.join(', '))} from orders, numbers where id = ${id}`.execute(beside)
      const left = async (): Promise<number> => {
        const of = sql<{
          count: number
        }>`select count(*) as count from orders where shipping_email = ${email}`
        return (await of.execute(beside)).rows[0]?.count ?? 0
      }
      const promises = () => beside.selectFrom('redactions').select('id').execute()
      expect(await left()).toBe(count + 1)
      await ask('redact')
      await expect.poll(left, { interval: 1 }).toBeLessThan(count)
      await server.close()
      expect(await left()).toBeGreaterThan(0)
      expect(await promises()).toHaveLength(1)
      expect(server.logLines.join('')).not.toContain('a redaction failed')
      server = await startTestServer({ databaseFile, world: null })
      await expect.poll(promises, { timeout: 120_000 }).toEqual([])
      expect(await left()).toBe(0)
      await beside.destroy()
    },
  )

  it('deletes at most 4 MB of documents and files in one transaction, and continues after a restart', async () => {
    const beside = await openBeside(databaseFile)
    const megabyte = 1024 * 1024
    await server.close()
    server = await startTestServer({ databaseFile })
    const id = await order({ shipping_email: email })
    const exported = await server.call('/wms/exports/', { method: 'POST', body: { type: 'orders' } })
    const file = one.parse(exported.body).id
    const download = async (): Promise<number> => (await server.call(`/wms/exports/${file}/download`)).status
    await expect.poll(download).toBe(200)
    await beside.transaction().execute(async (transaction) => {
      for (let at = 0; at < 12; at++) {
        const document = {
          ...{ id: `d${at}`, customer_id: smallIds.alder, content: Buffer.alloc(1.5 * megabyte) },
          ...{ title: 't', mime_type: 'application/pdf', document_type: 'order_document' },
          created_at: '2026-06-01T12:00:00.000Z',
        }
        await transaction.insertInto('documents').values(document).execute()
        const holder = { order_id: id, position: at, document_id: `d${at}`, quantity: 1 }
        await transaction
          .insertInto('order_documents')
          .values({ ...holder, is_shipping_label: 0, order_price: null, label_type: null })
          .execute()
      }
      const parts = Array.from({ length: 50 }, (_, at) => ({
        export_id: file,
        position: at + 10,
        content: 'x',
      }))
      await transaction.insertInto('export_parts').values(parts).execute()
    })
    const recover = await failBefore(databaseFile, 'delete', 'documents', `old.id = 'd7'`)
    const left = sql<{
      documents: number
      bytes: number
      named: number
      parts: number
      promises: number
    }>`select (select count(*) from order_documents) as documents,
        (select coalesce(sum(length(content)), 0) from documents) as bytes,
        (select count(*) from orders where shipping_email = ${email}) as named,
        (select count(*) from export_parts) as parts,
        (select count(*) from redactions) as promises`
    const look = async () => {
      const [found] = (await left.execute(beside)).rows
      if (!found) throw new Error('The query of what is left has no row')
      return found
    }
    const before = await look()
    const seen = [before]
    const watch = async (isOver: (now: typeof before) => boolean): Promise<void> => {
      while (!isOver(seen.at(-1) ?? before)) {
        await new Promise((resolve) => setImmediate(resolve))
        seen.push(await look())
      }
    }
    const asked = ask('redact')
    await watch(() => server.logLines.some((line) => line.includes('a redaction failed')))
    await asked
    expect(seen.at(-1)).toMatchObject({ named: 1, promises: 1, parts: before.parts })
    await server.close()
    await recover()
    const started = startTestServer({ databaseFile, world: null })
    await watch(({ promises }) => promises === 0)
    server = await started
    for (const [at, now] of seen.slice(1).entries()) {
      const last = seen[at] ?? now
      // On PostgreSQL the middleware may complete several steps between two queries of this test, so the size of a
      // single step is checked only on SQLite.
      if (!isOnPostgres) {
        expect(last.bytes - now.bytes).toBeLessThanOrEqual(4 * megabyte)
        expect(last.parts - now.parts).toBeLessThanOrEqual(8)
      }
      // the order keeps its e-mail address until the end, because a restarted redaction finds records by this address
      if (now.bytes > before.bytes - 12 * 1.5 * megabyte) expect(now.named).toBe(1)
    }
    expect(seen.at(-1)).toMatchObject({ bytes: before.bytes - 18 * megabyte, named: 0, parts: 0 })
    expect(await download()).toBe(412)
    await beside.destroy()
  })

  it('is completed while a redaction of another customer waits', async () => {
    const carrier = Promise.withResolvers<ReturnLabelResult>()
    const asked = Promise.withResolvers<undefined>()
    await server.close()
    server = await startTestServer({
      carrierFor: () => ({
        drawReturnLabel() {
          asked.resolve(undefined)
          return carrier.promise
        },
      }),
    })
    const body = { shipment_id: smallIds.shipments[0] }
    const label = one.parse((await server.call('/wms/return-labels/', { method: 'POST', body })).body)
    const requested = server.call(`/wms/return-labels/${label.id}/request`, { method: 'POST' })
    await asked.promise
    const other = await order({ shipping_email: email }, 'BIRCH')
    await ask('redact', { email: 'sam@example.org' })
    await ask('redact', { email }, 'BIRCH')
    await expect
      .poll(() => read(`/wms/orders/${other}/`, '', 'BIRCH'))
      .toMatchObject({ shipping_email: over })
    // The carrier has not drawn the label of the first customer yet, so the redaction of the first customer still
    // waits.
    const drawn = { labelCode: 'L', trackingCode: 'T', trackingUrl: 'https://t' }
    carrier.resolve({ pdf: Buffer.from('%PDF-1.4'), ...drawn })
    await requested
    await expect
      .poll(() => read(`/wms/return-labels/${label.id}/`))
      .toMatchObject({ url: null, sender_address: { addressed_to: over } })
  })

  it('is completed even if an older redaction fails', async () => {
    await server.close()
    server = await startTestServer({ databaseFile })
    const broken = await order({ external_reference: 'broken', shipping_email: 'broken@example.org' })
    const id = await order({ shipping_email: email })
    const beside = await openBeside(databaseFile)
    await beside
      .updateTable('orders')
      .set({ shipping_address: '{"damaged":"broken@example.org"}' })
      .where('id', '=', broken)
      .execute()
    await beside.destroy()
    await ask('redact', { email: 'broken@example.org' })
    await ask('redact')
    await expect.poll(() => read(`/wms/orders/${id}/`)).toMatchObject({ shipping_email: over })
  })

  it('is completed at the next start after a crash, and its row with the e-mail address is deleted', async () => {
    await server.close()
    server = await startTestServer({ databaseFile })
    const id = await order({ shipping_email: email })
    await server.close()
    // Adds the row of a redaction. The database is then as after a kill of the process directly after the response to
    // the request for this redaction.
    const left = await openBeside(databaseFile)
    const row = { id: 'r', customer_id: smallIds.alder, email, created_at: '2026-06-01T12:00:00.000Z' }
    await left.insertInto('redactions').values(row).execute()
    await left.destroy()
    server = await startTestServer({ databaseFile, world: null })
    await expect.poll(() => read(`/wms/orders/${id}/`)).toMatchObject({ shipping_email: over })
    // waits for the end of the redaction, because a server that closes would stop it between two portions
    const beside = await openBeside(databaseFile)
    await expect.poll(() => beside.selectFrom('redactions').select('id').execute()).toEqual([])
    await beside.destroy()
    await server.close()
    const after = await openBeside(databaseFile)
    expect(await after.selectFrom('redactions').selectAll().execute()).toEqual([])
    await after.destroy()
    server = await startTestServer()
  })
})
