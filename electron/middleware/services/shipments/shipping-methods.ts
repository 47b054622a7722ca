import type { ShippingMethodTable } from '../../data/schema/orders.ts'
import {
  findShippingMethod,
  listShippingMethods as listRows,
  type ShippingMethodFilters,
} from '../../data/shipments/shipping-methods.ts'
import type { ServiceContext } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { Refusal } from '../refusal.ts'

const listing: Listing<'createdAt' | 'code'> = {
  columns: { createdAt: 'created_at', code: 'code' },
  sort: 'createdAt',
  direction: 'desc',
}

/** Methods belong to the WMS, so every customer sees all of them. */
export async function listShippingMethods(
  context: ServiceContext,
  filters: ShippingMethodFilters,
  query: ListQuery<'createdAt' | 'code'>,
): Promise<ShippingMethodTable[]> {
  return listRows(context.database, filters, toPage(query, listing))
}

export async function getShippingMethod(context: ServiceContext, id: string): Promise<ShippingMethodTable> {
  const method = await findShippingMethod(context.database, id)
  if (method === null) throw new Refusal('not_found', 'Shipping method not found.')
  return method
}
