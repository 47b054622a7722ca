import type { z } from 'zod'
import type { Transfer, transferCreate } from '#shared/wire/transfer.ts'
import type { VariantTable } from '../data/schema/goods.ts'
import type { NewTransfer } from '../services/moves/create-transfer.ts'
import type { TransferRecord } from '../services/moves/transfers.ts'
import { toWireTime } from './time.ts'
import { toWireVariant } from './variant.ts'

/** Expand groups of transfers; the record itself is always there (api.md, Customer-to-customer transfers). */
export const transferGroups = [
  'customer_to_customer_transfer_lines',
  'customer_to_customer_transfer',
  'variant',
] as const

/** How much of a line's variants is shown: those of customers for whom the user may not act are `{id}`. */
export interface ShownVariants {
  readonly whole: boolean
  readonly customerIds: readonly string[]
}

/** api.md, Customer-to-customer transfer: with its lines where those were asked for. */
export function toWireTransfer({ transfer, lines }: TransferRecord, shown: ShownVariants): Transfer {
  const variant = (row: VariantTable): ReturnType<typeof toWireVariant> | { id: string } =>
    shown.whole && shown.customerIds.includes(row.customer_id) ? toWireVariant(row) : { id: row.id }
  return {
    id: transfer.id,
    to_customer: transfer.to_customer_id,
    created_at: toWireTime(transfer.created_at),
    external_reference: transfer.external_reference,
    status: transfer.status,
    ...(lines && {
      customer_to_customer_transfer_lines: lines.map(({ line, from, to }) => ({
        id: line.id,
        from_variant: variant(from),
        to_variant: variant(to),
        quantity: line.quantity,
        finalized_quantity: line.finalized_quantity,
      })),
    }),
  }
}

/** Ids are kept in lower case; some clients send them in capitals. */
export function fromWireTransfer(body: z.output<typeof transferCreate>): NewTransfer {
  return {
    fromCustomerId: body.customer.toLowerCase(),
    toCustomerId: body.to_customer.toLowerCase(),
    externalReference: body.external_reference,
    lines: body.customer_to_customer_transfer_lines.map(({ article_code, quantity }) => ({
      code: article_code,
      quantity,
    })),
  }
}
