import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApiPort } from '#desk/ports/api.ts'
import { createAgents, mostReads } from '#remote/agents.ts'
import type { ApiClientOptions } from '#remote/caller.ts'
import { createApiClient } from '#remote/api-client.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { standardTimeouts } from '#remote/exchange.ts'
import { routes } from '#shared/wire/routes.ts'
import { benchScope } from '#support/desk-bench.ts'
import { goodsVariant } from '#support/goods-service.ts'
import { serverLabelIdOf } from '#support/ids.ts'
import { scriptedLabel, scriptedShipment } from '#support/scripted-records.ts'
import { smallId } from '#support/small-world.ts'

const mb = 1024 * 1024
let server: Server
let api: ApiPort
let answer: { status: number; body: Buffer; encoding?: string; age?: string }
let sent: IncomingHttpHeaders
const agents = createAgents()

beforeEach(async () => {
  server = createServer((request, response) => {
    sent = request.headers
    const { status, body, encoding, age } = answer
    const more = { ...(encoding && { 'content-encoding': encoding }), ...(age && { age }) }
    response.writeHead(status, { 'content-type': 'application/json', ...more }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  api = createApiClient(options())
})

afterEach(async () => {
  agents.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function options(): Omit<ApiClientOptions, 'embedded'> & { readonly embedded: () => string } {
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  return {
    scope: benchScope,
    embedded: () => url,
    agents,
    timeouts: standardTimeouts,
    documentHosts: [],
  }
}

/** Returns a JSON list with this number of empty rows. */
function emptyRows(count: number): Buffer {
  return Buffer.from(`[{}${',{}'.repeat(count - 1)}]`)
}

const malformed = { kind: 'ambiguous', failure: { code: 'api.malformed_answer' } }
const list = (): ReturnType<ApiPort['listShipments']> => api.listShipments('t', { page: 1, limit: 200 })

describe('a call of the service', () => {
  it('fails with the reason why the embedded sandbox did not start', async () => {
    const cause = failure('station.embedded_failed', { cause: 'damaged' })
    const failed = createApiClient({ ...options(), embedded: () => cause })
    expect(await failed.listShipments('t', { page: 1, limit: 200 })).toEqual({
      kind: 'not_sent',
      failure: cause,
    })
  })

  it('stops reading a list of nine million rows whose compressed body is smaller than 100 kB', async () => {
    answer = { status: 200, body: gzipSync(emptyRows(9_000_000)), encoding: 'gzip' }
    expect(answer.body.length).toBeLessThan(100_000)
    expect(await list()).toMatchObject(malformed)
  })

  it('does not parse a list with more values than the requested rows can have', async () => {
    // a real page of the service with this number of values would be many times as large as this list
    answer = { status: 200, body: emptyRows(1_200_000) }
    expect(await list()).toMatchObject(malformed)
  })

  it('does not parse thousands of objects, each with a hundred field names that occur only once', async () => {
    const own = (of: number): string =>
      `{${Array.from({ length: 100 }, (_, at) => `"${of.toString(36)}_${at}":1`).join(',')}}`
    const objects = Array.from({ length: 3_000 }, (_, of) => own(of)).join(',')
    answer = { status: 200, body: Buffer.from(`[{"id":"a","more":[${objects}]}]`) }
    expect(await list()).toMatchObject(malformed)
  })

  it('reads two hundred shipments of fifty lines each, with the variant of each line', async () => {
    const line = {
      ...{
        shipped_quantity: 1,
        shipped_ean: '8712345678906',
        shipped_article_code: 'A-1',
        shipped_sku: null,
      },
      ...{ variant: goodsVariant(1), serial_numbers: ['S1'] },
    }
    const row = { ...scriptedShipment(1), shipment_lines: Array.from({ length: 50 }, () => line) }
    answer = { status: 200, body: Buffer.from(JSON.stringify(Array.from({ length: 200 }, () => row))) }
    const outcome = await list()
    expect(outcome.kind === 'answer' && outcome.value.rows.length).toBe(200)
  })

  it('does not parse a hundred thousand nested lists', async () => {
    answer = { status: 200, body: Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) }
    expect(await list()).toMatchObject(malformed)
  })

  it('does not parse a row with a quarter of a million fields, or a number with a million digits', async () => {
    const names = Array.from({ length: 250_000 }, (_, at) => `"n${at.toString(36)}":1`)
    answer = { status: 200, body: Buffer.from(`[{${names.join(',')}}]`) }
    expect(await list()).toMatchObject(malformed)
    answer = { status: 200, body: Buffer.from(`[${'7'.repeat(1_000_000)}]`) }
    expect(await list()).toMatchObject(malformed)
  })

  it('accepts no record that is larger than two megabytes', async () => {
    answer = { status: 200, body: Buffer.from(JSON.stringify({ id: 'x'.repeat(3 * mb) })) }
    expect(await api.getShipment('t', 'a')).toMatchObject(malformed)
  })

  it('accepts a response of nine megabytes that lists lots, but not one that lists shipments', async () => {
    const row = { quantity: 'no batch', more: Array.from({ length: 200 }, () => 'x'.repeat(1_500)) }
    const body = Buffer.from(JSON.stringify(Array.from({ length: 30 }, () => row)))
    answer = { status: 200, body }
    expect(await api.listBatches('t', 'A', 1)).toMatchObject({ kind: 'answer' })
    expect(await list()).toMatchObject(malformed)
  })

  it('tells caches not to answer it', async () => {
    answer = { status: 200, body: Buffer.from('[]') }
    await list()
    expect(sent['cache-control']).toBe('no-cache')
    await api.write('t', routes.createReturnLabel, { body: { shipment_id: 'a' } })
    expect(sent['cache-control']).toBe('no-cache')
  })

  it.each([
    [undefined, false],
    ['0', false],
    ['soon', false],
    ['1', true],
    ['86400', true],
  ])('reports whether a cache has stored the response, by its Age: %s', async (age, isStored) => {
    for (const status of [200, 404]) {
      answer = { status, body: Buffer.from(status === 200 ? '[]' : '{}'), ...(age && { age }) }
      const outcome = await list()
      expect(outcome.kind).toBe(status === 200 ? 'answer' : 'refused')
      expect('isStored' in outcome && outcome.isStored).toBe(isStored)
    }
  })

  it('shortens the reason of a refusal that contains thousands of errors', async () => {
    const errors = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`field${String(at)}`, ['no']]),
    )
    answer = { status: 400, body: Buffer.from(JSON.stringify({ errors })) }
    const outcome = await api.write('t', routes.createReturnLabel, { body: { shipment_id: 'a' } })
    expect(outcome).toMatchObject({ kind: 'refused', failure: { params: { status: 400 } } })
    if (outcome.kind === 'refused') expect(String(outcome.failure.params['reason']).length).toBeLessThan(201)
  })

  it('removes its own credentials from the reason of a refusal, also at the end of the shortened reason', async () => {
    const token = 'ab12'.repeat(32)
    const refuse = (body: object): void => {
      answer = { status: 400, body: Buffer.from(JSON.stringify(body)) }
    }
    const query = { page: 1, limit: 200 }
    refuse({ message: `Bearer ${token} is not valid for ${'x'.repeat(90)} ${token}` })
    const outcomes: unknown[] = [await api.listShipments(token, query), await api.refresh(token)]
    refuse({ errors: { password: ['hunter-hunter is too short'] } })
    outcomes.push(await api.login({ username: 'kim', password: 'hunter-hunter' }))
    expect(outcomes).toMatchObject(Array.from({ length: 3 }, () => ({ kind: 'refused' })))
    const said = JSON.stringify(outcomes)
    expect(said).not.toContain('ab12')
    expect(said).not.toContain('hunter')
    expect(said).toContain('is not valid for')
    expect(said).toContain('is too short')
  })

  it('refuses a record whose id is not the id in the path, unless the path contains the id of another kind of record', async () => {
    const { wire } = scriptedLabel(1, scriptedShipment(1))
    const other = serverLabelIdOf(smallId(77))
    answer = { status: 200, body: Buffer.from(JSON.stringify(wire)) }
    expect(await api.getReturnLabel('t', wire.id)).toMatchObject({ kind: 'answer', value: { id: wire.id } })
    expect(await api.getReturnLabel('t', other)).toMatchObject(malformed)
    const patch = { id: other, body: { sender_address: { city: 'Breda' } } }
    expect(await api.write('t', routes.patchReturnLabel, patch)).toMatchObject(malformed)
    expect(await api.write('t', routes.requestReturnLabel, { id: other })).toMatchObject(malformed)
    expect(await api.getShipmentReturnLabel('t', smallId(1))).toMatchObject({ kind: 'answer' })
  })

  it('does not repeat a read that failed because of too many interim responses on a persistent connection', async () => {
    answer = { status: 200, body: Buffer.from('[]') }
    expect(await list()).toMatchObject({ kind: 'answer' })
    let floods = 0
    server.removeAllListeners('request')
    server.on('request', (_, response: ServerResponse) => {
      floods++
      response.socket?.write('HTTP/1.1 103 a\r\n\r\n'.repeat(100))
    })
    expect(await list()).toMatchObject(malformed)
    expect(floods).toBe(1)
  })

  it('that times out on a persistent connection closes the idle connections, so that the next read uses a new one, and is not repeated', async () => {
    const kept = new Set<Socket>()
    const lost = new Set<Socket>()
    let unanswered = 0
    server.on('connection', (socket) => kept.add(socket))
    server.removeAllListeners('request')
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      if (lost.has(socket)) unanswered++
      else response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
    })
    api = createApiClient({ ...options(), timeouts: { ...standardTimeouts, headersMs: 2_000 } })
    expect(await Promise.all([list(), list(), list()])).toMatchObject(Array(3).fill({ kind: 'answer' }))
    expect(kept.size).toBe(3)
    // as after a sleep of the PC: a gateway has forgotten the open connections and drops their packets
    for (const socket of kept) lost.add(socket)
    expect(await list()).toMatchObject({ failure: { code: 'network.timeout' } })
    expect(await list()).toMatchObject({ kind: 'answer' })
    expect([kept.size, unanswered]).toEqual([4, 1])
  })

  it('shares 32 connections with 959 other reads made at the same time, and never waits in the queue of the agent', async () => {
    const held: ServerResponse[] = []
    let connections = 0
    let waiting = 0
    const answerAll = (): void => {
      const queued = Object.values(agents.forReads(new URL(options().embedded())).requests)
      waiting = Math.max(waiting, queued.length)
      for (const response of held.splice(0))
        response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
    }
    server.on('connection', () => connections++)
    server.removeAllListeners('request')
    server.on('request', (_, response: ServerResponse) => {
      held.push(response)
      if (held.length === mostReads) setImmediate(answerAll)
    })
    const reads = Array.from({ length: mostReads * 30 }, () => api.listLocationTypes('t'))
    const kinds = new Set((await Promise.all(reads)).map(({ kind }) => kind))
    expect([...kinds]).toEqual(['answer'])
    expect({ connections, waiting }).toEqual({ connections: mostReads, waiting: 0 })
  })

  it('that reads is sent before older waiting reads; after every fourth read that ends, the oldest waiting read is sent next; if more than 2,000 reads wait, the oldest of them is never sent', async () => {
    const arrived: string[] = []
    const held: ServerResponse[] = []
    let isSlow = true
    const allHeld = Promise.withResolvers<undefined>()
    server.removeAllListeners('request')
    server.on('request', ({ url = '' }, response: ServerResponse) => {
      arrived.push(new URL(url, 'http://service').searchParams.get('order_external_reference') ?? '')
      if (!isSlow) return void response.end('[]')
      held.push(response)
      if (held.length === mostReads) allHeld.resolve(undefined)
    })
    const ask = (order: string): ReturnType<ApiPort['shipmentsOfOrder']> => api.shipmentsOfOrder('t', order)
    const first = Array.from({ length: mostReads }, (_, n) => ask(`first ${n}`))
    await allHeld.promise
    const oldest = ask('oldest')
    const others = Array.from({ length: 1_999 }, (_, n) => ask(`other ${n}`))
    const newest = ask('newest')
    expect(await oldest).toMatchObject({ kind: 'not_sent', failure: { code: 'api.too_many_requests' } })
    isSlow = false
    for (const response of held) response.end('[]')
    expect(await newest).toMatchObject({ kind: 'answer' })
    const outcomes = await Promise.all([...first, ...others])
    expect(outcomes.every(({ kind }) => kind === 'answer')).toBe(true)
    expect(arrived).toHaveLength(mostReads + 2_000)
    // the first calls end at almost the same time, so the calls that start next may arrive in any order
    const next = arrived.slice(mostReads, 2 * mostReads)
    expect(next).toEqual(expect.arrayContaining(['newest', 'other 0']))
    expect(next).not.toContain('other 40')
  })

  it('is answered if a scan needs it, even while a thousand reads of stock and lots wait for the service', async () => {
    const held: ServerResponse[] = []
    const end = (response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
    }
    server.removeAllListeners('request')
    server.on('request', ({ url = '' }, response: ServerResponse) => {
      if (url.includes('/articles/')) end(response)
      else held.push(response)
    })
    const details = Array.from({ length: 500 }, () => [
      api.listStock('t', 'A'),
      api.listBatches('t', 'A', 1),
    ]).flat()
    expect(await api.listArticles('t', { sku: 'A' })).toMatchObject({ kind: 'answer' })
    expect(held.length).toBeLessThanOrEqual(mostReads / 2)
    server.removeAllListeners('request')
    server.on('request', (_, response: ServerResponse) => end(response))
    held.forEach(end)
    expect((await Promise.all(details)).every(({ kind }) => kind === 'answer')).toBe(true)
  })
})
