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
  workItem,
  workQuery,
} from './warehouse.ts'

const nothing = { status: 204, response: z.null() } as const
const single = { params: byId, ...nothing } as const

/** Calls of a warehouse management system. All but login, refresh and reads need an `Idempotency-Key`. */
export const warehouseRoutes = {
  warehouseLogin: {
    method: 'POST',
    path: '/warehouse/auth/login/',
    body: loginRequest,
    status: 200,
    response: tokens,
    role: null,
  },
  warehouseRefresh: {
    method: 'POST',
    path: '/warehouse/auth/refresh/',
    body: refreshRequest,
    status: 200,
    response: tokens,
    role: null,
  },
  listWork: {
    method: 'GET',
    path: '/warehouse/work/',
    query: workQuery,
    status: 200,
    response: z.array(workItem),
    role: 'WAREHOUSE_READ',
  },
  moveOrder: {
    method: 'PUT',
    path: '/warehouse/orders/:id/status',
    ...single,
    body: orderMove,
    role: 'WAREHOUSE_ORDERS',
  },
  shipOrder: {
    method: 'POST',
    path: '/warehouse/orders/:id/shipments/',
    params: byId,
    body: newShipment,
    status: 201,
    response: madeWithReference,
    role: 'WAREHOUSE_ORDERS',
  },
  trackShipment: {
    method: 'PUT',
    path: '/warehouse/shipments/:id/labels',
    ...single,
    body: newTracking,
    role: 'WAREHOUSE_ORDERS',
  },
  arrive: {
    method: 'POST',
    path: '/warehouse/inbounds/',
    body: arrival,
    status: 201,
    response: madeWithReference,
    role: 'WAREHOUSE_INBOUNDS',
  },
  moveInbound: {
    method: 'PUT',
    path: '/warehouse/inbounds/:id/status',
    ...single,
    body: inboundMove,
    role: 'WAREHOUSE_INBOUNDS',
  },
  receive: {
    method: 'POST',
    path: '/warehouse/inbounds/:id/receipts/',
    ...single,
    body: receipt,
    role: 'WAREHOUSE_INBOUNDS',
  },
  controlQuality: {
    method: 'POST',
    path: '/warehouse/inbounds/:id/quality-controls/',
    params: byId,
    body: newQualityControl,
    status: 201,
    response: made,
    role: 'WAREHOUSE_INBOUNDS',
  },
  approveModification: {
    method: 'POST',
    path: '/warehouse/modifications/:id/approve',
    ...single,
    role: 'WAREHOUSE_MODIFICATIONS',
  },
  disapproveModification: {
    method: 'POST',
    path: '/warehouse/modifications/:id/disapprove',
    ...single,
    role: 'WAREHOUSE_MODIFICATIONS',
  },
  beginTransfer: {
    method: 'POST',
    path: '/warehouse/transfers/:id/begin',
    ...single,
    role: 'WAREHOUSE_TRANSFERS',
  },
  acceptTransfer: {
    method: 'POST',
    path: '/warehouse/transfers/:id/accept',
    ...single,
    role: 'WAREHOUSE_TRANSFERS',
  },
  denyTransfer: {
    method: 'POST',
    path: '/warehouse/transfers/:id/deny',
    ...single,
    role: 'WAREHOUSE_TRANSFERS',
  },
  correctStock: {
    method: 'POST',
    path: '/warehouse/stock/corrections/',
    body: stockCorrection,
    ...nothing,
    role: 'WAREHOUSE_STOCK',
  },
  moveLot: {
    method: 'POST',
    path: '/warehouse/stock/moves/',
    body: lotMove,
    ...nothing,
    role: 'WAREHOUSE_STOCK',
  },
  nameLocation: {
    method: 'PUT',
    path: '/warehouse/locations/',
    body: namedLocation,
    status: 200,
    response: made,
    role: 'WAREHOUSE_STOCK',
  },
  removeArticle: {
    method: 'DELETE',
    path: '/warehouse/articles/:id/',
    ...single,
    role: 'WAREHOUSE_GOODS',
  },
  removeVariant: {
    method: 'DELETE',
    path: '/warehouse/variants/:id/',
    ...single,
    role: 'WAREHOUSE_GOODS',
  },
} as const satisfies Record<string, Route<WarehouseRole>>

const sandboxed = { method: 'POST', params: byId, status: 200, role: 'SANDBOX' } as const

/** What moves the simulated warehouse now; served by a sandbox only. Each returns the resource as it then is. */
export const sandboxRoutes = {
  advanceWarehouse: {
    method: 'POST',
    path: '/sandbox/advance',
    body: advance,
    status: 200,
    response: advanced,
    role: 'SANDBOX',
  },
  sandboxApproveModification: {
    path: '/sandbox/modifications/:id/approve',
    ...sandboxed,
    response: modification,
  },
  sandboxDisapproveModification: {
    path: '/sandbox/modifications/:id/disapprove',
    ...sandboxed,
    response: modification,
  },
  sandboxAcceptTransfer: { path: '/sandbox/transfers/:id/accept', ...sandboxed, response: transfer },
  sandboxDenyTransfer: { path: '/sandbox/transfers/:id/deny', ...sandboxed, response: transfer },
  sandboxCompleteInbound: { path: '/sandbox/inbounds/:id/complete', ...sandboxed, response: inboundDetail },
  sandboxShipOrder: { path: '/sandbox/orders/:id/ship', ...sandboxed, response: order },
} as const satisfies Record<string, Route>

/** Every call that a server can serve; clients of the published API know `routes` alone. */
export const servedRoutes = { ...routes, ...warehouseRoutes, ...sandboxRoutes } as const
