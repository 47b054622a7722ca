import { z } from 'zod'
import { loginRequest, refreshRequest, tokens } from './auth.ts'
import { bundleRoutes } from './bundle.ts'
import { customer } from './customer.ts'
import { documentRoutes } from './document.ts'
import { exportRoutes } from './export.ts'
import { goodsRoutes } from './goods-routes.ts'
import { inboundRoutes } from './inbound.ts'
import { listQuery, soughtText } from './listing.ts'
import { modificationRoutes } from './modification.ts'
import { orderRoutes } from './order-routes.ts'
import { byId } from './primitives.ts'
import { byReturnLabel, returnLabel, returnLabelCreate, returnLabelPatch } from './return-label.ts'
import type { Role } from './roles.ts'
import { shipment, shipmentReturnLabel } from './shipment.ts'
import { shippingMethod } from './shipping-method.ts'
import { transferRoutes } from './transfer.ts'
import { webhookRoutes } from './webhook.ts'

/**
 * Form of the body of a failed call. `return-label`: `{error}`, on a 400 also `errors`; `login`: always with `code` and
 * `message`, because clients read the message for every status (API.md 1.10).
 */
export type ErrorFamily = 'login' | 'return-label'

/** One endpoint. The client's calls, the server's routes and the tables of API.md are all created from it. */
export interface Route<Held extends string = Role> {
  /** Short description of the call for the OpenAPI document. */
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Path as in the contract; the server also accepts it with the trailing slash added or left out. */
  readonly path: string
  /** A second spelling of the path, which the contract uses for the same call (API.md 9.1). */
  readonly otherPath?: string
  /** The call is deprecated: the contract names another call to use instead. */
  readonly deprecated?: true
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly status: 200 | 201 | 204
  /** Media type of the response; the default is JSON. */
  readonly mediaType?: 'text/csv'
  readonly response: z.ZodType
  /**
   * Whether the response is another record than the record whose id the path contains. If so, the desk does not compare
   * the two ids.
   */
  readonly returnsOther?: true
  /**
   * Statuses of failures of this call, in addition to those that all calls of this kind have
   * (electron/middleware/routes/register.ts).
   */
  readonly failures?: readonly number[]
  /** Form of the body of a failed call; the default is the form of most calls. */
  readonly errorFamily?: ErrorFamily
  /** The role that the user needs. Null: the call is open to every user with a token, or needs no token. */
  readonly role: Held | null
}

/** The arguments of a call: the parameters of its path, and its body. */
export type CallOf<R extends Route> = (R['params'] extends z.ZodType
  ? Readonly<z.output<R['params']>>
  : object) &
  (R['body'] extends z.ZodType ? { readonly body: z.input<R['body']> } : object)

/** The service's response after a success. */
export type AnswerOf<R extends Route> = z.output<R['response']>

const several = z.union([soughtText, z.array(soughtText)]).optional()

/** The longest possible email address has 320 characters. */
const person = z.object({ email: z.email().max(320) })
const promise = z.object({ message: z.string() })

