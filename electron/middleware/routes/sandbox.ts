import { sandboxRoutes as routes } from '#shared/wire/warehouse-routes.ts'
import type { Caller } from '../plugins/callers.ts'
import { getInbound } from '../services/moves/inbounds.ts'
import { getModification } from '../services/moves/modifications.ts'
import { getTransfer, requireTransferAccess } from '../services/moves/transfers.ts'
import { getOrder } from '../services/orders/orders.ts'
import { Refusal } from '../services/refusal.ts'
import { tooManyWaiting } from '../services/turns.ts'
import {
  completeNow,
  decideModificationNow,
  decideTransferNow,
  shipNow,
} from '../services/warehouse/sandbox.ts'
import type { StepReport } from '../warehouse/simulator/simulator.ts'
import { toWireInboundDetail } from './inbounds.ts'
import { toWireModificationDetail } from './modifications.ts'
import { toWireOrder } from './orders.ts'
import { register, type RouteHost } from './register.ts'
import { toWireTransfer } from './transfers.ts'

const plain = { expand: [] } as const

/**
 * Maximum number of calls of one customer that wait for steps of the simulated warehouse. The limit on calls that wait
 * for their turn (`WaitingLimits`) does not count these calls.
 */
const mostWaitingAdvances = 4

/** Actions that a client of a sandbox requests from the simulated warehouse. They exist only in a sandbox. */
export function registerSandbox(host: RouteHost): void {
  const { context, warehouse } = host
  if (!context.sandbox) return
  const waiting = new Map<string, number>()
  register(host, routes.advanceWarehouse, plain, async ({ caller: { customer }, body, hasLeft }) => {
    if (warehouse.step === null)
      throw new Refusal('not_ready', 'This server has an external warehouse, so there is none to advance.')
    const others = waiting.get(customer.id) ?? 0
    if (others >= mostWaitingAdvances) throw tooManyWaiting()
    waiting.set(customer.id, others + 1)
    try {
      let moved = await warehouse.step()
      let steps = 1
      for (; steps < (body.steps ?? 1) && !hasLeft(); steps += 1) moved = sumOf(moved, await warehouse.step())
      return { steps, moved }
    } finally {
      waiting.set(customer.id, (waiting.get(customer.id) ?? 1) - 1)
    }
  })
  register(host, routes.sandboxShipOrder, plain, async ({ caller: { customer }, params: { id } }) => {
    await shipNow(host, customer, id)
    const record = await getOrder(context, customer, id, { lines: true, documents: false })
    return toWireOrder(record, new Set(['order_lines', 'serial_numbers']))
  })
  register(host, routes.sandboxCompleteInbound, plain, async ({ caller: { customer }, params: { id } }) => {
    await completeNow(host, customer, id)
    const record = await getInbound(context, customer, id, { controls: false, documents: false })
    return toWireInboundDetail(record, new Set())
  })
  registerDecisions(host)
}

function sumOf(a: StepReport, b: StepReport): StepReport {
  return {
    orders: a.orders + b.orders,
    shipments: a.shipments + b.shipments,
    inbounds: a.inbounds + b.inbounds,
    lots: a.lots + b.lots,
    returns: a.returns + b.returns,
    modifications: a.modifications + b.modifications,
    transfers: a.transfers + b.transfers,
    failures: a.failures + b.failures,
  }
}

function registerDecisions(host: RouteHost): void {
  const { context } = host
  for (const [route, decision] of [
    [routes.sandboxApproveModification, 'approve'],
    [routes.sandboxDisapproveModification, 'disapprove'],
  ] as const)
    register(host, route, plain, async ({ caller: { customer }, params: { id } }) => {
      await decideModificationNow(host, customer, { id, decision })
      return toWireModificationDetail(await getModification(context, customer, id))
    })
  const admitted = {
    ...plain,
    admit: ({ claims }: Caller) => requireTransferAccess(context, claims.user_id),
  }
  for (const [route, decision] of [
    [routes.sandboxAcceptTransfer, 'accept'],
    [routes.sandboxDenyTransfer, 'deny'],
  ] as const)
    register(host, route, admitted, async ({ caller: { customer, claims }, params: { id } }) => {
      await decideTransferNow(host, customer, { id, decision })
      const record = await getTransfer(context, customer, { id, withLines: true })
      return toWireTransfer(record, { whole: false, customerIds: claims.customer_ids })
    })
}
