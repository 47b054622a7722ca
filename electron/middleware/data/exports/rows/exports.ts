import type { Connection } from '../../engine/database.ts'
import type { ExportRow } from '../../schema/clients.ts'
import { type Cursor, cursorBehind, type ExportScope, oldestFirst, type Portion } from './portion.ts'

export async function exportsToExport(
  connection: Connection,
  scope: ExportScope,
  after: Cursor | null,
): Promise<Portion<ExportRow>> {
  const all = connection.selectFrom('exports').selectAll()
  const rows = await oldestFirst(all, scope, after, ['type', 'family', 'status']).execute()
  return { rows, next: cursorBehind(rows) }
}
