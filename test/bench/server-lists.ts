import { Agent, request as httpRequest } from 'node:http'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import { bulkEan, bulkPicks, bulkVariant } from '#support/bulk-goods.ts'
import { shareOf } from './bench-share.ts'
import { besideRawWrites } from './beside-raw-writes.ts'
import { type NoPeer, printFigure, type Sample } from './figure.ts'
import { demoHeaders, load, MeasuredServer, type Request } from './measured-server.ts'
import { say } from './progress.ts'
import { variantCount } from './server-data.ts'

const list = '/wms/variants/?limit=50'
const rounds = 5
const connections = 8

/** A server to compare, and the number of requests in one round. */
interface Contender {
  readonly name: string
  readonly server: MeasuredServer
  readonly headers: Readonly<Record<string, string>>
  readonly path: string
  readonly requests: number
  /** Requests per second, one value for each round. */
  readonly rates: number[]
  /** Requests per second of CPU time of the server's process. */
  readonly cpuRates: number[]
}

/** Measures how fast the middleware and other servers return a list of 50 variants, one server after the other. */
export async function benchList(folder: string): Promise<void> {
  const files = mkdtempSync(join(tmpdir(), 'scandesk-bench-lists-'))
  const servers: MeasuredServer[] = []
  const start = async (starting: Promise<MeasuredServer>): Promise<MeasuredServer> => {
    const server = await starting
    servers.push(server)
    return server
  }
  try {
    const own = await start(MeasuredServer.middleware('--data', folder))
    const headers = await demoHeaders(own.url)
    const express = await start(MeasuredServer.peer('express-list.mjs', join(folder, 'middleware.db')))
    const [bytes, expressBytes] = [await get(own.url + list, headers), await get(express.url + list, headers)]
    if (!bytes.equals(expressBytes)) throw new Error('the express app sends other bytes')
    const listFile = join(files, 'list.json')
    writeFileSync(listFile, bytes)
    const contender = (name: string, server: MeasuredServer, requests: number, path = list): Contender => ({
      name,
      server,
      headers,
      path,
      requests: shareOf(requests),
      rates: [],
      cpuRates: [],
    })
    const ours = contender(`list of 50 of ${variantCount} variants`, own, 500)
    const inExpress = contender('express, the same login check, statements and bytes', express, 500)
    const fixed = contender(
      'a static buffer of the same bytes on node:http',
      await start(MeasuredServer.peer('static-list.mjs', listFile)),
      3_000,
    )
    const document = resolve(import.meta.dirname, '../../resources/openapi.json')
    const prism = contender(
      'Prism with openapi.json, which generates one variant',
      await start(MeasuredServer.peer('prism-list.mjs', document)),
      100,
    )
    const exampleFile = join(files, 'openapi.json')
    writeExample(document, bytes, exampleFile)
    const fullPrism = contender(
      'Prism with openapi.json and the same 50 variants as its example',
      await start(MeasuredServer.peer('prism-list.mjs', exampleFile)),
      100,
    )
    const loaded = await loadJsonServer(join(files, 'variants.json'))
    if (loaded !== null) servers.push(loaded.server)
    const others = [inExpress, fixed, prism, fullPrism]
    const jsonServer =
      loaded &&
      contender(
        `json-server with ${loaded.records} records`,
        loaded.server,
        1,
        '/variants?_sort=name&_page=1&_limit=50',
      )
    if (jsonServer) others.push(jsonServer)
    say(`listing in turn with ${others.length} others …`)
    for (const each of [ours, ...others]) await runRound(each)
    for (const each of [ours, ...others]) each.rates.length = each.cpuRates.length = 0
    for (let round = 0; round < rounds; round++) for (const each of [ours, ...others]) await runRound(each)
    const compare = (other: Contender | NoPeer, atLeast: number | null): void => {
      const goal = atLeast === null ? {} : { goal: { of: 'ratio', atLeast } as const }
      const peer = (values: 'rates' | 'cpuRates'): Sample | NoPeer =>
        'why' in other ? other : { name: other.name, values: other[values] }
      printFigure({ name: ours.name, values: ours.rates }, peer('rates'), { unit: 'requests/s', ...goal })
      printFigure({ name: ours.name, values: ours.cpuRates }, peer('cpuRates'), { unit: 'requests/CPU-s' })
    }
    compare(inExpress, 1)
    compare(fullPrism, 4)
    compare(prism, null)
    compare(jsonServer ?? { name: 'json-server', why: 'it could not load the records' }, 20)
    compare(fixed, null)
  } finally {
    for (const server of servers) await server.stop()
    rmSync(files, { recursive: true })
  }
}