export const routes = {
  login: {
    summary: 'Log in',
    method: 'POST',
    path: '/wms/auth/login/',
    failures: [429],
    errorFamily: 'login',
    body: loginRequest,
    status: 200,
    response: tokens,
    role: null,
  },
  refresh: {
    summary: 'Renew the tokens of a login',
    method: 'POST',
    path: '/wms/auth/refresh/',
    failures: [429],
    errorFamily: 'login',
    body: refreshRequest,
    status: 200,
    response: tokens,
    role: null,
  },
  listCustomers: {
    summary: 'List the customers that the user may act for',
    method: 'GET',
    path: '/wms/customers/',
    query: listQuery(['name', 'createdAt']),
    status: 200,
    response: z.array(customer),
    role: 'CUSTOMERS_READ',
  },
  getCustomer: {
    summary: 'Get a customer',
    method: 'GET',
    path: '/wms/customers/:id/',
    params: byId,
    status: 200,
    response: customer,
    role: 'CUSTOMERS_READ',
  },
  listShippingMethods: {
    summary: 'List shipping methods',
    method: 'GET',
    path: '/wms/shippingmethods/',
    query: listQuery(['createdAt', 'code']).extend({
      code: soughtText.optional(),
      shipper: soughtText.optional(),
      shipper_code: soughtText.optional(),
      shipping_software: soughtText.optional(),
    }),
    status: 200,
    response: z.array(shippingMethod),
    role: 'SHIPPINGMETHODS_READ',
  },
  getShippingMethod: {
    summary: 'Get a shipping method',
    method: 'GET',
    path: '/wms/shippingmethods/:id/',
    params: byId,
    status: 200,
    response: shippingMethod,
    role: 'SHIPPINGMETHODS_READ',
  },
  listShipments: {
    summary: 'List shipments',
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
    summary: 'Get a shipment',
    method: 'GET',
    path: '/wms/shipments/:id/',
    params: byId,
    status: 200,
    response: shipment,
    role: 'SHIPMENTS_READ',
  },
  /**
   * The calls for return labels have replaced the call for the return label of a shipment, but clients still use it.
   */
  getShipmentReturnLabel: {
    summary: 'Get the return label of a shipment',
    method: 'GET',
    path: '/wms/shipments/:id/return-label',
    errorFamily: 'return-label',
    deprecated: true,
    params: byId,
    status: 200,
    response: shipmentReturnLabel,
    returnsOther: true,
    role: 'RETURN_LABELS_READ',
  },
  /**
   * Returns the newest return label of a shipment that is not cancelled. Requests it first if it is unrequested;
   * creates and requests one if there is none. The user also needs the role RETURN_LABELS_REQUEST.
   */
  createShipmentReturnLabel: {
    summary: 'Get the return label of a shipment, or create and request one',
    method: 'POST',
    path: '/wms/shipments/:id/return-label',
    failures: [417],
    errorFamily: 'return-label',
    deprecated: true,
    params: byId,
    status: 200,
    response: shipmentReturnLabel,
    returnsOther: true,
    role: 'RETURN_LABELS_CREATE',
  },
  listReturnLabels: {
    summary: 'List return labels',
    method: 'GET',
    path: '/wms/return-labels/',
    failures: [417],
    errorFamily: 'return-label',
    query: listQuery(['reference', 'createdAt']),
    status: 200,
    response: z.array(returnLabel),
    role: 'RETURN_LABELS_READ',
  },
  getReturnLabel: {
    summary: 'Get a return label',
    method: 'GET',
    path: '/wms/return-labels/:id/',
    failures: [417],
    errorFamily: 'return-label',
    params: byReturnLabel,
    status: 200,
    response: returnLabel,
    role: 'RETURN_LABELS_READ',
  },
  createReturnLabel: {
    summary: 'Create a return label',
    method: 'POST',
    path: '/wms/return-labels/',
    failures: [404, 417],
    errorFamily: 'return-label',
    body: returnLabelCreate,
    status: 201,
    response: returnLabel,
    role: 'RETURN_LABELS_CREATE',
  },
  patchReturnLabel: {
    summary: 'Change a return label that is not requested yet',
    method: 'PATCH',
    path: '/wms/return-labels/:id/',
    failures: [412, 417],
    errorFamily: 'return-label',
    params: byReturnLabel,
    body: returnLabelPatch,
    status: 200,
    response: returnLabel,
    role: 'RETURN_LABELS_UPDATE',
  },
  requestReturnLabel: {
    summary: 'Request a return label: its PDF and tracking code are made',
    method: 'POST',
    path: '/wms/return-labels/:id/request',
    failures: [412, 417],
    errorFamily: 'return-label',
    params: byReturnLabel,
    status: 200,
    response: returnLabel,
    role: 'RETURN_LABELS_REQUEST',
  },
  cancelReturnLabel: {
    summary: 'Cancel a return label that is not requested yet',
    method: 'POST',
    path: '/wms/return-labels/:id/cancel',
    failures: [412, 417],
    errorFamily: 'return-label',
    params: byReturnLabel,
    status: 200,
    response: returnLabel,
    role: 'RETURN_LABELS_CANCEL',
  },
  ...goodsRoutes,
  ...bundleRoutes,
  ...inboundRoutes,
  ...transferRoutes,
  ...modificationRoutes,
  ...documentRoutes,
  ...orderRoutes,
  // `requestPersonData` and `redactPersonData` are not in the contract, but the service's clients use them (API.md 14).
  // In this program, `requestPersonData` only confirms the request and collects no data. `redactPersonData` redacts the
  // data after its response.
  requestPersonData: {
    summary: 'Ask for the data of a person',
    method: 'POST',
    path: '/wms/gdpr/request-person-data/',
    body: person,
    status: 200,
    response: promise,
    role: 'GDPR',
  },
  redactPersonData: {
    summary: 'Redact the data of a person',
    method: 'POST',
    path: '/wms/gdpr/redact-person-data/',
    body: person,
    status: 200,
    response: promise,
    role: 'GDPR',
  },
  ...exportRoutes,
  ...webhookRoutes,
} as const satisfies Record<string, Route>
