import type { Connection } from '../engine/database.ts'
import type { TransferTable } from '../schema/moves.ts'
import { defineExport, type ExportScope, type Read, timeCell, walkRecords } from './define-export.ts'

interface Line {
  readonly transfer_id: string
  readonly quantity: number
  readonly finalized_quantity: number
  readonly article_code: string
  readonly ean: string | null
  readonly sku: string | null
}

const columns = ['id', 'to_customer_id', 'external_reference', 'status', 'created_at', 'modified_at'] as const
type ExportedTransfer = Pick<TransferTable, (typeof columns)[number]>

interface TransferLineToExport {
  readonly transfer: ExportedTransfer
  readonly toCustomer: string
  readonly line: Line
}

/** Yields one record for each line of the transfers whose source is the customer. */
async function* transfersToExport(read: Read, scope: ExportScope): AsyncGenerator<TransferLineToExport[]> {
  const searched = ['external_reference', 'status']
  const walk = walkRecords<ExportedTransfer>(read, scope, { table: 'transfers', columns, searched })
  for await (const found of walk) {
    const ids = found.map(({ id }) => id)
    const customerIds = [...new Set(found.map((each) => each.to_customer_id))]
    const lines = Map.groupBy(await read((each) => linesOf(each, ids)), (line) => line.transfer_id)
    const codes = await read((each) => customerCodes(each, customerIds))
    yield found.flatMap((transfer) =>
      (lines.get(transfer.id) ?? []).map((line) => ({
        transfer,
        toCustomer: codes.get(transfer.to_customer_id) ?? '',
        line,
      })),
    )
  }
}

async function customerCodes(connection: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await connection
    .selectFrom('customers')
    .select(['id', 'code'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, code }) => [id, code]))
}

async function linesOf(connection: Connection, ids: readonly string[]): Promise<Line[]> {
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
