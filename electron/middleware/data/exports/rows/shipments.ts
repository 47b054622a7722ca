import type { Connection } from '../../engine/database.ts'
import type { ShipmentTable, ShippingMethodTable } from '../../schema/orders.ts'
import { type ShipmentLineRow, linesOfShipments } from '../../shipments/shipments.ts'
import { findShippingMethods } from '../../shipments/shipping-methods.ts'
import { type Cursor, cursorBehind, type ExportScope, oldestFirst, type Portion } from './portion.ts'

export interface ShipmentToExport {
  readonly shipment: ShipmentTable
  readonly method: ShippingMethodTable | null
  readonly lines: readonly ShipmentLineRow[]
}

const searched = ['reference', 'po_number', 'order_external_reference', 'shipment_external_reference']

/** `externalOnly`: those that bear a reference of somebody else's. */
export async function shipmentsToExport(
  connection: Connection,
  scope: ExportScope,
  after: Cursor | null,
  options: { externalOnly: boolean } = { externalOnly: false },
): Promise<Portion<ShipmentToExport>> {
  const all = connection.selectFrom('shipments').selectAll()
  const wanted = options.externalOnly ? all.where('shipment_external_reference', 'is not', null) : all
  const shipments = await oldestFirst(wanted, scope, after, searched).execute()
  const ids = shipments.map(({ id }) => id)
  const lines = Map.groupBy(await linesOfShipments(connection, ids), (line) => line.shipment_id)
  const methods = await findShippingMethods(connection, [
    ...new Set(shipments.map((shipment) => shipment.shipping_method_id)),
  ])
  const rows = shipments.map((shipment) => ({
    shipment,
    method: methods.get(shipment.shipping_method_id) ?? null,
    lines: lines.get(shipment.id) ?? [],
  }))
  return { rows, next: cursorBehind(shipments) }
}
