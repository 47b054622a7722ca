import type { z } from 'zod'
import type { WarehouseWorkKind } from '#shared/domain/resource-states.ts'
import { warehouseRoutes as routes } from '#shared/wire/warehouse-routes.ts'
import type {
  arrival,
  lotMove,
  newQualityControl,
  newShipment,
  receipt,
  SentParcels,
  stockCorrection,
  WarehouseBatch,
  warehouseBatchQuery,
  WarehouseCustomer,
  WarehouseLocation,
  WorkItem,
} from '#shared/wire/warehouse.ts'
import type { StoredTracking } from '../data/engine/stored-json.ts'
import type { AnyBatchFilter, PlacedBatch } from '../data/goods/batches.ts'
import type { CustomerTable } from '../data/schema/access.ts'
import type { LocationTable } from '../data/schema/goods.ts'
import { logIn, refreshSession } from '../services/access/sessions.ts'
import type { Subject } from '../services/unit.ts'
import {
  forgetOldCalls,
  listLocations,
  listPlacedBatches,
  listServedCustomers,
  listWork,
  type WorkRecord,
} from '../services/warehouse/calls.ts'
import type {
  Arrival,
  LotMove,
  NewQualityControl,
  NewShipment,
  Receipt,
  StockCorrection,
  WarehousePort,
} from '../services/warehouse/port.ts'
import { toWireCustomer } from './access.ts'
import { eventBodies } from './event-bodies.ts'
import { registerWarehouseRead, registerWarehouseWrite } from './register-warehouse.ts'
import { registerOpen, type RouteHost } from './register.ts'
import { toWireTime } from './wire-values.ts'

/** Endpoints for a warehouse management system. */
export function registerWarehouse(host: RouteHost): void {
  registerLogin(host)
  registerWork(host)
  registerLists(host)
  for (const register of Object.values(commands)) register(host)
}

function registerLogin(host: RouteHost): void {
  const { context } = host
  const door = { door: 'warehouse', customerCode: null } as const
  registerOpen(host, routes.warehouseLogin, { needsCustomer: false }, async ({ body, address, hasLeft }) => {
    const tokens = await logIn(context, body, { ...door, address, hasLeft })
    forgetOldCalls(context)
    return tokens
  })
  registerOpen(
    host,
    routes.warehouseRefresh,
    { needsCustomer: false },
    async ({ body, address, hasLeft }) => {
      const tokens = await refreshSession(context, body.refresh_token, { ...door, address, hasLeft })
      forgetOldCalls(context)
      return tokens
    },
  )
}

/** Number of items on a page when the call has no limit. */
const usualLimit = 50

function registerWork(host: RouteHost): void {
  const { context } = host
  const resourceOf = eventBodies(context)
  registerWarehouseRead(host, routes.listWork, async ({ query }) => {
    const page = { after: query.after ?? 0, limit: query.limit ?? usualLimit }
    const resources = new Map<string, Promise<unknown>>()
    const read = (kind: WarehouseWorkKind, subject: Subject): Promise<unknown> => {
      const key = `${kind}/${subject.id}`
      const known = resources.get(key) ?? resourceOf(context.database, kind, subject)
      resources.set(key, known)
      return known
    }
    return host.limitedReader.fill(
      await listWork(context, page),
      async (work) => {
        const resource = await read(work.kind, { customerId: work.customer.id, id: work.id })
        return toWireWorkItem(work, resource as WorkItem['resource'])
      },
      toLargeWorkItem,
    )
  })
}

/** Registers the lists of records whose ids the commands need. */
function registerLists(host: RouteHost): void {
  const { context } = host
  registerWarehouseRead(host, routes.listWarehouseCustomers, async ({ query }) => {
    const rows = await listServedCustomers(context, { code: query.code ?? null, ...pageOf(query) })
    return rows.map(toWarehouseCustomer)
  })
  registerWarehouseRead(host, routes.listWarehouseLocations, async ({ query }) => {
    const { code = null, pickable: pickableOnly = false } = query
    const rows = await listLocations(context, { code, pickableOnly, ...pageOf(query) })
    return rows.map(toWarehouseLocation)
  })
  registerWarehouseRead(host, routes.listWarehouseBatches, async ({ query }) => {
    const rows = await listPlacedBatches(context, fromWireBatchQuery(query), pageOf(query))
    return rows.map(toWarehouseBatch)
  })
}

