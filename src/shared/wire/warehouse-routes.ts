import { z } from 'zod'
import { loginRequest, refreshRequest, tokens } from './auth.ts'
import { inboundDetail } from './inbound.ts'
import { modification } from './modification.ts'
import { order } from './order.ts'
import { byId } from './primitives.ts'
import type { WarehouseRole } from './roles.ts'
import { type Route, routes } from './routes.ts'
import { transfer } from './transfer.ts'
import {
  advance,
  advanced,
  arrival,
  inboundMove,
  lotMove,
  made,
  madeWithReference,
  namedLocation,
  newQualityControl,
  newShipment,
  newTracking,
  orderMove,
  receipt,
  stockCorrection,
  warehouseBatch,
  warehouseBatchQuery,
  warehouseCustomer,
  warehouseCustomerQuery,
  warehouseLocation,
  warehouseLocationQuery,
  workItem,
  workQuery,
} from './warehouse.ts'

/** Statuses of failures of a write that needs an idempotency key. */
const keyed = { failures: [404, 412, 422] } as const
const nothing = { ...keyed, status: 204, response: z.null() } as const
const single = { params: byId, ...nothing } as const

/** Calls of a warehouse management system. All except login, refresh and reads need an `Idempotency-Key`. */
export const warehouseRoutes = {
  warehouseLogin: {
    summary: 'Log in as a user of the warehouse',
    method: 'POST',
    path: '/warehouse/auth/login/',
    failures: [429],
    errorFamily: 'login',
    body: loginRequest,
    status: 200,
    response: tokens,
    role: null,
  },
  warehouseRefresh: {
    summary: "Renew the tokens of a warehouse user's login",
    method: 'POST',
    path: '/warehouse/auth/refresh/',
    failures: [429],
    errorFamily: 'login',
    body: refreshRequest,
    status: 200,
    response: tokens,
    role: null,
  },
  listWork: {
    summary: 'List what clients made or changed, for the warehouse to work on',
    method: 'GET',
    path: '/warehouse/work/',
    query: workQuery,
    failures: [412],
    status: 200,
    response: z.array(workItem),
    role: 'WAREHOUSE_READ',
  },
  listWarehouseCustomers: {
    summary: 'List the customers that the warehouse serves',
    method: 'GET',
    path: '/warehouse/customers/',
    query: warehouseCustomerQuery,
    status: 200,
    response: z.array(warehouseCustomer),
    role: 'WAREHOUSE_READ',
  },
  listWarehouseLocations: {
    summary: 'List the locations of the warehouse',
    method: 'GET',
    path: '/warehouse/locations/',
    query: warehouseLocationQuery,
    status: 200,
    response: z.array(warehouseLocation),
    role: 'WAREHOUSE_READ',
  },
  listWarehouseBatches: {
    summary: 'List batches (lots of stock) with their locations',
    method: 'GET',
    path: '/warehouse/batches/',
    query: warehouseBatchQuery,
    status: 200,
    response: z.array(warehouseBatch),
    role: 'WAREHOUSE_READ',
  },
  moveOrder: {
    summary: 'Move an order to another status',
    method: 'PUT',
    path: '/warehouse/orders/:id/status',
    ...single,
    body: orderMove,
    role: 'WAREHOUSE_ORDERS',
  },
  shipOrder: {
    summary: 'Ship an order, whole or in part',
    method: 'POST',
    path: '/warehouse/orders/:id/shipments/',
    ...keyed,
    params: byId,
    body: newShipment,
    status: 201,
    response: madeWithReference,
    role: 'WAREHOUSE_ORDERS',
  },
  trackShipment: {
    summary: 'Set the parcels and tracking codes of a shipment',
    method: 'PUT',
    path: '/warehouse/shipments/:id/labels',
    ...single,
    body: newTracking,
    role: 'WAREHOUSE_ORDERS',
  },
  arrive: {
    summary: 'Report goods without an announcement',
    method: 'POST',
    path: '/warehouse/inbounds/',
    ...keyed,
    body: arrival,
    status: 201,
    response: madeWithReference,
    role: 'WAREHOUSE_INBOUNDS',
  },
  moveInbound: {
    summary: 'Move an inbound to another status',
    method: 'PUT',
    path: '/warehouse/inbounds/:id/status',
    ...single,
    body: inboundMove,
    role: 'WAREHOUSE_INBOUNDS',
  },
  receive: {
    summary: 'Count goods of an inbound into stock',
    method: 'POST',
    path: '/warehouse/inbounds/:id/receipts/',
    ...single,
    body: receipt,
    role: 'WAREHOUSE_INBOUNDS',
  },
  controlQuality: {
    summary: 'Report a quality control of an inbound',
    method: 'POST',
    path: '/warehouse/inbounds/:id/quality-controls/',
    ...keyed,
    params: byId,
    body: newQualityControl,
    status: 201,
    response: made,
    role: 'WAREHOUSE_INBOUNDS',
  },
  approveModification: {
    summary: 'Approve a stock modification, which moves the stock',
    method: 'POST',
    path: '/warehouse/modifications/:id/approve',
    ...single,
    role: 'WAREHOUSE_MODIFICATIONS',
  },
  disapproveModification: {
    summary: 'Disapprove a stock modification',
    method: 'POST',
    path: '/warehouse/modifications/:id/disapprove',
    ...single,
    role: 'WAREHOUSE_MODIFICATIONS',
  },
  beginTransfer: {
    summary: 'Begin to work on a requested transfer',
    method: 'POST',
    path: '/warehouse/transfers/:id/begin',
    ...single,
    role: 'WAREHOUSE_TRANSFERS',
  },
  acceptTransfer: {
    summary: 'Accept a transfer, which moves the stock to the other customer',
    method: 'POST',
    path: '/warehouse/transfers/:id/accept',
    ...single,
    role: 'WAREHOUSE_TRANSFERS',
  },
  denyTransfer: {
    summary: 'Deny a transfer',
    method: 'POST',
    path: '/warehouse/transfers/:id/deny',
    ...single,
    role: 'WAREHOUSE_TRANSFERS',
  },
  correctStock: {
    summary: 'Correct the quantity of a variant at a location',
    method: 'POST',
    path: '/warehouse/stock/corrections/',
    body: stockCorrection,
    ...nothing,
    role: 'WAREHOUSE_STOCK',
  },
  moveLot: {
    summary: 'Move a quantity of a batch to another location',
    method: 'POST',
    path: '/warehouse/stock/moves/',
    body: lotMove,
    ...nothing,
    role: 'WAREHOUSE_STOCK',
  },
  nameLocation: {
    summary: 'Create a location, or change the one with that code',
    method: 'PUT',
    path: '/warehouse/locations/',
    ...keyed,
    body: namedLocation,
    status: 200,
    response: made,
    role: 'WAREHOUSE_STOCK',
  },
  removeArticle: {
    summary: 'Delete an article with its variants',
    method: 'DELETE',
    path: '/warehouse/articles/:id/',
    ...single,
    role: 'WAREHOUSE_GOODS',
  },
  removeVariant: {
    summary: 'Delete a variant',
    method: 'DELETE',
    path: '/warehouse/variants/:id/',
    ...single,
    role: 'WAREHOUSE_GOODS',
  },
} as const satisfies Record<string, Route<WarehouseRole>>

