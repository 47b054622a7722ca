import type { Connection } from '../../engine/database.ts'
import { type ListedOrder, listedOrderColumns } from '../../orders/orders.ts'
import type { OrderTable, ShippingMethodTable } from '../../schema/orders.ts'
import { findShippingMethods } from '../../shipments/shipping-methods.ts'
import { type Cursor, cursorBehind, type ExportScope, oldestFirst, type Portion } from './portion.ts'

interface Line {
  readonly order_id: string
  readonly quantity: number
  readonly processed: number
  readonly price: number | null
}

export interface OrderToExport {
  readonly order: Omit<ListedOrder, 'customer_note'> & Pick<OrderTable, 'shipping_address'>
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
  const orders = await oldestFirst(all, scope, after, searched).execute()
  const ids = orders.map(({ id }) => id)
  const lines = Map.groupBy(await linesOf(connection, ids), (line) => line.order_id)
  const methods = await findShippingMethods(connection, [
    ...new Set(orders.flatMap((order) => order.shipping_method_id ?? [])),
  ])
  const rows = orders.map((order) => ({
    order,
    method: methods.get(order.shipping_method_id ?? '') ?? null,
    lines: lines.get(order.id) ?? [],
  }))
  return { rows, next: cursorBehind(orders) }
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