function pageOf(query: { after?: string | undefined; limit?: number | undefined }): {
  after: string | null
  limit: number
} {
  return { after: query.after?.toLowerCase() ?? null, limit: query.limit ?? usualLimit }
}

/** Runs a command that has no result. Returns null, so that the response has no body. */
async function done(command: Promise<void>): Promise<null> {
  await command
  return null
}

/**
 * For each command of a warehouse (`WarehousePort`), a function that adds its route. A command without a route here
 * does not compile. The routes of decisions, deletions and `beginTransfer` take no body.
 */
const commands: { readonly [Command in keyof WarehousePort]: (host: RouteHost) => void } = {
  moveOrder(host) {
    registerWarehouseWrite(host, routes.moveOrder, ({ port, params, body }) =>
      done(port.moveOrder(params.id, body.status)),
    )
  },
  shipOrder(host) {
    registerWarehouseWrite(host, routes.shipOrder, ({ port, params, body }) =>
      port.shipOrder(params.id, fromWireShipment(body)),
    )
  },
  trackShipment(host) {
    registerWarehouseWrite(host, routes.trackShipment, ({ port, params, body }) =>
      done(port.trackShipment(params.id, fromWireParcels(body.labels))),
    )
  },
  arrive(host) {
    registerWarehouseWrite(host, routes.arrive, ({ port, body }) => port.arrive(fromWireArrival(body)))
  },
  moveInbound(host) {
    registerWarehouseWrite(host, routes.moveInbound, ({ port, params, body }) =>
      done(port.moveInbound(params.id, body.status)),
    )
  },
  receive(host) {
    registerWarehouseWrite(host, routes.receive, ({ port, params, body }) =>
      done(port.receive(params.id, fromWireReceipt(body))),
    )
  },
  controlQuality(host) {
    registerWarehouseWrite(host, routes.controlQuality, ({ port, params, body }) =>
      port.controlQuality(params.id, fromWireQualityControl(body)),
    )
  },
  approveModification(host) {
    registerWarehouseWrite(host, routes.approveModification, ({ port, params }) =>
      done(port.approveModification(params.id)),
    )
  },
  disapproveModification(host) {
    registerWarehouseWrite(host, routes.disapproveModification, ({ port, params }) =>
      done(port.disapproveModification(params.id)),
    )
  },
  beginTransfer(host) {
    registerWarehouseWrite(host, routes.beginTransfer, ({ port, params }) =>
      done(port.beginTransfer(params.id)),
    )
  },
  acceptTransfer(host) {
    registerWarehouseWrite(host, routes.acceptTransfer, ({ port, params }) =>
      done(port.acceptTransfer(params.id)),
    )
  },
  denyTransfer(host) {
    registerWarehouseWrite(host, routes.denyTransfer, ({ port, params }) =>
      done(port.denyTransfer(params.id)),
    )
  },
  correctStock(host) {
    registerWarehouseWrite(host, routes.correctStock, ({ port, body }) =>
      done(port.correctStock(fromWireCorrection(body))),
    )
  },
  moveLot(host) {
    registerWarehouseWrite(host, routes.moveLot, ({ port, body }) =>
      done(port.moveLot(fromWireLotMove(body))),
    )
  },
  nameLocation(host) {
    registerWarehouseWrite(host, routes.nameLocation, ({ port, body }) => port.nameLocation(body))
  },
  deleteArticle(host) {
    registerWarehouseWrite(host, routes.removeArticle, ({ port, params }) =>
      done(port.deleteArticle(params.id)),
    )
  },
  deleteVariant(host) {
    registerWarehouseWrite(host, routes.removeVariant, ({ port, params }) =>
      done(port.deleteVariant(params.id)),
    )
  },
}

/** Converts ids to the stored lower case, because some clients send them in upper case. */
const own = (id: string): string => id.toLowerCase()
const ownOrNull = (id: string | null | undefined): string | null => id?.toLowerCase() ?? null

