import { sql } from 'kysely'
import type { Connection } from '../../engine/database.ts'
import { anyContains } from '../../engine/listing.ts'
import { type Cursor, type ExportScope, type Portion, portionSize } from './portion.ts'

/** What of a customer's stock lies on one location. */
export interface FilledLocation {
  readonly id: string
  readonly code: string
  readonly pickable: 0 | 1
  readonly lots: number
  readonly variants: number
  readonly pieces: number
  /** Euro; goods without a value count as nothing. */
  readonly value: number
}

/** Locations with stock, by id; `from` and `to` narrow by when a lot was made. */
export async function filledLocations(
  connection: Connection,
  scope: ExportScope,
  after: Cursor | null,
): Promise<Portion<FilledLocation>> {
  let query = connection
    .selectFrom('batches')
    .innerJoin('locations', 'locations.id', 'batches.location_id')
    .innerJoin('variants', 'variants.id', 'batches.variant_id')
    .select([
      'locations.id',
      'locations.code',
      'locations.pickable',
      (select) => select.fn.countAll<number>().as('lots'),
      sql<number>`count(distinct batches.variant_id)`.as('variants'),
      sql<number>`sum(batches.quantity)`.as('pieces'),
      sql<number>`sum(batches.quantity * coalesce(variants.value, 0))`.as('value'),
    ])
    .where('batches.customer_id', '=', scope.customerId)
    .where('batches.quantity', '>', 0)
  if (scope.from !== null) query = query.where('batches.created_at', '>=', scope.from)
  if (scope.to !== null) query = query.where('batches.created_at', '<=', scope.to)
  if (scope.search !== null) query = query.where(anyContains(['locations.code'], scope.search))
  if (after !== null) query = query.where('locations.id', '>', after.id)
  const rows = await query
    .groupBy(['locations.id', 'locations.code', 'locations.pickable'])
    .orderBy('locations.id')
    .limit(portionSize)
    .execute()
  const last = rows.at(-1)
  const next = last === undefined || rows.length < portionSize ? null : { createdAt: '', id: last.id }
  return { rows, next }
}
