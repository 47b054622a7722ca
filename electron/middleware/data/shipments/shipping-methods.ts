import type { Connection } from '../engine/database.ts'
import { type Page, paged } from '../engine/listing.ts'
import type { ShippingMethodTable } from '../schema/orders.ts'

/** Exact filters, by column. */
export type ShippingMethodFilters = Partial<
  Record<'code' | 'shipper' | 'shipper_code' | 'shipping_software', string | undefined>
>

export async function listShippingMethods(
  connection: Connection,
  filters: ShippingMethodFilters,
  page: Page,
): Promise<ShippingMethodTable[]> {
  let query = connection.selectFrom('shipping_methods').selectAll()
  for (const column of ['code', 'shipper', 'shipper_code', 'shipping_software'] as const) {
    const wanted = filters[column]
    if (wanted !== undefined) query = query.where(column, '=', wanted)
  }
  return paged(query, page).execute()
}

export async function findShippingMethod(
  connection: Connection,
  id: string,
): Promise<ShippingMethodTable | null> {
  const row = await connection
    .selectFrom('shipping_methods')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

export async function findShippingMethods(
  connection: Connection,
  ids: readonly string[],
): Promise<Map<string, ShippingMethodTable>> {
  if (ids.length === 0) return new Map()
  const rows = await connection.selectFrom('shipping_methods').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}
