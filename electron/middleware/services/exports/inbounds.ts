import { type InboundToExport, inboundsToExport } from '../../data/exports/rows/inbounds.ts'
import type { Cell } from './csv.ts'
import { defineExport, money, timeCell } from './define-export.ts'

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

/** A record for each line of an inbound. */
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

/** What came in is worth, in euro. */
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
