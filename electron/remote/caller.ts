import type { z } from 'zod'
import type { ApiOutcome } from '#desk/ports/api.ts'
import type { Scope } from '#shared/domain/scope.ts'
import type { Route } from '#shared/wire/routes.ts'
import type { ApiClientOptions } from './api-client-options.ts'
import { resolveBaseUrl } from './base-url.ts'
import { exchange, type Exchange } from './exchange.ts'
import { type CallTopic, judge } from './judge.ts'
import { greetingTimeouts } from './timeouts.ts'

/** Largest JSON answer, decompressed: a page of 1000 shipments with everything expanded is a tenth of it. */
const largestAnswerBytes = 32 * 1024 * 1024

export type Query = Readonly<Record<string, string | number | undefined>>

interface Call {
  readonly access?: string
  readonly id?: string
  readonly query?: Query
  readonly body?: unknown
  readonly expand?: string
  readonly topic?: CallTopic
  /** Only asks whether somebody is there: on a connection of its own, since a kept one may be half open, and not long. */
  readonly isGreeting?: true
}

/** Makes one call of the route table and judges its answer by the schema. */
export type Caller = <T>(route: Route, schema: z.ZodType<T>, call: Call) => Promise<ApiOutcome<T>>

/** Never throws, never retries a write, follows no redirect; a read is tried again on a connection that had died. */
export function createCaller({ scope, embedded, agents, timeouts }: ApiClientOptions): Caller {
  return async (route, schema, call) => {
    const base = resolveBaseUrl(scope.baseUrl, embedded)
    if (!base.ok) return { kind: 'not_sent', failure: base.failure }
    const url = addressOf(base.url, route, call)
    const isRead = route.method === 'GET'
    const once = (): Promise<Exchange> =>
      exchange({
        url,
        method: route.method,
        headers: headersOf(scope, call),
        body: call.body === undefined ? null : JSON.stringify(call.body),
        agent: isRead && !call.isGreeting ? agents.forReads(url) : agents.forWrite(url),
        throughProxy: agents.throughProxy(url),
        timeouts: call.isGreeting ? greetingTimeouts(timeouts) : timeouts,
        largestBytes: largestAnswerBytes,
      })
    let result = await once()
    // a kept connection that the other side had closed meanwhile; safe for a read only
    if (isRead && result.kind === 'failed' && result.reusedSocket && result.code !== 'TIMEOUT')
      result = await once()
    return judge(result, schema, call.topic ?? 'other', url.host)
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