/**
 * Writes an OpenAPI document whose example of the list of variants contains the rows. Prism then sends this example.
 */
function writeExample(document: string, rows: Buffer, path: string): void {
  const content = z.looseObject({ example: z.unknown().optional() })
  const whole = z
    .looseObject({
      paths: z.looseObject({
        '/wms/variants/': z.looseObject({
          get: z.looseObject({
            responses: z.looseObject({
              200: z.looseObject({ content: z.looseObject({ 'application/json': content }) }),
            }),
          }),
        }),
      }),
    })
    .parse(JSON.parse(readFileSync(document, 'utf8')))
  const list = whole.paths['/wms/variants/'].get.responses[200].content['application/json']
  list.example = JSON.parse(rows.toString()) as unknown
  writeFileSync(path, JSON.stringify(whole))
}

async function runRound({ server, headers, path, requests, rates, cpuRates }: Contender): Promise<void> {
  const before = await server.usage()
  const { elapsedMs } = await load(server, headers, {
    connections,
    requests: Array.from({ length: requests }, () => ({ path })),
  })
  const { cpuMs } = await server.usage()
  rates.push(requests / (elapsedMs / 1000))
  cpuRates.push(requests / ((cpuMs - before.cpuMs) / 1000))
}

/**
 * Starts json-server with the largest of six numbers of variants that it can load. Returns null if it cannot load even
 * a hundredth of `variantCount`.
 */
async function loadJsonServer(file: string): Promise<{ server: MeasuredServer; records: number } | null> {
  for (const share of [1, 0.8, 0.5, 0.2, 0.1, 0.01]) {
    const records = Math.round(variantCount * share)
    say(`loading ${records} variants in json-server …`)
    writeVariants(file, records)
    try {
      return { server: await MeasuredServer.peer('json-server-list.mjs', file), records }
    } catch (error) {
      say(`json-server cannot load ${records} records: ${String(error)}`)
    }
  }
  return null
}

function writeVariants(path: string, count: number): void {
  const file = openSync(path, 'w')
  writeSync(file, '{"variants":[')
  let lines: string[] = []
  for (let number = 0; number < count; number++) {
    lines.push(JSON.stringify(bulkVariant(number)))
    if (lines.length < 10_000 && number < count - 1) continue
    writeSync(file, `${lines.join(',')}${number < count - 1 ? ',' : ''}`)
    lines = []
  }
  writeSync(file, ']}')
  closeSync(file)
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Makes one call on a connection that stays open. Throws unless it succeeds. */
async function call(
  url: string,
  { method = 'GET', headers, body }: { method?: string; headers: Record<string, string>; body?: unknown },
): Promise<Buffer> {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const call = httpRequest(url, {
    agent,
    method,
    headers: {
      ...headers,
      ...(sent !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(sent)),
      }),
    },
  })
  const arrived = new Promise<Buffer>((done, fail) => {
    call.on('error', fail)
    call.on('response', (response) => {
      void buffer(response).then((content) => {
        if (response.statusCode === 200 || response.statusCode === 201) done(content)
        else fail(new Error(`${method} ${url}: ${response.statusCode} ${content.toString()}`))
      }, fail)
    })
  })
  call.end(sent)
  return arrived
}

function get(url: string, headers: Record<string, string>): Promise<Buffer> {
  return call(url, { headers })
}

/** Measures a random page of the list, compared with the first page. Both calls alternate, one call at a time. */
export async function benchPages(folder: string): Promise<void> {
  const server = await MeasuredServer.middleware('--data', folder)
  try {
    const headers = await demoHeaders(server.url)
    const count = shareOf(200, 100)
    say(`reading ${count} random pages …`)
    const [first, random]: [number[], number[]] = [[], []]
    const pages = bulkPicks(count, Math.floor(variantCount / 50))
    for (let warm = 0; warm < 20; warm++) await get(server.url + list, headers)
    for (const page of pages) {
      first.push(await timed(() => get(server.url + list, headers)))
      random.push(await timed(() => get(`${server.url}${list}&page=${page + 1}`, headers)))
    }
    printFigure(
      { name: `a random page of 50 of ${variantCount} variants`, values: random },
      { name: 'the first page', values: first },
      { goal: { of: 'ratio', atMost: 10 } },
    )
  } finally {
    await server.stop()
  }
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await act()
  return performance.now() - began
}

