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
 * Returns the locations with the given ids. Locations belong to the WMS and not to a customer, so every customer can
 * use all of them.
 */
export async function findLocations(
  connection: Connection,
  ids: readonly string[],
): Promise<Map<string, LocationTable>> {
  if (ids.length === 0) return new Map()
  const rows = await connection.selectFrom('locations').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Returns at most `limit` locations, sorted by id, from the first id after `after` on (null: from the first location).
 * `code`: only the location with this code. Null: all locations.
 */
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
 * Creates a location, or changes `pickable` of the location with the same code. For a changed location, the changes of
 * the stock of its variants are recorded later, in steps (`ChangedLocation`). Returns the id, and `noted_to` of the
 * stored location.
 */
export async function putLocation(
  connection: Connection,
  location: Omit<LocationTable, 'noted_to'>,
): Promise<Pick<LocationTable, 'id' | 'noted_to'>> {
  const known = await connection
    .selectFrom('locations')
    .selectAll()
    .where('code', '=', location.code)
    .executeTakeFirst()
  if (known === undefined) {
    await connection
      .insertInto('locations')
      .values({ ...location, noted_to: null })
      .execute()
    return { id: location.id, noted_to: null }
  }
  if (known.pickable === location.pickable) return known
  const changed = { pickable: location.pickable, noted_to: '' }
  await connection.updateTable('locations').set(changed).where('id', '=', known.id).execute()
  return { id: known.id, ...changed }
}

/**
 * A location whose `pickable` has changed, which changes the stock of all variants with pieces at this location. This
 * change of stock is recorded in the order of the variants' ids. `noted_to`: id of the last variant for which the
 * change is recorded; '' for none.
 */
export interface ChangedLocation {
  readonly id: string
  readonly noted_to: string
}

/**
 * Returns the changed location with the lowest id whose change of stock is not recorded yet for all its variants. Null:
 * there is no such location.
 */
export async function nextChangedLocation(connection: Connection): Promise<ChangedLocation | null> {
  const row = await connection
    .selectFrom('locations')
    .select(['id', 'noted_to'])
    .where('noted_to', 'is not', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : { id: row.id, noted_to: row.noted_to ?? '' }
}

/**
 * Stores the id of the last variant for which the change of stock at a location is recorded (`ChangedLocation`). Null:
 * it is recorded for all variants there.
 */
export async function moveNoted(connection: Connection, id: string, notedTo: string | null): Promise<void> {
  await connection.updateTable('locations').set({ noted_to: notedTo }).where('id', '=', id).execute()
}

/**
 * Returns lots with pieces at a changed location. Leaves out variants whose change of stock is already recorded (see
 * `ChangedLocation`). Returns the first `limit` lots in the order of their variants' ids. A variant with several lots
 * may occur several times.
 */
export async function lotsToNote(
  connection: Connection,
  { id, noted_to: notedTo }: ChangedLocation,
  limit: number,
): Promise<{ variant_id: string; customer_id: string }[]> {
  return (
    connection
      .selectFrom('batches')
      .select(['variant_id', 'customer_id'])
      .where('location_id', '=', id)
      .where('variant_id', '>', notedTo)
      // the query contains this condition with a literal, not with a parameter, because SQLite uses a partial index
      // only for a query that repeats the condition of the index
      .where(sql<boolean>`quantity > 0`)
      .orderBy('variant_id')
      .limit(limit)
      .execute()
  )
}
