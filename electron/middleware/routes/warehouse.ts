import { warehouseRoutes as routes } from '#shared/wire/warehouse-routes.ts'
import type { WarehouseWorkKind } from '#shared/domain/warehouse-work.ts'
import type { WorkItem } from '#shared/wire/warehouse.ts'
import { eventBodies } from '../mappers/event-body.ts'
import {
  fromWireArrival,
  fromWireBatchQuery,
  fromWireCorrection,
  fromWireLotMove,
  fromWireParcels,
  fromWireQualityControl,
  fromWireReceipt,
  fromWireShipment,
  toWarehouseBatch,
  toWarehouseCustomer,
  toWarehouseLocation,
  toLargeWorkItem,
  toWireWorkItem,
} from '../mappers/warehouse.ts'
import { logIn, refreshSession } from '../services/access/sessions.ts'
import {
  forgetOldCalls,
  listLocations,
  listPlacedBatches,
  listServedCustomers,
  listWork,
} from '../services/warehouse/calls.ts'
import type { Subject } from '../services/unit.ts'
import type { WarehousePort } from '../services/warehouse/port.ts'
import { registerOpen, type RouteHost } from './register.ts'
import { registerWarehouseRead, registerWarehouseWrite } from './register-warehouse.ts'

/** What a warehouse management system calls. */
export function registerWarehouse(host: RouteHost): void {
  registerLogin(host)
  registerWork(host)
  registerLists(host)
  registerOrderCommands(host)
  registerInboundCommands(host)
  registerDecisions(host)
  registerGoodsCommands(host)
}

function registerLogin(host: RouteHost): void {
  const { context } = host
  const door = { door: 'warehouse', customerCode: null } as const
  registerOpen(
    host,
    routes.warehouseLogin,
    { needsCustomer: false, refuses: [429] },
    async ({ body, address }) => {
      const tokens = await logIn(context, body, { ...door, address })
      await forgetOldCalls(context)
      return tokens
    },
  )
  registerOpen(host, routes.warehouseRefresh, { needsCustomer: false }, async ({ body }) => {
    const tokens = await refreshSession(context, body.refresh_token, door)
    await forgetOldCalls(context)
    return tokens
  })
}

/** Items of a page when the call does not say. */
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
    return host.answerReader.fill(
      await listWork(context, page),
      async (work) => {
        const resource = await read(work.kind, { customerId: work.customer.id, id: work.id })
        return toWireWorkItem(work, resource as WorkItem['resource'])
      },
      toLargeWorkItem,
    )
  })
}

/** Records that commands name by their ids. */
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

/** A command that returns nothing. */
async function done(command: Promise<void>): Promise<null> {
  await command
  return null
}

function registerOrderCommands(host: RouteHost): void {
  registerWarehouseWrite(host, routes.moveOrder, ({ port, params, body }) =>
    done(port.moveOrder(params.id, body.status)),
  )
  registerWarehouseWrite(host, routes.shipOrder, ({ port, params, body }) =>
    port.shipOrder(params.id, fromWireShipment(body)),
  )
  registerWarehouseWrite(host, routes.trackShipment, ({ port, params, body }) =>
    done(port.trackShipment(params.id, fromWireParcels(body.labels))),
  )
}

function registerInboundCommands(host: RouteHost): void {
  registerWarehouseWrite(host, routes.arrive, ({ port, body }) => port.arrive(fromWireArrival(body)))
  registerWarehouseWrite(host, routes.moveInbound, ({ port, params, body }) =>
    done(port.moveInbound(params.id, body.status)),
  )
  registerWarehouseWrite(host, routes.receive, ({ port, params, body }) =>
    done(port.receive(params.id, fromWireReceipt(body))),
  )
  registerWarehouseWrite(host, routes.controlQuality, ({ port, params, body }) =>
    port.controlQuality(params.id, fromWireQualityControl(body)),
  )
}

/** Commands that say no more than what they are called. */
const decisions = [
  'approveModification',
  'disapproveModification',
  'beginTransfer',
  'acceptTransfer',
  'denyTransfer',
] as const satisfies readonly (keyof WarehousePort)[]

function registerDecisions(host: RouteHost): void {
  for (const name of decisions)
    registerWarehouseWrite(host, routes[name], ({ port, params }) => done(port[name](params.id)))
}

function registerGoodsCommands(host: RouteHost): void {
  registerWarehouseWrite(host, routes.correctStock, ({ port, body }) =>
    done(port.correctStock(fromWireCorrection(body))),
  )
  registerWarehouseWrite(host, routes.moveLot, ({ port, body }) => done(port.moveLot(fromWireLotMove(body))))
  registerWarehouseWrite(host, routes.nameLocation, ({ port, body }) => port.nameLocation(body))
  registerWarehouseWrite(host, routes.removeArticle, ({ port, params }) =>
    done(port.deleteArticle(params.id)),
  )
  registerWarehouseWrite(host, routes.removeVariant, ({ port, params }) =>
    done(port.deleteVariant(params.id)),
  )
}
