import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import type { ApiOutcome } from '#desk/ports/api.ts'
import type { Scope } from '#shared/domain/scope.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { isJsonWithin } from '#shared/wire/limits.ts'
import type { Route } from '#shared/wire/routes.ts'
import { type Agents, mostReads } from './agents.ts'
import { type Embedded, resolveBaseUrl } from './base-url.ts'
import { exchange, type Exchange, greetingTimeouts, type Timeouts } from './exchange.ts'
import { type CallTopic, judge } from './judge.ts'

export interface ApiClientOptions {
  readonly scope: Scope
  readonly embedded: () => Embedded
  readonly agents: Agents
  readonly timeouts: Timeouts
  /** Hosts that may serve label PDFs, in addition to the service's host. */
  readonly documentHosts: readonly string[]
}

/**
 * Maximum size of a small response, in bytes. In each turn of the event loop at most one response that is not small is
 * parsed, so that several large responses do not block the event loop for long.
 */
const smallBytes = 64 * 1024

/**
 * Codes of the failures with which this client itself ends a call. A read that ends with such a failure is not
 * repeated.
 */
const ourCodes: ReadonlySet<string> = new Set(['TIMEOUT', 'TOO_LARGE'])

export type Query = Readonly<Record<string, string | number | undefined>>

interface Call {
  readonly access?: string
  readonly id?: string
  readonly query?: Query
  readonly body?: unknown
  /** The password or the token in `body`. */
  readonly secret?: string
  readonly expand?: string
  readonly topic?: CallTopic
  /** Whether each row of this list may contain many lines. */
  readonly hasLargeRows?: true
  /**
   * Whether the call only adds details to the card of a scan. Such calls are allowed to be slow, and use at most half
   * of the connections, so that the next scan never waits for them.
   */
  readonly isDetail?: true
  /**
   * Whether the call only checks if the service responds. Such a call uses short timeouts and a new connection, because
   * a persistent connection may be half open.
   */
  readonly isGreeting?: true
}

/** Calls one endpoint of the route table and checks its response with the schema that the caller passes. */
export type Caller = <T>(route: Route, schema: z.ZodType<T>, call: Call) => Promise<ApiOutcome<T>>

/**
 * Creates the caller. It never throws, never repeats a write, and follows no redirect. It repeats a read once if a
 * persistent connection was stale.
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
    const once = async (): Promise<Exchange> => {
      const result = await exchange({
        url,
        method: route.method,
        headers: headersOf(scope, call),
        body: call.body === undefined ? null : JSON.stringify(call.body),
        agent: isKept ? agents.forReads(url) : agents.forWrite(url),
        throughProxy: agents.throughProxy(url),
        timeouts: call.isGreeting ? greetingTimeouts(timeouts) : timeouts,
        largestBytes: largestBytesOf(call),
      })
      // before the next waiting read starts, because the network may have lost all persistent connections
      if (result.kind === 'failed' && result.reusedSocket && result.code === 'TIMEOUT') agents.closeIdle()
      return result
    }
    const read = (): Promise<Exchange | null> => places.run(once)
    const placed = (): Promise<Exchange | null> =>
      call.isDetail ? detailPlaces.run(read) : isKept ? read() : once()
    let result = await placed()
    // the service had closed the persistent connection before it received the read, so the read is repeated
    if (isRead && result?.kind === 'failed' && result.reusedSocket && !ourCodes.has(result.code))
      result = await placed()
    if (result === null) return { kind: 'not_sent', failure: failure('api.too_many_requests') }
    const isLarge = result.kind === 'response' && result.body.length > smallBytes
    if (isLarge) await turns.next()
    const counted = withinValues(result, call)
    if (isLarge) await turns.next()
    const outcome = judge(counted, schema, call.topic ?? 'other', url.host, secretsOf(call))
    if (outcome.kind !== 'answer' || !isAnother(outcome.value, route, call)) return outcome
    const { status } = outcome
    return { kind: 'ambiguous', status, failure: failure('api.malformed_answer', { status }) }
  }
}

/**
 * Whether the record in a response has another id than the call. A proxy that confuses responses can cause this.
 * Without this check, the desk would send its next writes for its own record to that other record.
 */
