import type { Connection } from '../engine/database.ts'
import type { TransferTable } from '../schema/moves.ts'
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
  readonly transfer_id: string
  readonly quantity: number
  readonly finalized_quantity: number
  readonly article_code: string
  readonly ean: string | null
  readonly sku: string | null
}

interface TransferLineToExport {
  readonly transfer: TransferTable
  readonly toCustomer: string
  readonly line: Line
}

/** Returns one record for each line of the transfers whose source is the customer. */
async function transfersToExport(
  connection: Connection,
  scope: ExportScope,
  after: Cursor | null,
): Promise<Portion<TransferLineToExport>> {
  const all = connection.selectFrom('transfers').selectAll()
  const found = await oldestFirst(all, scope, after, ['external_reference', 'status']).execute()
  const ids = found.map(({ id }) => id)
  const lines = Map.groupBy(await linesOf(connection, ids), (line) => line.transfer_id)
  const codes = await customerCodes(connection, [...new Set(found.map((each) => each.to_customer_id))])
  const rows = found.flatMap((transfer) =>
    (lines.get(transfer.id) ?? []).map((line) => ({
      transfer,
      toCustomer: codes.get(transfer.to_customer_id) ?? '',
      line,
    })),
  )
  return { rows, next: cursorBehind(found) }
}

async function customerCodes(connection: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await connection
    .selectFrom('customers')
    .select(['id', 'code'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, code }) => [id, code]))
}

async function linesOf(connection: Connection, ids: readonly string[]): Promise<Line[]> {
  if (ids.length === 0) return []
  return connection
    .selectFrom('transfer_lines')
    .innerJoin('variants', 'variants.id', 'transfer_lines.from_variant_id')
    .select([
      'transfer_lines.transfer_id',
      'transfer_lines.quantity',
      'transfer_lines.finalized_quantity',
      'variants.article_code',
      'variants.ean',
      'variants.sku',
    ])
    .where('transfer_lines.transfer_id', 'in', ids)
    .orderBy('transfer_lines.transfer_id')
    .orderBy('transfer_lines.position')
    .execute()
}

/** One record for each line of a transfer. */
export const transfers = defineExport(
  {
    external_reference: ({ transfer }) => transfer.external_reference,
    to_customer: ({ toCustomer }) => toCustomer,
    status: ({ transfer }) => transfer.status,
    article_code: ({ line }) => line.article_code,
    ean: ({ line }) => line.ean,
    sku: ({ line }) => line.sku,
    quantity: ({ line }) => line.quantity,
    finalized_quantity: ({ line }) => line.finalized_quantity,
    created_at: ({ transfer }) => timeCell(transfer.created_at),
    modified_at: ({ transfer }) => timeCell(transfer.modified_at),
  },
  transfersToExport,
)
