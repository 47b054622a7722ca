import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import type { ApiOutcome } from '#desk/ports/api.ts'
import type { Scope } from '#shared/domain/scope.ts'
import { isJsonWithin } from '#shared/wire/limits.ts'
import type { Route } from '#shared/wire/routes.ts'
import { type Agents, mostReads } from './agents.ts'
import { resolveBaseUrl } from './base-url.ts'
import { exchange, type Exchange, greetingTimeouts, type Timeouts } from './exchange.ts'
import { type CallTopic, judge } from './judge.ts'

export interface ApiClientOptions {
  readonly scope: Scope
  readonly embedded: () => string | null
  readonly agents: Agents
  readonly timeouts: Timeouts
  /** Hosts that may serve label PDFs, beside the service's own. */
  readonly documentHosts: readonly string[]
}

/** Larger responses are parsed in separate turns of the event loop, so that several of them never block it for long. */
const smallBytes = 64 * 1024

/** Failures that this client decides, without a broken connection: a read with such a failure is not repeated. */
const ourCodes: ReadonlySet<string> = new Set(['TIMEOUT', 'TOO_LARGE'])

export type Query = Readonly<Record<string, string | number | undefined>>

interface Call {
  readonly access?: string
  readonly id?: string
  readonly query?: Query
  readonly body?: unknown
  readonly expand?: string
  readonly topic?: CallTopic
  /** The rows of this list have many lines. */
  readonly hasLargeRows?: true
  /**
   * The call completes what a card shows of a scan, and may be slow: half of the connections stay free for other reads,
   * so that the next scan never waits for it.
   */
  readonly isDetail?: true
  /**
   * The call only checks whether the service responds. It uses short timeouts and a separate connection, because a
   * persistent one may be half open.
   */
  readonly isGreeting?: true
}

/** Makes one call of the route table and judges its response by the schema. */
export type Caller = <T>(route: Route, schema: z.ZodType<T>, call: Call) => Promise<ApiOutcome<T>>

/**
 * Creates the caller. It never throws, never repeats a write and follows no redirect; it repeats a read once after a
 * stale persistent connection.
 */
export function createCaller({ scope, embedded, agents, timeouts }: ApiClientOptions): Caller {
  const turns = createTurns()
  const places = createPlaces(mostReads)
  const detailPlaces = createPlaces(mostReads / 2)
  return async (route, schema, call) => {
    const base = resolveBaseUrl(scope.baseUrl, embedded)
    if (!base.ok) return { kind: 'not_sent', failure: base.failure }
    const url = addressOf(base.url, route, call)
    const isRead = route.method === 'GET'
    const isKept = isRead && !call.isGreeting
    const once = (): Promise<Exchange> =>
      exchange({
        url,
        method: route.method,
        headers: headersOf(scope, call),
        body: call.body === undefined ? null : JSON.stringify(call.body),
        agent: isKept ? agents.forReads(url) : agents.forWrite(url),
        throughProxy: agents.throughProxy(url),
        timeouts: call.isGreeting ? greetingTimeouts(timeouts) : timeouts,
        largestBytes: largestBytesOf(call),
      })
    const read = (): Promise<Exchange> => places.run(once)
    const placed = (): Promise<Exchange> =>
      call.isDetail ? detailPlaces.run(read) : isKept ? read() : once()
    let result = await placed()
    // the service had closed the persistent connection meanwhile; only a read can be repeated safely
    if (isRead && result.kind === 'failed' && result.reusedSocket && !ourCodes.has(result.code))
      result = await placed()
    const isLarge = result.kind === 'response' && result.body.length > smallBytes
    if (isLarge) await turns.next()
    const counted = withinValues(result, call)
    if (isLarge) await turns.next()
    return judge(counted, schema, call.topic ?? 'other', url.host)
  }
}

function addressOf(base: string, route: Route, call: Call): URL {
  const url = new URL(base + route.path.replace(':id', encodeURIComponent(call.id ?? '')))
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

function headersOf(scope: Scope, call: Call): Record<string, string> {
  return {
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    'x-wms-code': scope.wmsCode,
    'x-customer-code': scope.customerCode,
    ...(call.access === undefined ? {} : { authorization: `Bearer ${call.access}` }),
    ...(call.expand === undefined ? {} : { expand: call.expand }),
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
  }
}

/**
 * Runs at most `most` calls at once; the others wait in their order. The agent would queue them too, but the timeout of
 * a call starts when the agent gets it.
 */
function createPlaces(most: number): { run<T>(call: () => Promise<T>): Promise<T> } {
  let free = most
  const waiting: (() => void)[] = []
  return {
    async run(call) {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await call()
      } finally {
        // the next call gets the place, or the place becomes free
        const next = waiting.shift()
        if (next) next()
        else free++
      }
    },
  }
}

/**
 * Resolves one promise after the other, each in a separate turn of the event loop, so that other work runs in between.
 */
function createTurns(): { next(): Promise<void> } {
  let last = Promise.resolve()
  return { next: () => (last = last.then(() => setImmediate())) }
}

/**
 * Largest JSON response, decompressed, because parsing blocks the thread. A record with everything expanded has a tenth
 * of the first limit. The second limit is added for each requested row of a list, and is several times the size of a
 * usual row. The third is for rows of batches, which contain all lines of their inbounds.
 */
const largestRecordBytes = 2 * 1024 * 1024
const largestRowBytes = 16 * 1024
const largestBatchBytes = 128 * 1024
const largestAnswerBytes = 32 * 1024 * 1024

/**
 * Maximum number of values, and of objects and lists, in one response: the number allowed for one record
 * (shared/wire/limits.ts), more for each requested row, and at most `most`, which blocks the parsing thread for about a
 * tenth of a second. 200 shipments with 50 lines and their variants have 253,000 values in 31,000 objects; 250 lots
 * whose inbounds have 100 lines have 254,000 in 51,000. A larger response is requested again in shorter pages. Only the
 * catalogue's thread reads lots in long pages.
 */
const amounts = {
  values: { base: 100_000, row: 1_500, batch: 3_000, most: 350_000, mostOfBatches: 800_000 },
  objects: { base: 30_000, row: 300, batch: 600, most: 80_000, mostOfBatches: 160_000 },
} as const
const measure = { shapes: 10_000, furtherNames: 20_000, depth: 1_000, digits: 400 } as const

function rowsOf({ query }: Call): number {
  return typeof query?.['limit'] === 'number' ? query['limit'] : 0
}

function largestBytesOf(call: Call): number {
  const rowBytes = call.hasLargeRows ? largestBatchBytes : largestRowBytes
  return Math.min(largestAnswerBytes, largestRecordBytes + rowBytes * rowsOf(call))
}

function mostOf(amount: (typeof amounts)['values' | 'objects'], call: Call): number {
  const { base, row, batch, most, mostOfBatches } = amount
  const own = base + (call.hasLargeRows ? batch : row) * rowsOf(call)
  return Math.min(own, call.hasLargeRows ? mostOfBatches : most)
}

/** Returns the exchange, or a failure `TOO_LARGE` if its body has too many values. */
function withinValues(result: Exchange, call: Call): Exchange {
  if (result.kind !== 'response') return result
  const values = mostOf(amounts.values, call)
  const objects = mostOf(amounts.objects, call)
  if (isJsonWithin(result.body, { ...measure, values, objects, names: values })) return result
  return { kind: 'broken', status: result.status, code: 'TOO_LARGE' }
}
