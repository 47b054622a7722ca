import { afterEach, describe, expect, it, vi } from 'vitest'
import type { MiddlewareOptions } from '#middleware/app.ts'
import type { Database } from '#middleware/data/engine/database.ts'
import { usualConnectionLimits } from '#middleware/plugins/connections.ts'
import type { ReturnLabelResult } from '#middleware/warehouse/carriers/carrier.ts'
import { document as documentSchema } from '#shared/wire/document.ts'
import { order as orderSchema } from '#shared/wire/order.ts'
import { returnLabel as labelSchema } from '#shared/wire/return-label.ts'
import { variant as variantSchema } from '#shared/wire/variant.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { openRaw, type RawSocket } from '#support/raw-socket.ts'
import { smallOrders } from '#support/small-orders.ts'
import { smallIds } from '#support/small-world.ts'
import { isOnPostgres } from '#support/test-database.ts'

const label = { pdf: Buffer.from('%PDF-1.4'), labelCode: 'L', trackingCode: 'T', trackingUrl: 'https://t' }

let server: TestServer
let open: RawSocket[] = []
afterEach(async () => {
  for (const { socket } of open) socket.destroy()
  open = []
  await server.close()
})

async function start(options: Partial<MiddlewareOptions>): Promise<void> {
  server = await startTestServer(options)
}

function client(says: string): RawSocket {
  const raw = openRaw(server.url, says)
  open.push(raw)
  return raw
}

/** Returns the text of a call without a body, which the user `everything` makes for the customer ALDER. */
async function call(line: string): Promise<string> {
  return (
    `${line} HTTP/1.1\r\nHost: localhost\r\nX-Wms-Code: DEV\r\nX-Customer-Code: ALDER\r\n` +
    `Authorization: Bearer ${await server.logIn()}\r\nContent-Length: 0\r\n\r\n`
  )
}

/** Creates variants with this description and returns the reply. */
function makeVariants(count: number, description: string): Promise<Reply> {
  const variants = Array.from({ length: count }, (_, at) => ({ article_code: `L-${at}`, description }))
  return server.call('/wms/articles/', { method: 'POST', body: { name: 'large', variants } })
}

/** Opens a client that requests more bytes than the buffers of client and server hold, and reads nothing. */
async function deafClient(): Promise<RawSocket> {
  expect((await makeVariants(125, 'd'.repeat(20_000))).status).toBe(201)
  const deaf = client('')
  deaf.socket.pause()
  deaf.socket.write((await call('GET /wms/variants/?limit=1000')).repeat(8))
  return deaf
}

async function makeLabel(): Promise<string> {
  const body = { shipment_id: smallIds.shipments[0] }
  return labelSchema.parse((await server.call('/wms/return-labels/', { method: 'POST', body })).body).id
}

function requestOf(id: string): Promise<string> {
  return call(`POST /wms/return-labels/${id}/request`)
}

