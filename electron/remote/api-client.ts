import type { z } from 'zod'
import type { ApiOutcome, ApiPort, RecentQuery } from '#desk/ports/api.ts'
import { routes, type Route } from '#shared/wire/routes.ts'
import type { Scope } from '#shared/domain/scope.ts'
import type { ApiClientOptions } from './api-client-options.ts'
import { resolveBaseUrl } from './base-url.ts'
import { downloadDocument } from './document-download.ts'
import { exchange, type Exchange } from './exchange.ts'
import { type CallTopic, judge } from './judge.ts'

/** Largest JSON answer, decompressed: a page of 1000 shipments with everything expanded is a tenth of it. */
const largestAnswerBytes = 32 * 1024 * 1024

const shipmentGroups =
  'shipment_lines,shipment_labels,shipping_address,shipping_method,serial_numbers,variant'

type Query = Readonly<Record<string, string | number | undefined>>

interface Call {
  readonly access?: string
  readonly id?: string
  readonly query?: Query
  readonly body?: unknown
  readonly expand?: string
  readonly topic?: CallTopic
}

/** The service over HTTP (api.md). Never throws, never retries a write, follows no redirect. */
export function createApiClient(options: ApiClientOptions): ApiPort {
  const call = createCaller(options)
  const recent = (query: RecentQuery): Query => ({ ...query, sort: 'createdAt', direction: 'desc' })
  const label = 'return_label'
  return {
    login: (body) => call(routes.login, routes.login.response, { body, topic: 'login' }),
    refresh: (token) => call(routes.refresh, routes.refresh.response, { body: { refresh_token: token } }),
    listCustomers: (access, page) =>
      call(routes.listCustomers, routes.listCustomers.response, { access, query: { page, limit: 100 } }),
    getShipment: (access, id) =>
      call(routes.getShipment, routes.getShipment.response, { access, id, expand: shipmentGroups }),
    listShipments: (access, query) =>
      call(routes.listShipments, routes.listShipments.response, {
        access,
        query: recent(query),
        expand: shipmentGroups,
      }),
    shipmentsOfOrder: (access, order) =>
      call(routes.listShipments, routes.listShipments.response, {
        access,
        query: { order_external_reference: order, sort: 'createdAt', direction: 'desc' },
        expand: shipmentGroups,
      }),
    listReturnLabels: (access, query) =>
      call(routes.listReturnLabels, routes.listReturnLabels.response, {
        access,
        query: recent(query),
        expand: 'shipment',
        topic: label,
      }),
    getReturnLabel: (access, id) =>
      call(routes.getReturnLabel, routes.getReturnLabel.response, { access, id, topic: label }),
    createReturnLabel: (access, body) =>
      call(routes.createReturnLabel, routes.createReturnLabel.response, { access, body, topic: label }),
    requestReturnLabel: (access, id) =>
      call(routes.requestReturnLabel, routes.requestReturnLabel.response, { access, id, topic: label }),
    downloadDocument: (url) => downloadDocument(url, options),
  }
}

type Caller = <T>(route: Route, schema: z.ZodType<T>, call: Call) => Promise<ApiOutcome<T>>

function createCaller({ scope, embedded, agents, timeouts }: ApiClientOptions): Caller {
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
        agent: isRead ? agents.forReads(url) : agents.forWrite(url),
        throughProxy: agents.throughProxy(url),
        timeouts,
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