function isAnother(value: unknown, { returnsOther }: Route, { id }: Call): boolean {
  if (id === undefined || returnsOther === true) return false
  if (typeof value !== 'object' || value === null || !('id' in value)) return false
  return typeof value.id === 'string' && value.id.toLowerCase() !== id.toLowerCase()
}

/**
 * Returns the credentials of a call, which are removed from texts of the service. A credential of fewer than four
 * characters is left out, because its characters would also be removed from ordinary words.
 */
function secretsOf({ access, secret }: Call): string[] {
  return [access, secret].filter((one) => one !== undefined && one.length >= 4) as string[]
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
    // a cache must ask the service, because a stored list does not show the effect of a write whose response was lost
    'cache-control': 'no-cache',
    'x-wms-code': scope.wmsCode,
    'x-customer-code': scope.customerCode,
    ...(call.access === undefined ? {} : { authorization: `Bearer ${call.access}` }),
    ...(call.expand === undefined ? {} : { expand: call.expand }),
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
  }
}

/**
 * Maximum number of calls that wait until another call ends. It is greater than the number of calls that the window
 * makes at one time. Without the limit, scans at a slow service would add calls faster than the service answers them.
 */
const mostWaiting = 2_000

/**
 * Runs at most `most` calls at once. When a call ends, usually the newest waiting call starts, because the operator
 * waits for the newest scan, and an older scan may have ended already at its timeout. Every fourth call that ends
 * starts the oldest waiting call instead, because it may belong to a write, which must not wait for all newer scans. If
 * more than `mostWaiting` calls wait, the oldest one is not made, and its `run` returns null. Calls wait here and not
 * in the agent, because the timeout of a call starts when the agent receives the call.
 */
function createPlaces(most: number): { run<T>(call: () => Promise<T>): Promise<T | null> } {
  let free = most
  let given = 0
  const waiting: ((mayRun: boolean) => void)[] = []
  const place = (): Promise<boolean> =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (waiting.length > mostWaiting) waiting.shift()?.(false)
    })
  return {
    async run(call) {
      if (free > 0) free--
      else if (!(await place())) return null
      try {
        return await call()
      } finally {
        // each fourth call that ends starts the oldest waiting call, the others start the newest; if no call waits, the
        // next call can start at once
        const next = ++given % 4 === 0 ? waiting.shift() : waiting.pop()
        if (next) next(true)
        else free++
      }
    },
  }
}

/**
 * Returns promises that resolve one after the other, each in a separate turn of the event loop, so that other work can
 * run in between.
 */
function createTurns(): { next(): Promise<void> } {
  let last = Promise.resolve()
  return { next: () => (last = last.then(() => setImmediate())) }
}

/**
 * Limits in bytes for a decompressed JSON response, because parsing the response blocks the thread.
 * `largestRecordBytes`: for a record, ten times the size of a complete record. `largestRowBytes`: added for each
 * requested row of a list, several times the size of a usual row. `largestBatchBytes`: added for each requested row of
 * a list of batches in place of `largestRowBytes`, because a batch contains all lines of its inbound.
 * `largestAnswerBytes`: the maximum for any response.
 */
const largestRecordBytes = 2 * 1024 * 1024
const largestRowBytes = 16 * 1024
const largestBatchBytes = 128 * 1024
const largestAnswerBytes = 32 * 1024 * 1024

/**
 * Maximum numbers of values, and of objects and lists, in one response. `base`: for a record (shared/wire/limits.ts).
 * `row` and `batch`: added for each requested row. `mostOfBatches`: the maximum for a list of batches. `most`: the
 * maximum for any other response; parsing `most` values blocks the thread for about a tenth of a second. For
 * comparison, 200 shipments with 50 lines and their variants have 253,000 values in 31,000 objects, and 250 lots whose
 * inbounds have 100 lines have 254,000 values in 51,000 objects. If a response is larger, the rows are requested again
 * in shorter pages. Only the thread of the catalogue reads lots in long pages.
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

/** Returns the exchange. If its body has too many values, returns a failure `TOO_LARGE` instead. */
function withinValues(result: Exchange, call: Call): Exchange {
  if (result.kind !== 'response') return result
  const values = mostOf(amounts.values, call)
  const objects = mostOf(amounts.objects, call)
  if (isJsonWithin(result.body, { ...measure, values, objects, names: values })) return result
  return { kind: 'broken', status: result.status, code: 'TOO_LARGE' }
}
