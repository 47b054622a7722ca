import type { Connection } from '../engine/database.ts'
import type { ModificationTable } from '../schema/moves.ts'
import { defineExport, type ExportScope, type Read, timeCell, walkRecords } from './define-export.ts'

interface Line {
  readonly modification_id: string
  readonly quantity: number
  readonly article_code: string
  readonly ean: string | null
  readonly sku: string | null
  readonly location: string
}

const columns = ['id', 'reference', 'status', 'reason', 'note', 'created_at', 'modified_at'] as const
type ExportedModification = Pick<ModificationTable, (typeof columns)[number]>

interface ModificationLineToExport {
  readonly modification: ExportedModification
  readonly line: Line
}

/** Yields one record for each line of a modification. */
async function* modificationsToExport(
  read: Read,
  scope: ExportScope,
): AsyncGenerator<ModificationLineToExport[]> {
  const searched = ['reference', 'note', 'reason']
  const walk = walkRecords<ExportedModification>(read, scope, { table: 'modifications', columns, searched })
  for await (const found of walk) {
    const ids = found.map(({ id }) => id)
    const lines = Map.groupBy(await read((each) => linesOf(each, ids)), (line) => line.modification_id)
    yield found.flatMap((modification) =>
      (lines.get(modification.id) ?? []).map((line) => ({ modification, line })),
    )
  }
}

async function linesOf(connection: Connection, ids: readonly string[]): Promise<Line[]> {
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
