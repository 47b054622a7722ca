import { z } from 'zod'
import { orderStatuses } from '../domain/resource-states.ts'
import { listQuery, soughtText, trueOrFalse } from './listing.ts'
import { order, orderDocument } from './order.ts'
import { orderDocumentInput } from './order-document-input.ts'
import { orderCreate, orderPatch } from './order-input.ts'
import { byId, storedDay } from './primitives.ts'

/** Orders (API.md 6). The calls for a cancellation and for documents have the form that the service's clients use. */
export const orderRoutes = {
  listOrders: {
    summary: 'List orders',
    method: 'GET',
    path: '/wms/orders/',
    query: listQuery(['createdAt', 'status', 'modifiedAt', 'requestedDeliveryDate']).extend({
      reference: soughtText.optional(),
      external_reference: soughtText.optional(),
      external_id: soughtText.optional(),
      status: z.enum(orderStatuses).optional(),
      is_business_to_business: trueOrFalse,
      requested_delivery_date_gte: storedDay.optional(),
    }),
    status: 200,
    response: z.array(order),
    role: 'ORDERS_READ',
  },
  getOrder: {
    summary: 'Get an order',
    method: 'GET',
    path: '/wms/orders/:id/',
    params: byId,
    status: 200,
    response: order,
    role: 'ORDERS_READ',
  },
  createOrder: {
    summary: 'Create an order',
    method: 'POST',
    path: '/wms/orders/',
    failures: [409],
    body: orderCreate,
    status: 201,
    response: order,
    role: 'ORDERS_CREATE',
  },
  patchOrder: {
    summary: 'Change an order of which nothing is picked',
    method: 'PATCH',
    path: '/wms/orders/:id/',
    failures: [412],
    params: byId,
    body: orderPatch,
    status: 200,
    response: order,
    role: 'ORDERS_UPDATE',
  },
  cancelOrder: {
    summary: 'Cancel an order of which nothing is picked',
    method: 'PATCH',
    path: '/wms/orders/:id/cancel/',
    failures: [412],
    params: byId,
    status: 204,
    response: z.null(),
    role: 'ORDERS_CANCEL',
  },
  listOrderDocuments: {
    summary: 'List the documents of an order',
    method: 'GET',
    path: '/wms/orders/:id/documents/',
    params: byId,
    status: 200,
    response: z.array(orderDocument),
    role: 'ORDERS_DOCUMENTS_READ',
  },
  createOrderDocument: {
    summary: 'Add a document to an order',
    method: 'POST',
    path: '/wms/orders/:id/documents/',
    failures: [409, 412],
    params: byId,
    body: orderDocumentInput,
    status: 201,
    response: orderDocument,
    role: 'ORDERS_DOCUMENTS_CREATE',
  },
} as const