/** Returns an item of the work list. `resource`: the resource in its present state; null: it was deleted. */
function toWireWorkItem({ customer, ...rest }: WorkRecord, resource: WorkItem['resource']): WorkItem {
  return { ...rest, customer: toWireCustomer(customer), resource, too_large: false }
}

/**
 * Returns an item of the work list whose resource is too large for a response. The item contains only the id of the
 * resource.
 */
function toLargeWorkItem(work: WorkRecord): WorkItem {
  return { ...toWireWorkItem(work, { id: work.id }), too_large: true }
}

function fromWireParcels(parcels: SentParcels): StoredTracking {
  return parcels.map((parcel) => ({
    labelCode: parcel.label_code ?? null,
    trackingCode: parcel.tracking_code ?? null,
    trackingUrl: parcel.tracking_url ?? null,
  }))
}

function fromWireShipment(body: z.output<typeof newShipment>): NewShipment {
  return {
    lines: body.lines.map((line) => ({
      variantId: own(line.variant),
      quantity: line.quantity,
      serialNumbers: line.serial_numbers ?? [],
      locationId: ownOrNull(line.location),
    })),
    shippingMethodId: ownOrNull(body.shipping_method),
    labels: fromWireParcels(body.labels ?? []),
    externalReference: body.external_reference ?? null,
  }
}

function fromWireArrival(body: z.output<typeof arrival>): Arrival {
  return {
    customerId: own(body.customer),
    externalReference: body.external_reference ?? null,
    isReturn: body.is_return,
    note: body.note ?? null,
    lines: body.lines.map(({ variant, quantity }) => ({ variantId: own(variant), quantity })),
  }
}

function fromWireReceipt(body: z.output<typeof receipt>): Receipt {
  return {
    complete: body.complete,
    lines: body.lines.map((line) => ({
      variantId: own(line.variant),
      quantity: line.quantity,
      locationId: own(line.location),
      expirationDate: line.expiration_date ?? null,
      serialNumbers: line.serial_numbers ?? [],
    })),
  }
}

function fromWireQualityControl(body: z.output<typeof newQualityControl>): NewQualityControl {
  return {
    palletCount: body.pallet_count,
    wasDeliveryAppointment: body.was_delivery_appointment,
    hadPackingList: body.had_packing_list,
    wasCorrectQuantity: body.was_correct_quantity,
    hadProperMarkings: body.had_proper_markings,
    boxCondition: body.box_condition,
    comments: body.comments ?? '',
  }
}

function fromWireCorrection(body: z.output<typeof stockCorrection>): StockCorrection {
  return {
    variantId: own(body.variant),
    locationId: own(body.location),
    quantity: body.quantity,
    expirationDate: body.expiration_date ?? null,
  }
}

function fromWireLotMove(body: z.output<typeof lotMove>): LotMove {
  return { batchId: own(body.batch), quantity: body.quantity, toLocationId: own(body.to_location) }
}

function fromWireBatchQuery(query: z.output<typeof warehouseBatchQuery>): AnyBatchFilter {
  return {
    customerId: ownOrNull(query.customer),
    variantId: ownOrNull(query.variant),
    articleCode: query.article_code ?? null,
    locationId: ownOrNull(query.location),
    positiveOnly: query.positive_only ?? false,
  }
}

function toWarehouseCustomer(row: CustomerTable): WarehouseCustomer {
  return { cursor: row.id, ...toWireCustomer(row) }
}

function toWarehouseLocation({ id, code, pickable }: LocationTable): WarehouseLocation {
  return { cursor: id, id, code, pickable: pickable === 1 }
}

function toWarehouseBatch(row: PlacedBatch): WarehouseBatch {
  return {
    cursor: row.id,
    id: row.id,
    customer: row.customer_id,
    variant: {
      id: row.variant_id,
      article_code: row.article_code,
      name: row.variant_name,
      expirable: row.expirable === 1,
      using_serial_numbers: row.using_serial_numbers === 1,
    },
    location: { id: row.location_id, code: row.location_code },
    quantity: row.quantity,
    expiration_date: row.expiration_date,
    inbound: row.inbound_id,
    created_at: toWireTime(row.created_at),
  }
}
