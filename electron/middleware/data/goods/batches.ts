import type { Connection } from '../engine/database.ts'
import { type Page, paged } from '../engine/paging.ts'
import type { BatchTable } from '../schema/goods.ts'
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
  const all = connection.selectFrom('batches').selectAll()
  // Narrowed by the customer's variants alone: with its own customer_id named as well, SQLite would walk all of them.
  const wanted = namesAnything(filters)
    ? all.where('variant_id', 'in', (from) =>
        from.selectFrom('variants').select('id').where('customer_id', '=', customerId).where(bears(filters)),
      )
    : all.where('customer_id', '=', customerId)
  return paged(filters.positiveOnly ? wanted.where('quantity', '>', 0) : wanted, page).execute()
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
