import type { Connection } from '../engine/database.ts'
import { type ListedInbound, listedInboundColumns } from '../moves/inbounds.ts'
import {
  type Cell,
  type Cursor,
  cursorBehind,
  defineExport,
  type ExportScope,
  money,
  oldestFirst,
  type Portion,
  timeCell,
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

interface InboundToExport {
  readonly inbound: ListedInbound
  readonly lines: readonly Line[]
}

/** Returns inbounds with their lines in the announced order. */
export async function inboundsToExport(
  connection: Connection,
  scope: ExportScope,
  after: Cursor | null,
): Promise<Portion<InboundToExport>> {
  const all = connection.selectFrom('inbounds').select(listedInboundColumns)
  const searched = ['reference', 'external_reference', 'note', 'status']
  const inbounds = await oldestFirst(all, scope, after, searched).execute()
  const ids = inbounds.map(({ id }) => id)
  const lines = Map.groupBy(await linesOf(connection, ids), (line) => line.inbound_id)
  const rows = inbounds.map((inbound) => ({ inbound, lines: lines.get(inbound.id) ?? [] }))
  return { rows, next: cursorBehind(inbounds) }
}

async function linesOf(connection: Connection, ids: readonly string[]): Promise<Line[]> {
  if (ids.length === 0) return []
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
  async (connection, scope, after) => {
    const { rows, next } = await inboundsToExport(connection, scope, after)
    return { rows: rows.flatMap(({ inbound, lines }) => lines.map((line) => ({ inbound, line }))), next }
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
