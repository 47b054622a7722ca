import type { Connection } from '../engine/database.ts'
import { readShippingAddress } from '../engine/stored-json.ts'
import { type ListedOrder, listedOrderColumns } from '../orders/orders.ts'
import type { OrderTable, ShippingMethodTable } from '../schema/orders.ts'
import { findShippingMethods } from '../shipments/shipments.ts'
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

interface Line {
  readonly order_id: string
  readonly quantity: number
  readonly processed: number
  readonly price: number | null
}

interface OrderToExport {
  readonly order: ListedOrder & Pick<OrderTable, 'shipping_address'>
  readonly method: ShippingMethodTable | null
  readonly lines: readonly Line[]
}

export async function ordersToExport(
  connection: Connection,
  scope: ExportScope,
  after: Cursor | null,
): Promise<Portion<OrderToExport>> {
  const all = connection.selectFrom('orders').select([...listedOrderColumns, 'shipping_address'])
  const searched = ['reference', 'external_reference', 'external_id', 'po_number', 'status']
  const found = await oldestFirst(all, scope, after, searched).execute()
  const ids = found.map(({ id }) => id)
  const lines = Map.groupBy(await linesOf(connection, ids), (line) => line.order_id)
  const methods = await findShippingMethods(connection, [
    ...new Set(found.flatMap((order) => order.shipping_method_id ?? [])),
  ])
  const rows = found.map((order) => ({
    order,
    method: methods.get(order.shipping_method_id ?? '') ?? null,
    lines: lines.get(order.id) ?? [],
  }))
  return { rows, next: cursorBehind(found) }
}

async function linesOf(connection: Connection, ids: readonly string[]): Promise<Line[]> {
  if (ids.length === 0) return []
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

/** Amounts of orders are in cents, as stored; prices of lines are in whole currency units. */
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
