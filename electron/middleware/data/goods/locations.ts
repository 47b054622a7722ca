import { sql } from 'kysely'
import type { Connection } from '../engine/database.ts'
import { type Page, readPage } from '../engine/listing.ts'
import type { LocationTable, LocationTypeTable } from '../schema/goods.ts'

/**
 * SQL condition: the location is outside quarantine. The code of a quarantine location begins with QUAR, in any letter
 * case.
 */
export const isOutsideQuarantine = sql<boolean>`upper(locations.code) not like 'QUAR%'`

/**
 * Returns the locations with the given ids. Locations belong to the WMS and not to a customer, so every customer may
 * refer to any of them.
 */
export async function findLocations(
  connection: Connection,
  ids: readonly string[],
): Promise<Map<string, LocationTable>> {
  if (ids.length === 0) return new Map()
  const rows = await connection.selectFrom('locations').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Lists locations in the order of their ids, from the first id after `after`. Null: from the first location. */
export async function locationsAfter(
  connection: Connection,
  {
    code,
    pickableOnly,
    after,
    limit,
  }: {
    readonly code: string | null
    readonly pickableOnly: boolean
    readonly after: string | null
    readonly limit: number
  },
): Promise<LocationTable[]> {
  let query = connection.selectFrom('locations').selectAll()
  if (code !== null) query = query.where('code', '=', code)
  if (pickableOnly) query = query.where('pickable', '=', 1)
  if (after !== null) query = query.where('id', '>', after)
  return query.orderBy('id').limit(limit).execute()
}

export async function listLocationTypes(
  connection: Connection,
  filters: { code: string | null; pickableOnly: boolean },
  page: Page,
): Promise<LocationTypeTable[]> {
  let query = connection.selectFrom('location_types').selectAll()
  if (filters.code !== null) query = query.where('code', '=', filters.code)
  if (filters.pickableOnly) query = query.where('pickable', '=', 1)
  return readPage(connection, query, page)
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

/**
 * Creates a location, or changes the location with the same code. `changed`: whether this changed `pickable` of an
 * existing location.
 */
export async function putLocation(
  connection: Connection,
  location: LocationTable,
): Promise<{ id: string; changed: boolean }> {
  const known = await connection
    .selectFrom('locations')
    .selectAll()
    .where('code', '=', location.code)
    .executeTakeFirst()
  if (known === undefined) await connection.insertInto('locations').values(location).execute()
  if (known === undefined || known.pickable === location.pickable)
    return { id: known?.id ?? location.id, changed: false }
  await connection
    .updateTable('locations')
    .set({ pickable: location.pickable })
    .where('id', '=', known.id)
    .execute()
  return { id: known.id, changed: true }
}

/** Returns the variants with pieces at a location, with their customers. */
export async function variantsLyingAt(
  connection: Connection,
  locationId: string,
): Promise<{ variant_id: string; customer_id: string }[]> {
  return (
    connection
      .selectFrom('batches')
      .select(['variant_id', 'customer_id'])
      .distinct()
      .where('location_id', '=', locationId)
      // the query contains this condition with a literal, not with a parameter, because SQLite uses a partial index
      // only for a query that repeats the condition of the index
      .where(sql<boolean>`quantity > 0`)
      .execute()
  )
}
