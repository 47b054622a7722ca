import { z } from 'zod'
import type { ApiPort, RecentQuery } from '#desk/ports/api.ts'
import { customer } from '#shared/wire/customer.ts'
import { returnLabel } from '#shared/wire/return-label.ts'
import { routes } from '#shared/wire/routes.ts'
import { shipment } from '#shared/wire/shipment.ts'
import type { ApiClientOptions } from './api-client-options.ts'
import { createCaller, type Query } from './caller.ts'
import { downloadDocument } from './document-download.ts'
import { goodsCalls } from './goods-calls.ts'
import { modificationCalls } from './modification-calls.ts'
import { rowPage, wholeList } from './row-page.ts'

const shipments = rowPage(shipment)
const labels = rowPage(returnLabel)
const customers = wholeList(customer)
const shipmentsOfOne = wholeList(shipment)
const shipmentGroups =
  'shipment_lines,shipment_labels,shipping_address,shipping_method,serial_numbers,variant'

/** The service over HTTP (api.md). Never throws, never retries a write, follows no redirect. */
export function createApiClient(options: ApiClientOptions): ApiPort {
  const call = createCaller(options)
  const recent = (query: RecentQuery): Query => ({ ...query, sort: 'createdAt', direction: 'desc' })
  const label = 'return_label'
  return {
    login: (body) => call(routes.login, routes.login.response, { body, topic: 'login' }),
    refresh: (token) => call(routes.refresh, routes.refresh.response, { body: { refresh_token: token } }),
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
    createReturnLabel: (access, body) =>
      call(routes.createReturnLabel, routes.createReturnLabel.response, { access, body, topic: label }),
    patchReturnLabel: (access, id, body) =>
      call(routes.patchReturnLabel, routes.patchReturnLabel.response, { access, id, body, topic: label }),
    requestReturnLabel: (access, id) =>
      call(routes.requestReturnLabel, routes.requestReturnLabel.response, { access, id, topic: label }),
    cancelReturnLabel: (access, id) =>
      call(routes.cancelReturnLabel, routes.cancelReturnLabel.response, { access, id, topic: label }),
    ...goodsCalls(call),
    ...modificationCalls(call),
    downloadDocument: (url) => downloadDocument(url, options),
  }
}
