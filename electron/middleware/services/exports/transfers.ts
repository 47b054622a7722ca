import { transfersToExport } from '../../data/exports/rows/transfers.ts'
import { defineExport, timeCell } from './define-export.ts'

/** A record for each line of a transfer. */
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
