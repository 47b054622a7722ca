import type { Connection } from '../../engine/database.ts'
import { type ListedInbound, listedInboundColumns } from '../../moves/inbounds.ts'
import { type Cursor, cursorBehind, type ExportScope, oldestFirst, type Portion } from './portion.ts'

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

export interface InboundToExport {
  readonly inbound: ListedInbound
  readonly lines: readonly Line[]
}

/** Inbounds with their lines in the order they were announced. */
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