const sandboxed = { method: 'POST', params: byId, status: 200, failures: [412], role: 'SANDBOX' } as const

/**
 * Calls that make the simulated warehouse act at once; only a sandbox serves them. Each except `advanceWarehouse`
 * returns the resource in its new state.
 */
export const sandboxRoutes = {
  advanceWarehouse: {
    summary: 'Let the simulated warehouse take steps',
    method: 'POST',
    path: '/sandbox/advance',
    failures: [412],
    body: advance,
    status: 200,
    response: advanced,
    role: 'SANDBOX',
  },
  sandboxApproveModification: {
    summary: 'Let the simulated warehouse approve a modification',
    path: '/sandbox/modifications/:id/approve',
    ...sandboxed,
    response: modification,
  },
  sandboxDisapproveModification: {
    summary: 'Let the simulated warehouse disapprove a modification',
    path: '/sandbox/modifications/:id/disapprove',
    ...sandboxed,
    response: modification,
  },
  sandboxAcceptTransfer: {
    summary: 'Let the simulated warehouse accept a transfer',
    path: '/sandbox/transfers/:id/accept',
    ...sandboxed,
    response: transfer,
  },
  sandboxDenyTransfer: {
    summary: 'Let the simulated warehouse deny a transfer',
    path: '/sandbox/transfers/:id/deny',
    ...sandboxed,
    response: transfer,
  },
  sandboxCompleteInbound: {
    summary: 'Let the simulated warehouse receive an inbound',
    path: '/sandbox/inbounds/:id/complete',
    ...sandboxed,
    response: inboundDetail,
  },
  sandboxShipOrder: {
    summary: 'Let the simulated warehouse ship an order',
    path: '/sandbox/orders/:id/ship',
    ...sandboxed,
    response: order,
  },
} as const satisfies Record<string, Route>

/** Every call that a server can serve; clients of the published API use only `routes`. */
export const servedRoutes = { ...routes, ...warehouseRoutes, ...sandboxRoutes } as const
