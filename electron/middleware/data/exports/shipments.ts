import type { Connection } from '../engine/database.ts'
import { readAddress, readSerialNumbers, readTracking } from '../engine/stored-json.ts'
import type { ShipmentTable, ShippingMethodTable } from '../schema/orders.ts'
import { findShippingMethods, linesOfShipments, type ShipmentLineRow } from '../shipments/shipments.ts'
import {
  type Cell,
  type Cursor,
  cursorBehind,
  defineExport,
  type ExportScope,
  money,
  oldestFirst,
  type Portion,
  timeCell,
} from './define-export.ts'

interface ShipmentToExport {
  readonly shipment: ShipmentTable
  readonly method: ShippingMethodTable | null
  readonly lines: readonly ShipmentLineRow[]
}

const searched = ['reference', 'po_number', 'order_external_reference', 'shipment_external_reference']

/** `externalOnly`: only shipments with a `shipment_external_reference`. */
async function shipmentsToExport(
  connection: Connection,
  scope: ExportScope,
  after: Cursor | null,
  options: { externalOnly: boolean } = { externalOnly: false },
): Promise<Portion<ShipmentToExport>> {
  const all = connection.selectFrom('shipments').selectAll()
  const wanted = options.externalOnly ? all.where('shipment_external_reference', 'is not', null) : all
  const found = await oldestFirst(wanted, scope, after, searched).execute()
  const ids = found.map(({ id }) => id)
  const lines = Map.groupBy(await linesOfShipments(connection, ids), (line) => line.shipment_id)
  const methods = await findShippingMethods(connection, [
    ...new Set(found.map((shipment) => shipment.shipping_method_id)),
  ])
  const rows = found.map((shipment) => ({
    shipment,
    method: methods.get(shipment.shipping_method_id) ?? null,
    lines: lines.get(shipment.id) ?? [],
  }))
  return { rows, next: cursorBehind(found) }
}

type Columns<Row> = Record<string, (row: Row) => Cell>

const identity: Columns<ShipmentToExport> = {
  reference: ({ shipment }) => shipment.reference,
  order_external_reference: ({ shipment }) => shipment.order_external_reference,
  shipment_external_reference: ({ shipment }) => shipment.shipment_external_reference,
  po_number: ({ shipment }) => shipment.po_number,
}

const transport: Columns<ShipmentToExport> = {
  shipping_method: ({ method }) => method?.code ?? null,
  shipper: ({ method }) => method?.shipper ?? null,
}

const tracking: Columns<ShipmentToExport> = {
  label_codes: (row) => codes(row, 'labelCode'),
  tracking_codes: (row) => codes(row, 'trackingCode'),
  tracking_urls: (row) => codes(row, 'trackingUrl'),
}

const created: Columns<ShipmentToExport> = { created_at: ({ shipment }) => timeCell(shipment.created_at) }

const addressee: Columns<ShipmentToExport> = {
  addressed_to: ({ shipment }) => readAddress(shipment.shipping_address).addressedTo,
  zipcode: ({ shipment }) => readAddress(shipment.shipping_address).zipcode,
  city: ({ shipment }) => readAddress(shipment.shipping_address).city,
  country: ({ shipment }) => readAddress(shipment.shipping_address).country,
}

const counts: Columns<ShipmentToExport> = {
  lines: ({ lines }) => lines.length,
  pieces: ({ lines }) => lines.reduce((sum, line) => sum + line.quantity, 0),
  colli: ({ shipment }) => readTracking(shipment.labels).length,
}

export const shipments = defineExport<ShipmentToExport>(
  { ...identity, ...transport, ...addressee, ...counts, ...tracking, ...created },
  shipmentsToExport,
)

/** Shipments with a `shipment_external_reference`. */
export const externalShipments = defineExport<ShipmentToExport>(
  { ...identity, ...transport, ...tracking, ...created },
  (connection, scope, after) => shipmentsToExport(connection, scope, after, { externalOnly: true }),
)

/** Packed goods: one record for each shipment. */
export const packings = defineExport<ShipmentToExport>(
  { ...identity, ...transport, ...counts, ...created },
  shipmentsToExport,
)

/** Values of the shipped goods, in euro. */
export const shipmentValues = defineExport<ShipmentToExport>(
  {
    ...identity,
    ...transport,
    ...counts,
    value: ({ lines }) => money(lines.reduce((sum, line) => sum + line.quantity * (line.value ?? 0), 0)),
    ...created,
  },
  shipmentsToExport,
)

/** One record for each shipped serial number. */
export const serialNumbers = defineExport<{
  shipment: ShipmentToExport
  line: ShipmentToExport['lines'][number]
  serialNumber: string
}>(
  {
    serial_number: ({ serialNumber }) => serialNumber,
    article_code: ({ line }) => line.article_code,
    ean: ({ line }) => line.ean,
    sku: ({ line }) => line.sku,
    shipment: ({ shipment }) => shipment.shipment.reference,
    order_external_reference: ({ shipment }) => shipment.shipment.order_external_reference,
    created_at: ({ shipment }) => timeCell(shipment.shipment.created_at),
  },
  async (connection, scope, after) => {
    const { rows, next } = await shipmentsToExport(connection, scope, after)
    const each = rows.flatMap((shipment) =>
      shipment.lines.flatMap((line) =>
        readSerialNumbers(line.serial_numbers).map((serialNumber) => ({ shipment, line, serialNumber })),
      ),
    )
    return { rows: each, next }
  },
)

/** One record for each parcel. Its type is the shipping method of the shipment. */
export const colloTypes = defineExport<{ shipment: ShipmentToExport; labelCode: string | null }>(
  {
    collo_type: ({ shipment }) => shipment.method?.code ?? null,
    shipper: ({ shipment }) => shipment.method?.shipper ?? null,
    label_code: ({ labelCode }) => labelCode,
    shipment: ({ shipment }) => shipment.shipment.reference,
    order_external_reference: ({ shipment }) => shipment.shipment.order_external_reference,
    created_at: ({ shipment }) => timeCell(shipment.shipment.created_at),
  },
  async (connection, scope, after) => {
    const { rows, next } = await shipmentsToExport(connection, scope, after)
    const each = rows.flatMap((shipment) =>
      readTracking(shipment.shipment.labels).map(({ labelCode }) => ({ shipment, labelCode })),
    )
    return { rows: each, next }
  },
)

function codes({ shipment }: ShipmentToExport, which: 'labelCode' | 'trackingCode' | 'trackingUrl'): string {
  return readTracking(shipment.labels)
    .map((label) => label[which])
    .filter((code) => code !== null)
    .join(' ')
}
