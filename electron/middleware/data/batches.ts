import type { Connection } from './database.ts'
import { type Page, paged } from './paging.ts'
import type { BatchTable } from './schema.ts'
import { bears, type Identifiers, namesAnything } from './variants.ts'

export interface BatchFilters extends Identifiers {
  /** Leaves out lots of which nothing is left. */
  readonly positiveOnly: boolean
}

export async function listBatches(
  connection: Connection,
  customerId: string,
  filters: BatchFilters,
  page: Page,
): Promise<BatchTable[]> {
  let query = connection.selectFrom('batches').selectAll().where('customer_id', '=', customerId)
  if (filters.positiveOnly) query = query.where('quantity', '>', 0)
  if (namesAnything(filters))
    query = query.where('variant_id', 'in', (from) =>
      from.selectFrom('variants').select('id').where('customer_id', '=', customerId).where(bears(filters)),
    )
  return paged(query, page).execute()
}

export async function findBatch(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<BatchTable | null> {
  const row = await connection
    .selectFrom('batches')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}
