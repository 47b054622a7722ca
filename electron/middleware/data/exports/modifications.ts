import type { Connection } from '../engine/database.ts'
import type { ModificationTable } from '../schema/moves.ts'
import {
  type Cursor,
  cursorBehind,
  defineExport,
  type ExportScope,
  oldestFirst,
  type Portion,
  timeCell,
} from './define-export.ts'

interface Line {
  readonly modification_id: string
  readonly quantity: number
  readonly article_code: string
  readonly ean: string | null
  readonly sku: string | null
  readonly location: string
}

interface ModificationLineToExport {
  readonly modification: ModificationTable
  readonly line: Line
}

/** Returns one record for each line. */
async function modificationsToExport(
  connection: Connection,
  scope: ExportScope,
  after: Cursor | null,
): Promise<Portion<ModificationLineToExport>> {
  const all = connection.selectFrom('modifications').selectAll()
  const found = await oldestFirst(all, scope, after, ['reference', 'note', 'reason']).execute()
  const ids = found.map(({ id }) => id)
  const lines = Map.groupBy(await linesOf(connection, ids), (line) => line.modification_id)
  const rows = found.flatMap((modification) =>
    (lines.get(modification.id) ?? []).map((line) => ({ modification, line })),
  )
  return { rows, next: cursorBehind(found) }
}

async function linesOf(connection: Connection, ids: readonly string[]): Promise<Line[]> {
  if (ids.length === 0) return []
  return connection
    .selectFrom('modification_lines')
    .innerJoin('variants', 'variants.id', 'modification_lines.variant_id')
    .innerJoin('locations', 'locations.id', 'modification_lines.location_id')
    .select([
      'modification_lines.modification_id',
      'modification_lines.quantity',
      'variants.article_code',
      'variants.ean',
      'variants.sku',
      'locations.code as location',
    ])
    .where('modification_lines.modification_id', 'in', ids)
    .orderBy('modification_lines.modification_id')
    .orderBy('modification_lines.position')
    .execute()
}

/** One record for each line of a modification. */
export const modifications = defineExport(
  {
    reference: ({ modification }) => modification.reference,
    status: ({ modification }) => modification.status,
    reason: ({ modification }) => modification.reason,
    note: ({ modification }) => modification.note,
    article_code: ({ line }) => line.article_code,
    ean: ({ line }) => line.ean,
    sku: ({ line }) => line.sku,
    location: ({ line }) => line.location,
    quantity: ({ line }) => line.quantity,
    created_at: ({ modification }) => timeCell(modification.created_at),
    modified_at: ({ modification }) => timeCell(modification.modified_at),
  },
  modificationsToExport,
)
