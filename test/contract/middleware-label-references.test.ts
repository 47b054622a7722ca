import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { returnLabel as labelSchema, type ReturnLabel } from '#shared/wire/return-label.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallIds } from '#support/small-world.ts'
import { queryBeside, watchStatements } from '#support/test-database.ts'

let folder: string
let server: TestServer
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'middleware-'))
  server = await startTestServer({ databaseFile: join(folder, 'middleware.db') })
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const byAddress = {
  shipping_method: smallIds.standard,
  sender_address: {
    addressed_to: 'Kim Bakker',
    street: 'Lange weg',
    street_number: '7',
    zipcode: '9000',
    city: 'Gent',
    country: 'BE',
  },
}
const fromShipment = { shipment_id: smallIds.shipments[0] }
const refusal = { status: 400, body: { error: 'Reference is not unique' } }

function post(body: object): Promise<Reply> {
  return server.call('/wms/return-labels/', { method: 'POST', body })
}

async function create(body: object): Promise<ReturnLabel> {
  const reply = await post(body)
  expect(reply.status).toBe(201)
  return labelSchema.parse(reply.body)
}

async function cancel({ id }: ReturnLabel): Promise<void> {
  expect((await server.call(`/wms/return-labels/${id}/cancel`, { method: 'POST' })).status).toBe(200)
}

/** Stores labels with the references `base-2` to `base-last` directly in the database. */
async function takeReferences(base: string | null, last: number): Promise<void> {
  await queryBeside(
    join(folder, 'middleware.db'),
    `insert into return_labels (id, serial, customer_id, external_reference, state, shipping_method_id,
        sender_address, tracking, created_at, modified_at)
      with recursive numbers (number) as (select 2 union all select number + 1 from numbers where number < ?)
      select 'taken-' || number, 1000000 + number, customer_id, external_reference || '-' || number, state,
        shipping_method_id, sender_address, tracking, created_at, modified_at
      from return_labels, numbers where external_reference = ?`,
    [last, base],
  )
}

describe('the reference of a cancelled label', () => {
  it('can be used again by one new label, but not by two labels at the same time', async () => {
    const body = { ...byAddress, external_reference: 'AG1' }
    await cancel(await create(body))
    const second = await create(body)
    expect(second.external_reference).toBe('AG1')
    expect(await post(body)).toMatchObject(refusal)
    await cancel(second)
    await create(body)
    expect(await post(body)).toMatchObject(refusal)
  })

  it('becomes the derived reference of the next label of the same shipment', async () => {
    const first = await create(fromShipment)
    await cancel(first)
    expect((await create(fromShipment)).external_reference).toBe(first.external_reference)
    expect((await create(fromShipment)).external_reference).toBe(`${first.external_reference}-2`)
  })

  it('can be given to another label with a PATCH after the cancellation, but not before it', async () => {
    const cancelled = await create({ ...byAddress, external_reference: 'AG1' })
    const other = await create({ ...byAddress, external_reference: 'AG2' })
    const change = { method: 'PATCH', body: { external_reference: 'AG1' } }
    expect(await server.call(`/wms/return-labels/${other.id}/`, change)).toMatchObject(refusal)
    await cancel(cancelled)
    expect(await server.call(`/wms/return-labels/${other.id}/`, change)).toMatchObject({
      status: 200,
      body: { external_reference: 'AG1' },
    })
  })
})

describe('the reference that is derived from a shipment', () => {
  it('ends with the lowest number from 2 that no label has; the number of a cancelled label is free again', async () => {
    const { external_reference: base } = await create(fromShipment)
    const second = await create(fromShipment)
    await create({ ...byAddress, external_reference: `${base}-3` })
    expect((await create(fromShipment)).external_reference).toBe(`${base}-4`)
    await cancel(second)
    expect((await create(fromShipment)).external_reference).toBe(`${base}-2`)
  })

  it('is determined with fewer than ten database statements on labels, even if 5000 references are in use', async () => {
    const { external_reference: base } = await create(fromShipment)
    await takeReferences(base, 5000)
    const statements = watchStatements()
    const first = await create(fromShipment)
    const asked = statements.texts().filter((text) => text.includes('return_labels'))
    statements.end()
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.length).toBeLessThan(10)
    expect(first.external_reference).toMatch(new RegExp(`^${base}-\\d{12}$`))
    expect((await create(fromShipment)).external_reference).not.toBe(first.external_reference)
  })
})

describe('the reference of a label without a shipment and without a reference', () => {
  it('ends with a random number if another label already has the serial reference, so that no label is refused', async () => {
    const first = await create(byAddress)
    const serial = Number(first.external_reference?.slice('RTL'.length))
    const taken = [2, 3, 4].map((more) => `RTL${String(serial + more).padStart(11, '0')}`)
    // Each of these labels uses the next serial number, although it has a reference. So the label after them gets the
    // serial number of the last reference in `taken`.
    for (const external_reference of taken) await create({ ...byAddress, external_reference })
    const last = taken.at(-1)
    expect((await create(byAddress)).external_reference).toMatch(new RegExp(`^${last}-\\d{12}$`))
    expect((await create(byAddress)).external_reference).toMatch(/^RTL\d{11}$/)
  })
})