describe('pipelined calls of a connection', () => {
  it('are processed one at a time, each after the previous response was sent', async () => {
    const drawn: PromiseWithResolvers<ReturnLabelResult>[] = []
    await start({
      carrierFor: () => ({
        drawReturnLabel() {
          const result = Promise.withResolvers<ReturnLabelResult>()
          drawn.push(result)
          return result.promise
        },
      }),
    })
    const ids = [await makeLabel(), await makeLabel()]
    const eager = client((await Promise.all(ids.map(requestOf))).join(''))
    await expect.poll(() => drawn.length).toBe(1)
    // the replies to another client show that the server had the time to start a second call in parallel
    for (let time = 0; time < 3; time++) expect((await server.call('/wms/customers/')).status).toBe(200)
    expect(drawn).toHaveLength(1)
    drawn[0]?.resolve(label)
    await expect.poll(() => drawn.length).toBe(2)
    drawn[1]?.resolve(label)
    await expect.poll(() => eager.heard().match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  })
})

describe('responses that their client does not read', () => {
  // A single unread response of these tests is larger than the limit for all unread responses.
  const small = { ...usualConnectionLimits, mostUnsentBytes: 2_000_000 }

  it('lead to 503 for the calls of all clients while the total bytes of these responses exceed a limit', async () => {
    await start({ connectionLimits: { ...small, slowAnswerMs: 60_000 } })
    await server.logIn()
    await deafClient()
    await expect.poll(async () => (await server.call('/wms/customers/')).status).toBe(503)
    const refused = await server.call('/wms/customers/')
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(refused.body).toEqual({ code: 503, message: expect.stringContaining('Try again') as string })
  })

  it.each([
    ['at the next call of another client if they have waited too long', { ...small, slowAnswerMs: 0 }],
    [
      'at the next response to another client if they exceed twice the limit',
      { ...small, mostUnsentBytes: 300_000, slowAnswerMs: 60_000 },
    ],
  ])('lead to a closed connection %s', async (_, connectionLimits) => {
    await start({ connectionLimits })
    await server.logIn()
    const { socket } = await deafClient()
    await expect
      .poll(async () => {
        await server.call('/wms/customers/')
        // the client reads nothing, so it notices the end of the connection only when it writes
        if (!socket.destroyed) socket.write('\r\n')
        return socket.destroyed
      })
      .toBe(true)
    expect((await server.call('/wms/customers/')).status).toBe(200)
  })
})

describe('unfinished request bodies', () => {
  it('have a common limit for all connections: above this limit the connection with the oldest body is closed', async () => {
    await start({ connectionLimits: { ...usualConnectionLimits, mostBodyBytes: 200_000 } })
    const head =
      'POST /wms/auth/login/ HTTP/1.1\r\nHost: localhost\r\nX-Wms-Code: DEV\r\nContent-Length: 100000\r\n\r\n'
    const first = client(head + ' '.repeat(90_000))
    await expect.poll(() => server.connections()).toBe(1)
    const second = client(head + ' '.repeat(90_000))
    await expect.poll(() => server.connections()).toBe(2)
    client(head + ' '.repeat(90_000))
    expect(await first.closed).toBe('')
    expect((await server.call('/wms/customers/')).status).toBe(200)
    second.socket.write(' '.repeat(10_000))
    await expect.poll(() => second.heard()).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('no longer count towards the limit after the response to their call', async () => {
    await start({ connectionLimits: { ...usualConnectionLimits, mostBodyBytes: 100_000 } })
    const body = { articles: [], filler: 'x'.repeat(60_000) }
    for (let time = 0; time < 4; time++)
      expect((await server.call('/wms/articles/bulks/', { method: 'POST', body })).status).toBe(400)
  })
})

/**
 * Starts a server that holds each call before it is processed. `announced`: number of calls whose headers have arrived;
 * `arrived`: number of calls that have arrived with their bodies. `letGo` lets all calls continue in the order of their
 * arrival. The calls then wait for the database, because `letGo` keeps a transaction open until its argument
 * `meanwhile` has ended. `workedOut` lists the customers of the responses in the order in which the responses were
 * computed.
 */
async function startHeld(options: Partial<MiddlewareOptions> = {}): Promise<{
  arrived: () => number
  announced: () => number
  workedOut: string[]
  letGo: (meanwhile?: () => Promise<void>) => Promise<void>
}> {
  const workedOut: string[] = []
  const gate = Promise.withResolvers<undefined>()
  let arrived = 0
  let announced = 0
  let opened: Database | undefined
  await start({
    responseLimits: { mostCharacters: 1_000_000 },
    onOpened: (database) => {
      opened = database
      return Promise.resolve()
    },
    beforeRoutes: (app) => {
      // This hook runs after the hook that reserves the announced size of a body.
      app.addHook('preParsing', ({ url }, _reply, payload, done) => {
        if (!url.startsWith('/wms/auth/')) announced++
        done(null, payload)
      })
      app.addHook('preHandler', async ({ url }) => {
        if (url.startsWith('/wms/auth/')) return
        arrived++
        await gate.promise
      })
      app.addHook('onSend', ({ url, headers }, _reply, payload, done) => {
        if (!url.startsWith('/wms/auth/')) workedOut.push(String(headers['x-customer-code']))
        done(null, payload)
      })
      return Promise.resolve()
    },
    ...options,
  })
  // logs in now, so that no login has to wait for the database later
  await server.logIn()
  return {
    arrived: () => arrived,
    announced: () => announced,
    workedOut,
    letGo: async (meanwhile = () => Promise.resolve()) => {
      await opened?.transaction().execute(async () => {
        gate.resolve(undefined)
        // lets all calls continue until they wait for the database, which this transaction occupies
        await new Promise((resolve) => setImmediate(resolve))
        await meanwhile()
      })
    },
  }
}

/** Sends a change for each customer of the list. Each change is sent after the previous change has arrived. */
async function askAll(customers: readonly string[], arrived: () => number): Promise<Promise<Reply>[]> {
  const asked: Promise<Reply>[] = []
  for (const [at, customer] of customers.entries()) {
    const body = { name: 'turn', variants: [{ article_code: `TURN-${at}` }] }
    asked.push(server.call('/wms/articles/', { method: 'POST', customer, body }))
    await expect.poll(arrived).toBe(at + 1)
  }
  return asked
}

describe('request bodies of one customer', () => {
  const size = 100_000
  /** Returns the head and the body of a call that creates one article. The body has the given number of bytes. */
  async function made(code: string, customer: string, bytes = size): Promise<{ head: string; body: string }> {
    const body = JSON.stringify({ name: code, variants: [{ article_code: code }] }).padEnd(bytes)
    const head = (await call('POST /wms/articles/'))
      .replace('ALDER', customer)
      .replace('Content-Length: 0', `Content-Type: application/json\r\nContent-Length: ${bytes}`)
    return { head, body }
  }

  it('are refused if they exceed the share of the customer, while a body of another customer is accepted', async () => {
    const connectionLimits = { ...usualConnectionLimits, mostBodyBytesOfOwner: 2.5 * size }
    const { arrived, announced, letGo } = await startHeld({ connectionLimits })
    const first = await made('BODY-1', 'ALDER')
    const waiting = [client(first.head + first.body)]
    await expect.poll(arrived).toBe(1)
    // The announced size of a body counts towards the limit, even if the body has not arrived.
    const second = await made('BODY-2', 'ALDER')
    waiting.push(client(second.head + second.body.slice(0, 10)))
    await expect.poll(announced).toBe(2)
    const third = client((await made('BODY-3', 'ALDER')).head)
    await expect.poll(() => third.heard()).toMatch(/^HTTP\/1\.1 429 .*retry-after: 5.*"code":429/is)
    const other = await made('BODY-4', 'BIRCH')
    waiting.push(client(other.head + other.body))
    waiting[1]?.socket.write(second.body.slice(10))
    await expect.poll(arrived).toBe(3)
    await letGo()
    for (const each of waiting) await expect.poll(() => each.heard()).toMatch(/^HTTP\/1\.1 201 /)
    const again = await made('BODY-5', 'ALDER')
    const fourth = client(again.head + again.body)
    await expect.poll(() => fourth.heard()).toMatch(/^HTTP\/1\.1 201 /)
  })

  it('that are sent in chunks lead to a closed connection when they exceed the share of the customer', async () => {
    await start({ connectionLimits: { ...usualConnectionLimits, mostBodyBytesOfOwner: size } })
    const { head, body } = await made('BODY-1', 'ALDER', 2 * size)
    const chunked = head.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')
    const sent = client(`${chunked}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
    expect(await sent.closed).toBe('')
    expect((await server.call('/wms/customers/')).status).toBe(200)
  })

  it('are dropped while their calls wait, the newest body first, if a body of another customer needs the memory', async () => {
    const connectionLimits = { ...usualConnectionLimits, mostBodyBytes: 3.5 * size }
    const { arrived, letGo } = await startHeld({ connectionLimits })
    const waiting: RawSocket[] = []
    for (let at = 1; at <= 3; at++) {
      const { head, body } = await made(`BODY-${at}`, 'ALDER')
      waiting.push(client(head + body))
      await expect.poll(arrived).toBe(at)
    }
    const { head, body } = await made('BODY-4', 'BIRCH')
    const upload = client(head)
    for (let at = 0; at < size; at += size / 10) {
      upload.socket.write(body.slice(at, at + size / 10))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await expect.poll(arrived).toBe(4)
    expect(await waiting[2]?.closed).toBe('')
    await letGo()
    for (const each of [waiting[0], waiting[1], upload])
      await expect.poll(() => each?.heard()).toMatch(/^HTTP\/1\.1 201 /)
    const kept = JSON.stringify((await server.call('/wms/variants/?limit=1000')).body)
    expect(['BODY-1', 'BODY-2', 'BODY-3'].map((code) => kept.includes(code))).toEqual([true, true, false])
  })
})

describe('a response', () => {
  const description = 'd'.repeat(1_000)
  const refusal = {
    status: 400,
    body: { code: 400, message: 'The response would be too large. Request fewer records with limit.' },
  }

  it.each([
    ['when it would be serialized', 30],
    ['while its rows are read', 45],
  ])('above the limit is refused %s, but a smaller response is returned', async (_, count) => {
    await start({ responseLimits: { mostCharacters: 36_000 } })
    // The maximum length of a response to a change is twice that of a response to a read.
    expect((await makeVariants(count, description)).status).toBe(201)
    for (let time = 0; time < 3; time++)
      expect(await server.call('/wms/variants/?limit=1000')).toMatchObject(refusal)
    expect((await server.call('/wms/variants/?limit=10')).status).toBe(200)
  })

  it('to a change is replaced, if it exceeds the limit, by an error which says that the change was made', async () => {
    await start({ responseLimits: { mostCharacters: 30_000 } })
    const reply = await makeVariants(50, description)
    expect(reply).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('change was made') as string },
    })
  })

  it('is computed for each of twenty different parallel calls, and each caller gets the response to its own call', async () => {
    await start({ responseLimits: { mostCharacters: 1_000_000 } })
    await makeVariants(30, description)
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) => server.call(`/wms/variants/?limit=${at + 1}`)),
    )
    expect(replies.map(({ body }) => (body as unknown[]).length)).toEqual(replies.map((_, at) => at + 1))
  })

  it('does not wait for all earlier requests of another customer, because the customers take turns', async () => {
    const { arrived, workedOut, letGo } = await startHeld()
    const asked = ['ALDER', 'ALDER', 'ALDER', 'ALDER', 'BIRCH'].map(async (customer, at) => {
      await expect.poll(arrived).toBe(at)
      return server.call('/wms/variants/', { customer })
    })
    await expect.poll(arrived).toBe(5)
    await letGo()
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
    // on PostgreSQL the server computes responses for two customers at the same time, so their order may change
    if (isOnPostgres) expect(workedOut.indexOf('BIRCH')).toBeLessThan(3)
    else expect(workedOut).toEqual(['ALDER', 'ALDER', 'BIRCH', 'ALDER', 'ALDER'])
  })

  it('to a change does not wait for all earlier changes of another customer, because the customers take turns', async () => {
    const { arrived, workedOut, letGo } = await startHeld()
    const asked = await askAll(['ALDER', 'ALDER', 'ALDER', 'ALDER', 'BIRCH'], arrived)
    await letGo()
    for (const { status } of await Promise.all(asked)) expect(status).toBe(201)
    expect(workedOut.toSorted()).toEqual(['ALDER', 'ALDER', 'ALDER', 'ALDER', 'BIRCH'])
    // if PostgreSQL refuses the transaction of a call, other calls run before the second attempt of this call
    expect(isOnPostgres ? workedOut.indexOf('BIRCH') < 4 : workedOut.indexOf('BIRCH') === 2).toBe(true)
  })

  it('has the status 429 only for a customer with too many waiting requests', async () => {
    const { arrived, letGo } = await startHeld({ waitingLimits: { read: 1, write: 1 } })
    const asked = await askAll(['ALDER', 'ALDER', 'ALDER', 'BIRCH'], arrived)
    await letGo()
    const replies = await Promise.all(asked)
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 429, 201])
    expect(replies[2]?.headers.get('retry-after')).toBe('5')
    expect(replies[2]?.body).toEqual({ code: 429, message: expect.stringContaining('Try again') as string })
    const made = JSON.stringify((await server.call('/wms/variants/?limit=1000')).body)
    expect(['TURN-0', 'TURN-1', 'TURN-2'].map((code) => made.includes(code))).toEqual([true, true, false])
  })

  it('is not computed if its client has disconnected', async () => {
    const { arrived, workedOut, letGo } = await startHeld()
    const line = await call('GET /wms/variants/')
    client(line)
    await expect.poll(arrived).toBe(1)
    const ghosts = Array.from({ length: 20 }, () => client(line))
    await expect.poll(arrived).toBe(21)
    await letGo(async () => {
      const before = await server.connections()
      for (const { socket } of ghosts) socket.destroy()
      await expect.poll(() => server.connections()).toBe(before - ghosts.length)
    })
    expect((await server.call('/wms/customers/')).status).toBe(200)
    expect(workedOut).toEqual(['ALDER', 'ALDER'])
  })

  it('contains at most 500 characters of the description of each variant that is inside another record', async () => {
    await start({})
    await makeVariants(1, description)
    const order_lines = [{ article_code: 'L-0', quantity: 1, description: 'One' }]
    const path = `/wms/orders/${smallOrders.byStatus('created')}/`
    const changed = await server.call(path, { method: 'PATCH', body: { order_lines } })
    expect(changed.status).toBe(200)
    const { order_lines: lines } = orderSchema.parse(
      (await server.call(path, { expand: 'order_lines' })).body,
    )
    const shown = variantSchema.parse(lines?.[0]?.variant)
    expect(shown.description).toBe('d'.repeat(500))
    const whole = await server.call(`/wms/variants/${shown.id}/`)
    expect(variantSchema.parse(whole.body).description).toBe(description)
    const stock = await server.call('/wms/stock/?limit=1000', { expand: 'variant' })
    expect(JSON.stringify(stock.body)).not.toContain('d'.repeat(501))
  })
})

describe('a change that reads many records', () => {
  const description = 'd'.repeat(20_000)
  // maximum number of characters of a response. A change may read records with four times as many characters.
  const responseLimits = { mostCharacters: 250_000 }
  /** Creates variants of ALDER that together have more characters than a change may read. */
  async function makeMany(ean: string | null): Promise<void> {
    const variants = Array.from({ length: 60 }, (_, at) => ({ article_code: `L-${at}`, description, ean }))
    const made = await server.call('/wms/articles/', { method: 'POST', body: { name: 'many', variants } })
    expect(made).toMatchObject({ body: { message: expect.stringContaining('change was made') as string } })
  }

  it('is refused if many variants have the code of its order line, and does not read all these variants', async () => {
    await start({ responseLimits })
    await makeMany('SAME')
    const path = `/wms/orders/${smallOrders.byStatus('created')}/`
    const body = { order_lines: [{ article_code: 'SAME', quantity: 1, description: 'One' }] }
    const reply = await server.call(path, { method: 'PATCH', body })
    expect(reply.status).toBe(400)
    expect(JSON.stringify(reply.body)).toContain('Several articles have this code.')
  })

  it('is refused if the records that it reads exceed the limit, and changes nothing', async () => {
    await start({ responseLimits })
    await makeMany(null)
    const path = '/wms/customer-to-customer-transfers/'
    const transfer = (count: number): Promise<Reply> => {
      const lines = Array.from({ length: count }, (_, at) => ({ article_code: `L-${at}`, quantity: 1 }))
      const owners = { customer: smallIds.alder, to_customer: smallIds.birch }
      const body = { ...owners, external_reference: 'T', customer_to_customer_transfer_lines: lines }
      return server.call(path, { method: 'POST', body })
    }
    const made = async (): Promise<unknown[]> => [
      (await server.call(path)).body,
      (await server.call('/wms/variants/', { customer: 'BIRCH' })).body,
    ]
    const before = await made()
    const message = 'This change would read more data than one call may read. Nothing was changed.'
    for (let time = 0; time < 2; time++)
      expect(await transfer(60)).toMatchObject({ status: 400, body: { message } })
    expect(await made()).toEqual(before)
    expect((await transfer(10)).status).toBe(201)
  })

  it('is not refused if it is a step of the simulated warehouse', async () => {
    await start({ responseLimits: { mostCharacters: 20_000 } })
    for (let time = 0; time < 3; time++)
      expect((await server.call('/sandbox/advance', { method: 'POST', body: { steps: 5 } })).status).toBe(200)
    expect(server.logLines.join('')).not.toContain('reads more than')
  })
})

describe('GET of a document', () => {
  it('sends the whole document, which the server reads in portions', async () => {
    await start({})
    const bytes = Buffer.concat([
      Buffer.from('%PDF-1.4\n'),
      Buffer.from(Uint16Array.from({ length: 1_350_000 }, (_, at) => at).buffer),
    ])
    const made = await server.call(`/wms/orders/${smallOrders.byStatus('created')}/documents/`, {
      method: 'POST',
      body: { title: 'large', quantity: 1, file: bytes.toString('base64') },
    })
    expect(made.status).toBe(201)
    const { id } = made.body as { id: string }
    const { url } = documentSchema.parse((await server.call(`/wms/documents/${id}/`)).body)
    const reply = await fetch(url ?? '')
    expect(reply.headers.get('content-length')).toBe(String(bytes.length))
    expect(Buffer.from(await reply.arrayBuffer()).equals(bytes)).toBe(true)
  })
})

describe('HEAD of a file', () => {
  it('has the headers of GET and does not read the file', async () => {
    let opened: Database | undefined
    await start({
      exportDelayMs: 0,
      onOpened: (database) => {
        opened = database
        return Promise.resolve()
      },
    })
    const file = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(2_500_000)])
    const path = `/wms/orders/${smallOrders.byStatus('created')}/documents/`
    const body = { title: 'large', quantity: 1, file: file.toString('base64') }
    const { id } = (await server.call(path, { method: 'POST', body })).body as { id: string }
    const { url } = documentSchema.parse((await server.call(`/wms/documents/${id}/`)).body)
    const asked = await server.call('/wms/exports/', { method: 'POST', body: { type: 'stock' } })
    const download = `${server.url}/wms/exports/${(asked.body as { id: string }).id}/download/`
    const headers = {
      'x-wms-code': 'DEV',
      'x-customer-code': 'ALDER',
      authorization: `Bearer ${await server.logIn()}`,
    }
    const ask = async (address: string, method: string): Promise<[number, object, number]> => {
      const reply = await fetch(address, { method, headers })
      const rest = Object.fromEntries(reply.headers)
      // The comparison omits these headers, because they depend on the time, or on the connection, which `fetch` closes
      // after HEAD.
      for (const name of ['date', 'connection', 'keep-alive']) Reflect.deleteProperty(rest, name)
      return [reply.status, rest, (await reply.arrayBuffer()).byteLength]
    }
    await expect.poll(async () => (await ask(download, 'GET'))[0]).toBe(200)
    if (opened === undefined) throw new Error('No database was opened')
    const reads = vi.spyOn(opened, 'selectFrom')
    for (const [address, parts] of [
      [url ?? '', 'documents'],
      [download, 'export_parts'],
    ] as const) {
      const [status, shown, bytes] = await ask(address, 'GET')
      expect(shown).toMatchObject({ 'content-length': String(bytes) })
      reads.mockClear()
      expect(await ask(address, 'HEAD')).toEqual([status, shown, 0])
      // if HEAD made the server read the file, the read would continue during these calls
      for (let time = 0; time < 5; time++) await server.call('/wms/customers/')
      const ofParts = reads.mock.calls.filter(([table]) => table === parts)
      expect(ofParts).toHaveLength(parts === 'documents' ? 1 : 0)
    }
  })
})
