import type { Connection } from '../engine/database.ts'
import { type Page, paged } from '../engine/paging.ts'
import type { LocationTable, LocationTypeTable } from '../schema/goods.ts'

/** Locations belong to the WMS, so every customer may name any of them. */
export async function findLocations(
  connection: Connection,
  ids: readonly string[],
): Promise<Map<string, LocationTable>> {
  if (ids.length === 0) return new Map()
  const rows = await connection.selectFrom('locations').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export async function listLocationTypes(
  connection: Connection,
  filters: { code: string | null; pickableOnly: boolean },
  page: Page,
): Promise<LocationTypeTable[]> {
  let query = connection.selectFrom('location_types').selectAll()
  if (filters.code !== null) query = query.where('code', '=', filters.code)
  if (filters.pickableOnly) query = query.where('pickable', '=', 1)
  return paged(query, page).execute()
}

export async function findLocationType(
  connection: Connection,
  id: string,
): Promise<LocationTypeTable | null> {
  const row = await connection
    .selectFrom('location_types')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}
