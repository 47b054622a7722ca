import type { Role } from '#shared/wire/roles.ts'
import { routes } from '#shared/wire/routes.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import type { ShipmentTable } from '../data/schema/orders.ts'
import { toWireDocument } from '../mappers/document.ts'
import { toWireOrderDocument } from '../mappers/order.ts'
import { toWireShipmentReturnLabel } from '../mappers/return-label.ts'
import {
  type ShipmentGroup,
  shipmentGroups,
  toWireShipment,
  toWireShipmentDetail,
} from '../mappers/shipment.ts'
import { holdsRole, requireRole } from '../plugins/callers.ts'
import type { ServiceContext } from '../services/context.ts'
import { ensurePickupLabel } from '../services/shipments/pickup-labels.ts'
import {
  ensureShipmentReturnLabel,
  findShipmentReturnLabel,
  getShipmentReturnLabel,
} from '../services/shipments/shipment-return-label.ts'
import {
  documentsOfShipment,
  getShipment,
  listShipments,
  type ShipmentParts,
} from '../services/shipments/shipments.ts'
import { type Call, register, type RouteHost } from './register.ts'

/** `shipments` and `shipment` name the record itself (api.md, Shipments). */
const several = { expand: [...shipmentGroups, 'shipments'] } as const
const single = {
  expand: [...shipmentGroups, 'shipment', 'shipment_document', 'documents', 'return_label'],
} as const
type SingleGroup = (typeof single.expand)[number]

/** api.md, Shipments. */
export function registerShipments(host: RouteHost): void {
  const { context } = host
  register(host, routes.listShipments, several, async ({ caller, query, expand }) => {
    const orderReferences = [
      query.order_external_reference ?? [],
      query['order_external_reference[]'] ?? [],
    ].flat()
    const groups = shownGroups(expand)
    const call = { orderReferences, query, parts: partsFor(groups) }
    const records = await listShipments(context, caller.customer, call)
    const toWire = expand.has('shipments') ? toWireShipmentDetail : toWireShipment
    return records.map((record) => toWire(record, groups))
  })
  register(host, routes.getShipment, single, async ({ caller, params: { id }, expand, linkTo }) => {
    const groups = shownGroups(expand)
    const record = await getShipment(context, caller.customer, id, partsFor(groups))
    return {
      ...toWireShipmentDetail(record, groups),
      ...(await papersOf(context, { caller, expand, linkTo }, record.shipment)),
    }
  })
  registerReturnLabelOfShipment(host)
}

/** Label and documents are shown to those only who may read them; Expand never makes a call fail. */
async function papersOf(
  context: ServiceContext,
  {
    caller,
    expand,
    linkTo,
  }: Pick<Call<typeof routes.getShipment, SingleGroup>, 'caller' | 'expand' | 'linkTo'>,
  shipment: ShipmentTable,
): Promise<Pick<Shipment, 'return_label' | 'shipment_document' | 'documents'>> {
  const { customer } = caller
  const shows = (group: SingleGroup, role: Role): boolean => expand.has(group) && holdsRole(caller, role)
  const label = shows('return_label', 'RETURN_LABELS_READ')
    ? await findShipmentReturnLabel(context, customer, shipment.id)
    : undefined
  const pickupLabel = shows('shipment_document', 'DOCUMENTS_READ')
    ? await ensurePickupLabel(context, customer, shipment)
    : undefined
  const documents = shows('documents', 'ORDERS_DOCUMENTS_READ')
    ? await documentsOfShipment(context, customer, shipment)
    : undefined
  return {
    ...(label !== undefined && { return_label: label && toWireShipmentReturnLabel(label, linkTo) }),
    ...(pickupLabel !== undefined && {
      shipment_document: pickupLabel && toWireDocument(pickupLabel, linkTo),
    }),
    ...(documents && { documents: documents.map(toWireOrderDocument) }),
  }
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

function shownGroups(expand: ReadonlySet<SingleGroup | 'shipments'>): Set<ShipmentGroup> {
  return new Set(shipmentGroups.filter((group) => expand.has(group)))
}

function partsFor(expand: ReadonlySet<ShipmentGroup>): ShipmentParts {
  return {
    lines: expand.has('shipment_lines'),
    variants: expand.has('variant'),
    shippingMethod: expand.has('shipping_method'),
  }
}
