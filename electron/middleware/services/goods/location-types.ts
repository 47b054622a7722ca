import { findLocationType, listLocationTypes as listRows } from '../../data/goods/locations.ts'
import type { LocationTypeTable } from '../../data/schema/goods.ts'
import type { ServiceContext } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { Refusal } from '../refusal.ts'

type LocationTypeSort = 'code' | 'name' | 'createdAt'

const listing: Listing<LocationTypeSort> = {
  columns: { code: 'code', name: 'name', createdAt: 'created_at' },
  sort: 'code',
  direction: 'asc',
}

/**
 * Returns a page of the location types that match the filters. They belong to the WMS, so every customer sees the same
 * ones.
 */
export async function listLocationTypes(
  context: ServiceContext,
  call: { filters: { code: string | null; pickableOnly: boolean }; query: ListQuery<LocationTypeSort> },
): Promise<LocationTypeTable[]> {
  return listRows(context.database, call.filters, toPage(call.query, listing))
}

export async function getLocationType(context: ServiceContext, id: string): Promise<LocationTypeTable> {
  const type = await findLocationType(context.database, id)
  if (type === null) throw new Refusal('not_found', 'Location type not found.')
  return type
}
