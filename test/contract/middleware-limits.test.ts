import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { otherText } from '#shared/wire/limits.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallIds } from '#support/small-world.ts'

let server: TestServer
beforeEach(async () => {
  server = await startTestServer()
})
afterEach(() => server.close())

const address = {
  ...{ addressed_to: 'Kim Bakker', street: 'Lange weg', street_number: 7 },
  ...{ zipcode: '9000', city: 'Gent', country: 'BE' },
}

function makeLabel(fields: object): Promise<Reply> {
  const body = { shipping_method: smallIds.standard, sender_address: address, ...fields }
  return server.call('/wms/return-labels/', { method: 'POST', body })
}

describe('a body beyond the limits of the wire', () => {
  it('is refused with the name of the text that is too long', async () => {
    const reply = await makeLabel({ external_reference: `A${'-'.repeat(otherText)}` })
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({
      errors: { externalReference: [`This value should have ${String(otherText)} characters or less.`] },
    })
    const inside = await makeLabel({ sender_address: { ...address, zipcode: '9'.repeat(otherText + 1) } })
    expect(inside.status).toBe(400)
  })

  it('is taken up to the limit', async () => {
    expect((await makeLabel({ external_reference: 'A'.repeat(otherText) })).status).toBe(201)
  })

  it('is refused with one complaint, however many wrong lines it has', async () => {
    const order_lines = Array.from({ length: 200_000 }, () => ({}))
    const reply = await server.call('/wms/orders/', { method: 'POST', body: { order_lines } })
    expect(reply.status).toBe(400)
    expect(JSON.stringify(reply.body).length).toBeLessThan(200)
  })
})
