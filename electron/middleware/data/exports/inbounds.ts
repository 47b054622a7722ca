import type { Connection } from '../engine/database.ts'
import type { InboundTable } from '../schema/moves.ts'
import {
  type Cell,
  defineExport,
  type ExportScope,
  money,
  type Read,
  timeCell,
  walkRecords,
} from './define-export.ts'

interface Line {
  readonly inbound_id: string
  readonly quantity: number
  readonly processed: number | null
  readonly packing_slip: number | null
  readonly article_code: string
  readonly ean: string | null
  readonly sku: string | null
  readonly value: number | null
}

/**
 * The columns of inbounds that exports read. `meta_data` is not among them, because it may be large and no file shows
 * it.
 */
const columns = [
  'id',
  'reference',
  'external_reference',
  'is_return',
  'status',
  'inbound_date',
  'note',
  'created_at',
  'modified_at',
] as const

interface InboundToExport {
  readonly inbound: Pick<InboundTable, (typeof columns)[number]>
  readonly lines: readonly Line[]
}

/** Yields inbounds, each with its lines in the announced order. */
export async function* inboundsToExport(read: Read, scope: ExportScope): AsyncGenerator<InboundToExport[]> {
  const searched = ['reference', 'external_reference', 'note', 'status']
  const walk = walkRecords<InboundToExport['inbound']>(read, scope, { table: 'inbounds', columns, searched })
  for await (const inbounds of walk) {
    const ids = inbounds.map(({ id }) => id)
    const lines = Map.groupBy(await read((each) => linesOf(each, ids)), (line) => line.inbound_id)
    yield inbounds.map((inbound) => ({ inbound, lines: lines.get(inbound.id) ?? [] }))
  }
}

async function linesOf(connection: Connection, ids: readonly string[]): Promise<Line[]> {
  return connection
    .selectFrom('inbound_lines')
    .innerJoin('variants', 'variants.id', 'inbound_lines.variant_id')
    .select([
      'inbound_lines.inbound_id',
      'inbound_lines.quantity',
      'inbound_lines.processed',
      'inbound_lines.packing_slip',
      'variants.article_code',
      'variants.ean',
      'variants.sku',
      'variants.value',
    ])
    .where('inbound_lines.inbound_id', 'in', ids)
    .orderBy('inbound_lines.inbound_id')
    .orderBy('inbound_lines.position')
    .execute()
}

type Columns<Row> = Record<string, (row: Row) => Cell>

const identity: Columns<Pick<InboundToExport, 'inbound'>> = {
  reference: ({ inbound }) => inbound.reference,
  external_reference: ({ inbound }) => inbound.external_reference,
  status: ({ inbound }) => inbound.status,
  is_return: ({ inbound }) => inbound.is_return === 1,
  inbound_date: ({ inbound }) => inbound.inbound_date,
}

const created: Columns<Pick<InboundToExport, 'inbound'>> = {
  created_at: ({ inbound }) => timeCell(inbound.created_at),
}

const totals: Columns<InboundToExport> = {
  lines: ({ lines }) => lines.length,
  pieces: ({ lines }) => lines.reduce((sum, line) => sum + line.quantity, 0),
  processed: ({ lines }) => lines.reduce((sum, line) => sum + (line.processed ?? 0), 0),
}

/** One record for each line of an inbound. */
export const inboundLines = defineExport<{
  inbound: InboundToExport['inbound']
  line: InboundToExport['lines'][number]
}>(
  {
    ...identity,
    note: ({ inbound }) => inbound.note,
    article_code: ({ line }) => line.article_code,
    ean: ({ line }) => line.ean,
    sku: ({ line }) => line.sku,
    quantity: ({ line }) => line.quantity,
    packing_slip: ({ line }) => line.packing_slip,
    processed: ({ line }) => line.processed,
    ...created,
    modified_at: ({ inbound }) => timeCell(inbound.modified_at),
  },
  async function* (read, scope) {
    for await (const inbounds of inboundsToExport(read, scope))
      yield inbounds.flatMap(({ inbound, lines }) => lines.map((line) => ({ inbound, line })))
  },
)

export const inboundTotals = defineExport<InboundToExport>(
  { ...identity, ...totals, ...created },
  inboundsToExport,
)

/** Values of the received goods, in euro. */
export const inboundValues = defineExport<InboundToExport>(
  {
    ...identity,
    ...totals,
    value: ({ lines }) =>
      money(lines.reduce((sum, line) => sum + (line.processed ?? 0) * (line.value ?? 0), 0)),
    ...created,
  },
  inboundsToExport,
)
