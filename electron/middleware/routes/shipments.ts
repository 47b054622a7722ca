import { routes } from '#shared/wire/routes.ts'
import {
  type ShipmentGroup,
  shipmentGroups,
  toWireShipment,
  toWireShipmentDetail,
} from '../mappers/shipment.ts'
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
  register(host, routes.getShipment, options, async ({ caller, params, expand }) =>
    toWireShipmentDetail(await getShipment(context, caller.customer, params.id, partsFor(expand)), expand),
  )
}

function partsFor(expand: ReadonlySet<ShipmentGroup>): ShipmentParts {
  return { lines: expand.has('shipment_lines'), shippingMethod: expand.has('shipping_method') }
}
