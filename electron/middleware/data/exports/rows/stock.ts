import type { Connection } from '../../engine/database.ts'
import type { VariantTable } from '../../schema/goods.ts'
import { type Cursor, cursorBehind, type ExportScope, oldestFirst, type Portion } from './portion.ts'

/** All variants of the customer that are not deleted, also those of which there is nothing. */
export async function variantsToExport(
  connection: Connection,
  scope: ExportScope,
  after: Cursor | null,
): Promise<Portion<VariantTable>> {
  const all = connection.selectFrom('variants').selectAll().where('deleted_at', 'is', null)
  const rows = await oldestFirst(all, scope, after, ['article_code', 'name', 'ean', 'sku']).execute()
  return { rows, next: cursorBehind(rows) }
}
