import type { Connection } from '../engine/database.ts'
import { readShippingAddress } from '../engine/stored-json.ts'
import type { OrderTable, ShippingMethodTable } from '../schema/orders.ts'
import { findShippingMethods } from '../shipments/shipments.ts'
import {
  type Cell,
  defineExport,
  type ExportScope,
  money,
  type Read,
  timeCell,
  walkRecords,
} from './define-export.ts'

interface Line {
  readonly order_id: string
  readonly quantity: number
  readonly processed: number
  readonly price: number | null
}

/**
 * The columns of orders that exports read. `meta_data` is not among them, because it may be large and no file shows it.
 */
const columns = [
  'id',
  'reference',
  'external_reference',
  'external_id',
  'status',
  'business_to_business',
  'po_number',
  'requested_delivery_date',
  'shipping_method_id',
  'shipping_address',
  'currency',
  'order_amount',
  'assured_amount',
  'note',
  'created_at',
  'modified_at',
] as const

interface OrderToExport {
  readonly order: Pick<OrderTable, (typeof columns)[number]>
  readonly method: ShippingMethodTable | null
  readonly lines: readonly Line[]
}

export async function* ordersToExport(read: Read, scope: ExportScope): AsyncGenerator<OrderToExport[]> {
  const searched = ['reference', 'external_reference', 'external_id', 'po_number', 'status']
  const walk = walkRecords<OrderToExport['order']>(read, scope, { table: 'orders', columns, searched })
  for await (const found of walk) {
    const ids = found.map(({ id }) => id)
    const methodIds = [...new Set(found.flatMap((order) => order.shipping_method_id ?? []))]
    const lines = Map.groupBy(await read((each) => linesOf(each, ids)), (line) => line.order_id)
    const methods = await read((each) => findShippingMethods(each, methodIds))
    yield found.map((order) => ({
      order,
      method: methods.get(order.shipping_method_id ?? '') ?? null,
      lines: lines.get(order.id) ?? [],
    }))
  }
}

async function linesOf(connection: Connection, ids: readonly string[]): Promise<Line[]> {
  return connection
    .selectFrom('order_lines')
    .select(['order_id', 'quantity', 'processed', 'price'])
    .where('order_id', 'in', ids)
    .orderBy('order_id')
    .orderBy('position')
    .execute()
}

type Columns = Record<string, (row: OrderToExport) => Cell>

const identity: Columns = {
  reference: ({ order }) => order.reference,
  external_reference: ({ order }) => order.external_reference,
  external_id: ({ order }) => order.external_id,
  status: ({ order }) => order.status,
  business_to_business: ({ order }) => order.business_to_business === 1,
}

const totals: Columns = {
  lines: ({ lines }) => lines.length,
  pieces: ({ lines }) => lines.reduce((sum, line) => sum + line.quantity, 0),
  processed: ({ lines }) => lines.reduce((sum, line) => sum + line.processed, 0),
}

const created: Columns = { created_at: ({ order }) => timeCell(order.created_at) }

export const orders = defineExport<OrderToExport>(
  {
    ...identity,
    po_number: ({ order }) => order.po_number,
    requested_delivery_date: ({ order }) => order.requested_delivery_date,
    shipping_method: ({ method }) => method?.code ?? null,
    addressed_to: ({ order }) => readShippingAddress(order.shipping_address).addressedTo,
    zipcode: ({ order }) => readShippingAddress(order.shipping_address).zipcode,
    city: ({ order }) => readShippingAddress(order.shipping_address).city,
    country: ({ order }) => readShippingAddress(order.shipping_address).country,
    note: ({ order }) => order.note,
    ...totals,
    ...created,
    modified_at: ({ order }) => timeCell(order.modified_at),
  },
  ordersToExport,
)

export const orderTotals = defineExport<OrderToExport>(
  { ...identity, shipping_method: ({ method }) => method?.code ?? null, ...totals, ...created },
  ordersToExport,
)

/**
 * Order values. `order_amount` and `assured_amount` are in cents, as stored. `price_of_lines` is in units of the
 * order's currency, for example in euro.
 */
export const orderValues = defineExport<OrderToExport>(
  {
    ...identity,
    currency: ({ order }) => order.currency,
    order_amount: ({ order }) => order.order_amount,
    assured_amount: ({ order }) => order.assured_amount,
    price_of_lines: ({ lines }) =>
      money(lines.reduce((sum, line) => sum + line.quantity * (line.price ?? 0), 0)),
    ...totals,
    ...created,
  },
  ordersToExport,
)
