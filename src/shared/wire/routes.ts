import { z } from 'zod'
import { loginRequest, refreshRequest, tokens } from './auth.ts'
import { customer } from './customer.ts'
import { listQuery } from './listing.ts'
import { id } from './primitives.ts'
import { returnLabel, returnLabelCreate, returnLabelPatch } from './return-label.ts'
import type { Role } from './roles.ts'
import { shipment } from './shipment.ts'
import { shippingMethod } from './shipping-method.ts'

/** One endpoint: both the client's calls and the server's routes are made from it (api.md, Endpoints). */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Path as api.md writes it; the server also answers with the trailing slash added or left out. */
  readonly path: string
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly status: 200 | 201 | 204
  readonly response: z.ZodType
  /** Null: the call is open to everybody who has a token, or needs none. */
  readonly role: Role | null
}

const byId = z.object({ id })
const several = z.union([z.string(), z.array(z.string())]).optional()

export const routes = {
  login: {
    method: 'POST',
    path: '/wms/auth/login/',
    body: loginRequest,
    status: 200,
    response: tokens,
    role: null,
  },
  refresh: {
    method: 'POST',
    path: '/wms/auth/refresh/',
    body: refreshRequest,
    status: 200,
    response: tokens,
    role: null,
  },
  listCustomers: {
    method: 'GET',
    path: '/wms/customers/',
    query: listQuery(['name', 'createdAt']),
    status: 200,
    response: z.array(customer),
    role: 'CUSTOMERS_READ',
  },
  getCustomer: {
    method: 'GET',
    path: '/wms/customers/:id/',
    params: byId,
    status: 200,
    response: customer,
    role: 'CUSTOMERS_READ',
  },
  listShippingMethods: {
    method: 'GET',
    path: '/wms/shippingmethods/',
    query: listQuery(['createdAt', 'code']).extend({
      code: z.string().optional(),
      shipper: z.string().optional(),
      shipper_code: z.string().optional(),
      shipping_software: z.string().optional(),
    }),
    status: 200,
    response: z.array(shippingMethod),
    role: 'SHIPPINGMETHODS_READ',
  },
  getShippingMethod: {
    method: 'GET',
    path: '/wms/shippingmethods/:id/',
    params: byId,
    status: 200,
    response: shippingMethod,
    role: 'SHIPPINGMETHODS_READ',
  },
  listShipments: {
    method: 'GET',
    path: '/wms/shipments/',
    query: listQuery(['reference', 'createdAt']).extend({
      order_external_reference: several,
      'order_external_reference[]': several,
    }),
    status: 200,
    response: z.array(shipment),
    role: 'SHIPMENTS_READ',
  },
  getShipment: {
    method: 'GET',
    path: '/wms/shipments/:id/',
    params: byId,
    status: 200,
    response: shipment,
    role: 'SHIPMENTS_READ',
  },
  listReturnLabels: {
    method: 'GET',
    path: '/wms/return-labels/',
    query: listQuery(['reference', 'createdAt']),
    status: 200,
    response: z.array(returnLabel),
    role: 'RETURN_LABELS_READ',
  },
  getReturnLabel: {
    method: 'GET',
    path: '/wms/return-labels/:id/',
    params: byId,
    status: 200,
    response: returnLabel,
    role: 'RETURN_LABELS_READ',
  },
  createReturnLabel: {
    method: 'POST',
    path: '/wms/return-labels/',
    body: returnLabelCreate,
    status: 201,
    response: returnLabel,
    role: 'RETURN_LABELS_CREATE',
  },
  patchReturnLabel: {
    method: 'PATCH',
    path: '/wms/return-labels/:id/',
    params: byId,
    body: returnLabelPatch,
    status: 200,
    response: returnLabel,
    role: 'RETURN_LABELS_UPDATE',
  },
  requestReturnLabel: {
    method: 'POST',
    path: '/wms/return-labels/:id/request',
    params: byId,
    status: 200,
    response: returnLabel,
    role: 'RETURN_LABELS_REQUEST',
  },
  cancelReturnLabel: {
    method: 'POST',
    path: '/wms/return-labels/:id/cancel',
    params: byId,
    status: 200,
    response: returnLabel,
    role: 'RETURN_LABELS_CANCEL',
  },
} as const satisfies Record<string, Route>
