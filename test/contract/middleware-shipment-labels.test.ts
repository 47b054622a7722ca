import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { document as documentSchema, type Document } from '#shared/wire/document.ts'
import { returnLabel as labelSchema, type ReturnLabel } from '#shared/wire/return-label.ts'
import {
  shipment as shipmentSchema,
  type ShipmentReturnLabel,
  shipmentReturnLabel,
} from '#shared/wire/shipment.ts'
import { carrierFor } from '#middleware/warehouse/carriers/carriers.ts'
import { type CallOptions, type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { makeSmallWorld, smallId, smallIds } from '#support/small-world.ts'

/** Matches any text, because tests do not check the wording of messages. */
const someText: unknown = expect.any(String)
const [shipmentId = ''] = smallIds.shipments
const path = `/wms/shipments/${shipmentId}/return-label`

let server: TestServer
let drawn: number
let failing: boolean
beforeEach(async () => {
  drawn = 0
  failing = false
  server = await startTestServer({
    world: withoutRequest(),
    carrierFor: (key) => ({
      drawReturnLabel(job) {
        drawn += 1
        return failing ? Promise.reject(new Error('closed')) : carrierFor(key).drawReturnLabel(job)
      },
    }),
  })
})
afterEach(() => server.close())

/** Returns the test data with an additional user, who may create labels but neither request nor read them. */
function withoutRequest(): ReturnType<typeof makeSmallWorld> {
  const world = makeSmallWorld()
  const [everything] = world.users
  if (everything === undefined) throw new Error('The small world has users')
  const maker = {
    ...everything,
    id: smallId(24),
    username: 'maker',
    password: 'maker-secret-word',
    roles: everything.roles.filter(
      (role) => role !== 'RETURN_LABELS_REQUEST' && role !== 'RETURN_LABELS_READ',
    ),
  }
  return { ...world, users: [...world.users, maker] }
}

function post(to: string, options: CallOptions = {}): Promise<Reply> {
  return server.call(to, { method: 'POST', ...options })
}

async function made(to = path): Promise<ShipmentReturnLabel> {
  const reply = await post(to)
  expect(reply.status).toBe(200)
  return shipmentReturnLabel.strict().parse(reply.body)
}

async function label(id: string): Promise<ReturnLabel> {
  return labelSchema.strict().parse((await server.call(`/wms/return-labels/${id}/`)).body)
}

async function newLabel(): Promise<ReturnLabel> {
  return labelSchema.parse((await post('/wms/return-labels/', { body: { shipment_id: shipmentId } })).body)
}

function documentIdIn(url: string | null): string {
  return /\/([0-9a-f-]{36})\.pdf\?/.exec(url ?? '')?.[1] ?? ''
}

describe('/wms/shipments/:id/return-label (deprecated)', () => {
  it('returns 404 for a shipment without a label', async () => {
    expect(await server.call(path)).toMatchObject({ status: 404, body: { error: someText } })
    for (const id of [smallId(99), smallIds.birchShipment, 'none']) {
      expect((await server.call(`/wms/shipments/${id}/return-label`)).status).toBe(404)
      expect((await post(`/wms/shipments/${id}/return-label`)).status).toBe(404)
    }
  })

  it.each(['', '/'])(
    'creates and requests a label in one POST call to the path with the ending "%s"',
    async (ending) => {
      const one = await made(path + ending)
      expect(one.external_reference).toBe('WEB-1.R')
      expect(one.tracking_information).toHaveLength(1)
      expect((await fetch(one.url ?? '')).headers.get('content-type')).toBe('application/pdf')
      const read = shipmentReturnLabel.strict().parse((await server.call(path + ending)).body)
      expect(read).toEqual(one)
      expect(await label(one.id)).toMatchObject(one)
    },
  )

  it('creates only one label for repeated POST calls', async () => {
    const labels = await Promise.all([made(), made(), made()])
    expect(new Set([...labels, await made()].map(({ id }) => id)).size).toBe(1)
    expect(drawn).toBe(1)
  })

  it('returns the newest label that is not cancelled, and requests this label in a POST call', async () => {
    const older = await newLabel()
    const newer = await newLabel()
    expect((await server.call(path)).body).toMatchObject({
      id: newer.id,
      url: null,
      tracking_information: [],
    })
    await post(`/wms/return-labels/${newer.id}/cancel`)
    expect((await server.call(path)).body).toMatchObject({ id: older.id })
    expect(await made()).toMatchObject({ id: older.id, external_reference: 'WEB-1.R' })
    expect((await label(older.id)).url).not.toBeNull()
  })

  it('returns 417 if the shipping method supports no return labels', async () => {
    const letter = `/wms/shipments/${smallIds.birchShipment}/return-label`
    const reply = await post(letter, { customer: 'BIRCH' })
    expect(reply).toEqual({
      status: 417,
      headers: expect.anything() as unknown,
      body: { error: 'Shipping method does not support return labels.' },
    })
    expect((await server.call('/wms/return-labels/', { customer: 'BIRCH' })).body).toEqual([])
  })

  it('returns an existing label even if it has a shipping method other than that of the shipment', async () => {
    const letter = `/wms/shipments/${smallIds.birchShipment}/return-label`
    const body = { shipment_id: smallIds.birchShipment, shipping_method: smallIds.standard }
    const other = labelSchema.parse((await post('/wms/return-labels/', { body, customer: 'BIRCH' })).body)
    const reply = await post(letter, { customer: 'BIRCH' })
    expect(reply).toMatchObject({ status: 200, body: { id: other.id, tracking_information: [{}] } })
  })

  it('returns 417 while the carrier fails, and requests the same label in a later call', async () => {
    failing = true
    expect(await post(path)).toMatchObject({ status: 417, body: { error: someText } })
    const waiting = shipmentReturnLabel.parse((await server.call(path)).body)
    failing = false
    expect((await made()).id).toBe(waiting.id)
  })

  it('requires in a POST call the role to create labels and the role to request labels', async () => {
    const reader = await server.logIn('reader')
    expect(await post(path, { token: reader })).toMatchObject({ status: 403, body: { error: someText } })
    expect((await server.call(path, { token: reader })).status).toBe(404)
    const maker = await server.logIn('maker')
    expect((await post(path, { token: maker })).status).toBe(403)
    expect((await server.call(path)).status).toBe(404)
  })

  it('returns the same label as /wms/shipments/:id/ with Expand return_label, which omits the label for a user who may not read labels', async () => {
    const single = `/wms/shipments/${shipmentId}/`
    const shown = async (options: CallOptions): Promise<ShipmentReturnLabel | null | undefined> =>
      shipmentSchema.strict().parse((await server.call(single, options)).body).return_label
    expect(await shown({})).toBeUndefined()
    expect(await shown({ expand: 'return_label' })).toBeNull()
    const one = await made()
    expect(await shown({ expand: 'shipment_lines,return_label' })).toEqual(one)
    expect(await shown({ expand: 'return_label', token: await server.logIn('maker') })).toBeUndefined()
  })
})

describe('/wms/documents/:id/', () => {
  async function document(id: string): Promise<Document> {
    const reply = await server.call(`/wms/documents/${id}/`)
    expect(reply.status).toBe(200)
    return documentSchema.strict().parse(reply.body)
  }

  it('returns the document of a label with a link to its PDF', async () => {
    const one = await made()
    const id = documentIdIn(one.url)
    const found = await document(id)
    expect(found).toMatchObject({
      id,
      title: 'WEB-1.R.pdf',
      name: 'WEB-1.R.pdf',
      mime_type: 'application/pdf',
      document_type: 'return_label',
      created_at: one.created_at,
      modified_at: one.created_at,
    })
    const bytes = (url: string | null): Promise<Uint8Array> => fetch(url ?? '').then((reply) => reply.bytes())
    expect(await bytes(found.url)).toEqual(await bytes(one.url))
  })

  it('deletes the PDF of a label permanently, while the label stays requested and keeps its tracking', async () => {
    const one = await made()
    const id = documentIdIn(one.url)
    const removed = await server.call(`/wms/documents/${id}`, { method: 'DELETE' })
    expect(removed).toMatchObject({ status: 204, body: '' })
    expect((await server.call(`/wms/documents/${id}/`)).status).toBe(404)
    expect((await server.call(`/wms/documents/${id}/`, { method: 'DELETE' })).status).toBe(404)
    expect((await fetch(one.url ?? '')).status).toBe(404)
    const kept = { url: null, external_reference: 'WEB-1.R', tracking_information: one.tracking_information }
    expect(await label(one.id)).toMatchObject(kept)
    expect((await post(`/wms/return-labels/${one.id}/cancel`)).status).toBe(412)
    expect((await post(`/wms/return-labels/${one.id}/request`)).body).toMatchObject(kept)
    expect(await made()).toMatchObject({ id: one.id, url: null })
    expect(drawn).toBe(1)
  })

  it('returns a document only to its customer, and deletes a document only for a user with the role to delete', async () => {
    const id = documentIdIn((await made()).url)
    for (const method of ['GET', 'DELETE'])
      expect((await server.call(`/wms/documents/${id}/`, { method, customer: 'BIRCH' })).status).toBe(404)
    const token = await server.logIn('reader')
    expect((await server.call(`/wms/documents/${id}/`, { token })).status).toBe(200)
    const refused = await server.call(`/wms/documents/${id}/`, { method: 'DELETE', token })
    expect(refused).toMatchObject({ status: 403, body: { code: 403, message: someText } })
    await document(id)
  })
})
