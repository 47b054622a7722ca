import { routes } from '#shared/wire/routes.ts'
import { toWireShipmentReturnLabel } from '../mappers/return-label.ts'
import {
  type ShipmentGroup,
  shipmentGroups,
  toWireShipment,
  toWireShipmentDetail,
} from '../mappers/shipment.ts'
import { holdsRole, requireRole } from '../plugins/callers.ts'
import {
  ensureShipmentReturnLabel,
  findShipmentReturnLabel,
  getShipmentReturnLabel,
} from '../services/shipment-return-label.ts'
import { getShipment, listShipments, type ShipmentParts } from '../services/shipments.ts'
import { register, type RouteHost } from './register.ts'

const options = { expand: shipmentGroups }

/** api.md, Shipments. */
export function registerShipments(host: RouteHost): void {
  const { context } = host
  register(host, routes.listShipments, options, async ({ caller, query, expand }) => {
    const orderReferences = [
      query.order_external_reference ?? [],
      query['order_external_reference[]'] ?? [],
    ].flat()
    const call = { orderReferences, query, parts: partsFor(expand) }
    const records = await listShipments(context, caller.customer, call)
    return records.map((record) => toWireShipment(record, expand))
  })
  const single = { expand: [...shipmentGroups, 'return_label'] } as const
  register(host, routes.getShipment, single, async ({ caller, params: { id }, expand, linkTo }) => {
    const groups = shownGroups(expand)
    const record = await getShipment(context, caller.customer, id, partsFor(groups))
    const shipment = toWireShipmentDetail(record, groups)
    // A label is shown to those only who may read labels; Expand never makes a call fail.
    if (!expand.has('return_label') || !holdsRole(caller, 'RETURN_LABELS_READ')) return shipment
    const label = await findShipmentReturnLabel(context, caller.customer, id)
    return { ...shipment, return_label: label && toWireShipmentReturnLabel(label, linkTo) }
  })
  registerReturnLabelOfShipment(host)
}

/** The deprecated pair (api.md, Shipments). */
function registerReturnLabelOfShipment(host: RouteHost): void {
  const { context } = host
  const { getShipmentReturnLabel: read, createShipmentReturnLabel: create } = routes
  register(host, read, { expand: [] }, async ({ caller, params, linkTo }) =>
    toWireShipmentReturnLabel(await getShipmentReturnLabel(context, caller.customer, params.id), linkTo),
  )
  register(host, create, { expand: [] }, async ({ caller, params, linkTo }) => {
    requireRole(caller, 'RETURN_LABELS_REQUEST')
    return toWireShipmentReturnLabel(
      await ensureShipmentReturnLabel(context, caller.customer, params.id),
      linkTo,
    )
  })
}

function shownGroups(expand: ReadonlySet<ShipmentGroup | 'return_label'>): Set<ShipmentGroup> {
  return new Set(shipmentGroups.filter((group) => expand.has(group)))
}

function partsFor(expand: ReadonlySet<ShipmentGroup>): ShipmentParts {
  return { lines: expand.has('shipment_lines'), shippingMethod: expand.has('shipping_method') }
}
