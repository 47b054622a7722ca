import { sql } from 'kysely'
import type { Connection } from '../engine/database.ts'
import { readAddress, readSerialNumbers, readTracking } from '../engine/stored-json.ts'
import type { ShipmentLineTable, ShipmentTable, ShippingMethodTable } from '../schema/orders.ts'
import { findShippingMethods, linesOfShipments } from '../shipments/shipments.ts'
import {
  type Cell,
  defineExport,
  type ExportScope,
  money,
  type Read,
  timeCell,
  walkRecords,
} from './define-export.ts'

const columns = [
  'id',
  'reference',
  'po_number',
  'order_external_reference',
  'shipment_external_reference',
  'shipping_method_id',
  'shipping_address',
  'labels',
  'created_at',
] as const
type ExportedShipment = Pick<ShipmentTable, (typeof columns)[number]>

interface Line {
  readonly shipment_id: string
  readonly quantity: number
  /** Present value of one piece of the variant in euro. */
  readonly value: number | null
}

interface ShipmentToExport {
  readonly shipment: ExportedShipment
  readonly method: ShippingMethodTable | null
  readonly lines: readonly Line[]
}

const searched = ['reference', 'po_number', 'order_external_reference', 'shipment_external_reference']

/** Yields shipments with their lines. `externalOnly`: only shipments with a `shipment_external_reference`. */
async function* shipmentsToExport(
  read: Read,
  scope: ExportScope,
  options: { externalOnly: boolean } = { externalOnly: false },
): AsyncGenerator<ShipmentToExport[]> {
  const walk = walkRecords<ExportedShipment>(read, scope, {
    ...{ table: 'shipments', columns, searched },
    ...(options.externalOnly && { only: sql<boolean>`shipment_external_reference is not null` }),
  })
  for await (const found of walk) {
    const ids = found.map(({ id }) => id)
    const methodIds = [...new Set(found.map((shipment) => shipment.shipping_method_id))]
    const lines = Map.groupBy(await read((each) => linesOf(each, ids)), (line) => line.shipment_id)
    const methods = await read((each) => findShippingMethods(each, methodIds))
    yield found.map((shipment) => ({
      shipment,
      method: methods.get(shipment.shipping_method_id) ?? null,
      lines: lines.get(shipment.id) ?? [],
    }))
  }
}

/** Reads the lines of shipments without their serial numbers, because a line may have ten thousand of them. */
async function linesOf(connection: Connection, ids: readonly string[]): Promise<Line[]> {
  return connection
    .selectFrom('shipment_lines')
    .innerJoin('variants', 'variants.id', 'shipment_lines.variant_id')
    .select(['shipment_lines.shipment_id', 'shipment_lines.quantity', 'variants.value'])
    .where('shipment_lines.shipment_id', 'in', ids)
    .orderBy('shipment_lines.shipment_id')
    .orderBy('shipment_lines.position')
    .execute()
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
  (read, scope) => shipmentsToExport(read, scope, { externalOnly: true }),
)

/** One record for each shipment, with the counts of its lines, pieces and parcels. */
export const packings = defineExport<ShipmentToExport>(
  { ...identity, ...transport, ...counts, ...created },
  shipmentsToExport,
)

/** Values of the shipped goods, in euro, computed from the present values of their variants. */
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

/** One record for each shipped serial number. Each shipment's lines are read separately, because they may be large. */
export const serialNumbers = defineExport<{
  shipment: ExportedShipment
  line: ShipmentLineTable
  serialNumber: string
}>(
  {
    serial_number: ({ serialNumber }) => serialNumber,
    article_code: ({ line }) => line.article_code,
    ean: ({ line }) => line.ean,
    sku: ({ line }) => line.sku,
    shipment: ({ shipment }) => shipment.reference,
    order_external_reference: ({ shipment }) => shipment.order_external_reference,
    created_at: ({ shipment }) => timeCell(shipment.created_at),
  },
  async function* (read, scope) {
    const walk = walkRecords<ExportedShipment>(read, scope, { table: 'shipments', columns, searched })
    for await (const found of walk)
      for (const shipment of found) {
        const lines = await read((each) => linesOfShipments(each, [shipment.id]))
        yield lines.flatMap((line) =>
          readSerialNumbers(line.serial_numbers).map((serialNumber) => ({ shipment, line, serialNumber })),
        )
      }
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
  async function* (read, scope) {
    for await (const found of shipmentsToExport(read, scope))
      yield found.flatMap((shipment) =>
        readTracking(shipment.shipment.labels).map(({ labelCode }) => ({ shipment, labelCode })),
      )
  },
)

function codes({ shipment }: ShipmentToExport, which: 'labelCode' | 'trackingCode' | 'trackingUrl'): string {
  return readTracking(shipment.labels)
    .map((label) => label[which])
    .filter((code) => code !== null)
    .join(' ')
}
