import { z } from 'zod'
import type { ApiPort, RecentQuery } from '#desk/ports/api.ts'
import { article } from '#shared/wire/article.ts'
import { batch } from '#shared/wire/batch.ts'
import { customer } from '#shared/wire/customer.ts'
import { locationType } from '#shared/wire/location-type.ts'
import { modification } from '#shared/wire/modification.ts'
import { returnLabel } from '#shared/wire/return-label.ts'
import { type AnswerOf, type CallOf, type Route, routes } from '#shared/wire/routes.ts'
import { shipment } from '#shared/wire/shipment.ts'
import { shippingMethod } from '#shared/wire/shipping-method.ts'
import { stock } from '#shared/wire/stock.ts'
import { variant } from '#shared/wire/variant.ts'
import { type ApiClientOptions, type Caller, createCaller, type Query } from './caller.ts'
import { downloadDocument } from './document-download.ts'
import { rowPage, wholeList } from './row-page.ts'

const shipments = rowPage(shipment)
const labels = rowPage(returnLabel)
const customers = wholeList(customer)
const shipmentsOfOne = wholeList(shipment)
const shipmentGroups =
  'shipment_lines,shipment_labels,shipping_address,shipping_method,serial_numbers,variant'

const articles = rowPage(article)
const variants = rowPage(variant)
const batches = rowPage(batch)
const stocks = rowPage(stock)
const methods = rowPage(shippingMethod)
const types = rowPage(locationType)

const modifications = rowPage(modification)

/** Number of rows that are requested in each page of a small list. */
const smallPage = 100

/**
 * Creates the client of the service over HTTP (API.md). It never throws, never repeats a write, and follows no
 * redirect.
 */
export function createApiClient(options: ApiClientOptions): ApiPort {
  const call = createCaller(options)
  const recent = (query: RecentQuery): Query => ({ ...query, sort: 'createdAt', direction: 'desc' })
  const label = 'return_label'
  return {
    login: (body) =>
      call(routes.login, routes.login.response, { body, secret: body.password, topic: 'login' }),
    refresh: (token) =>
      call(routes.refresh, routes.refresh.response, { body: { refresh_token: token }, secret: token }),
    listCustomers: (access, page) =>
      call(routes.listCustomers, customers, { access, query: { page, limit: 100 } }),
    greet: (access) =>
      call(routes.listCustomers, z.unknown(), {
        ...(access === null ? {} : { access }),
        query: { page: 1, limit: 1 },
        isGreeting: true,
      }),
    getShipment: (access, id) =>
      call(routes.getShipment, routes.getShipment.response, { access, id, expand: shipmentGroups }),
    listShipments: (access, query) =>
      call(routes.listShipments, shipments(query.limit), {
        access,
        query: recent(query),
        expand: shipmentGroups,
      }),
    shipmentsOfOrder: (access, order) =>
      call(routes.listShipments, shipmentsOfOne, {
        access,
        query: { order_external_reference: order, sort: 'createdAt', direction: 'desc' },
        expand: shipmentGroups,
      }),
    getShipmentReturnLabel: (access, id) =>
      call(routes.getShipmentReturnLabel, routes.getShipmentReturnLabel.response, { access, id }),
    listReturnLabels: (access, query) =>
      call(routes.listReturnLabels, labels(query.limit), {
        access,
        query: recent(query),
        expand: 'shipment',
        topic: label,
      }),
    getReturnLabel: (access, id) =>
      call(routes.getReturnLabel, routes.getReturnLabel.response, {
        access,
        id,
        expand: 'shipment',
        topic: label,
      }),
    ...goodsCalls(call),
    ...modificationCalls(call),
    write: <R extends Route>(access: string, route: R, sent: CallOf<R> & { readonly expand?: string }) =>
      call<AnswerOf<R>>(route, route.response as z.ZodType<AnswerOf<R>>, {
        ...sent,
        access,
        topic: route.errorFamily === 'return-label' ? label : 'other',
      }),
    downloadDocument: (url) => downloadDocument(url, options),
  }
}

type GoodsCalls = Pick<
  ApiPort,
  | 'getVariant'
  | 'listVariants'
  | 'listArticles'
  | 'listAllBatches'
  | 'listBatches'
  | 'listStock'
  | 'listShippingMethods'
  | 'listLocationTypes'
>

/**
 * Creates the calls for articles, variants, lots, stock, shipping methods and location types (API.md 1.8). Each row of
 * a list is checked separately.
 */
function goodsCalls(call: Caller): GoodsCalls {
  return {
    getVariant: (access, id) => call(routes.getVariant, variant, { access, id }),
    listVariants: (access, query) =>
      call(routes.listVariants, variants(query.limit), { access, query: { ...query } }),
    listArticles: (access, filter) => call(routes.listArticles, articles(), { access, query: { ...filter } }),
    listAllBatches: (access, query) =>
      call(routes.listBatches, batches(query.limit), {
        access,
        hasLargeRows: true,
        query: { sort: 'createdAt', ...query },
      }),
    listBatches: (access, articleCode, page) =>
      call(routes.listBatches, batches(smallPage), {
        access,
        hasLargeRows: true,
        isDetail: true,
        query: { article_code: articleCode, sort: 'id', direction: 'asc', page, limit: smallPage },
      }),
    listStock: (access, articleCode) =>
      call(routes.listStock, stocks(smallPage), {
        access,
        isDetail: true,
        query: { article_code: articleCode, page: 1, limit: smallPage },
      }),
    listShippingMethods: (access, page) =>
      call(routes.listShippingMethods, methods(smallPage), {
        access,
        query: { sort: 'createdAt', direction: 'asc', page, limit: smallPage },
      }),
    listLocationTypes: (access) => call(routes.listLocationTypes, types(), { access }),
  }
}

type ModificationCalls = Pick<ApiPort, 'listModifications' | 'getModification'>

/** Creates the calls for stock modifications (API.md 9.1). */
function modificationCalls(call: Caller): ModificationCalls {
  return {
    listModifications: (access, query) =>
      call(routes.listModifications, modifications(query.limit), {
        access,
        query: { ...query, sort: 'createdAt', direction: 'desc' },
      }),
    getModification: (access, id) =>
      call(routes.getModification, routes.getModification.response, {
        access,
        id,
        expand: 'modification_lines',
      }),
  }
}