/**
 * Measures searches for codes, barcodes and parts of names, compared with the list without a search. Both calls
 * alternate, one call at a time.
 */
export async function benchSearch(engine: string, place: readonly string[]): Promise<void> {
  const server = await MeasuredServer.middleware(...place)
  try {
    const headers = await demoHeaders(server.url)
    const count = shareOf(120, 102)
    say(`searching ${count} times on ${engine} …`)
    const [searched, listed]: [number[], number[]] = [[], []]
    for (const [turn, number] of bulkPicks(count, variantCount, 7).entries()) {
      const { article_code: code, name } = bulkVariant(number)
      const words = name.split(' ').slice(1, 4).join(' ')
      const text = [code, bulkEan(number), words][turn % 3] ?? ''
      const search = `/wms/stock/?limit=50&search=${encodeURIComponent(text)}`
      let found = 0
      searched.push(await timed(async () => (found = (await get(server.url + search, headers)).length)))
      if (found < 100) throw new Error(`the search for ${text} found nothing`)
      listed.push(await timed(() => get(`${server.url}/wms/stock/?limit=50`, headers)))
    }
    printFigure(
      { name: `a search in ${variantCount} variants on ${engine}`, values: searched },
      { name: 'the list without a search', values: listed },
      { goal: { of: 'p99', atMost: 10 } },
    )
  } finally {
    await server.stop()
  }
}

/**
 * Measures a create with its commit, compared with a raw write of the same size in the folder of the database. Creates
 * and raw writes alternate.
 */
export async function benchCreates(folder: string): Promise<void> {
  const server = await MeasuredServer.middleware('--data', folder)
  try {
    const headers = await demoHeaders(server.url)
    const count = shareOf(300, 100)
    say(`creating ${count} articles …`)
    const { own, raw, bytes } = await besideRawWrites(folder, count, async (turn) => {
      const code = `CREATED-${turn}`
      const body = { name: `Created ${turn}`, variants: [{ article_code: code }] }
      await call(`${server.url}/wms/articles/`, { method: 'POST', headers, body })
    })
    printFigure(
      { name: `a create with its commit among ${variantCount} variants`, values: own },
      { name: `a raw write and fdatasync of ${bytes} bytes in the same folder`, values: raw },
      { goal: { of: 'p99Ratio', atMost: 5 } },
    )
  } finally {
    await server.stop()
  }
}

/**
 * Measures the memory that the server's process uses after many requests for lists, single variants and creates. With
 * 100,000 requests, a leak of 100 bytes in each request would add 10 MB.
 */
export async function benchMemory(folder: string): Promise<void> {
  const server = await MeasuredServer.middleware('--data', folder)
  try {
    const headers = await demoHeaders(server.url)
    const portion = shareOf(10_000, 1_000)
    const [warmUp, all] = [portion, 10 * portion]
    say(`sending ${warmUp + all} requests …`)
    let sent = 0
    const send = async (count: number): Promise<number> => {
      for (const end = sent + count; sent < end;) {
        const requests = Array.from({ length: portion }, () => mixedRequest(sent++))
        await load(server, headers, { connections, requests })
      }
      return (await server.memory()) / 1024 ** 2
    }
    const warm = await send(warmUp)
    const last = await send(all)
    printFigure(
      { name: `memory in use after ${all} further requests`, values: [last] },
      { name: `memory in use after ${warmUp} requests`, values: [warm] },
      { unit: 'MB', goal: { of: 'ratio', atMost: 1.1 } },
    )
  } finally {
    await server.stop()
  }
}

/**
 * Returns the request with this number. Of every eighteen requests, one reads a list of 50 variants, sixteen read a
 * single variant and one creates an article.
 */
function mixedRequest(number: number): Request {
  const kind = number % 18
  if (kind === 0) return { path: list }
  if (kind > 1) return { path: `/wms/variants/${bulkVariant((number * 7_919) % variantCount).id}/` }
  const body = { name: `Memory ${number}`, variants: [{ article_code: `MEMORY-${number}` }] }
  return { method: 'POST', path: '/wms/articles/', body }
}
