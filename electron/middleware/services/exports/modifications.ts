import { modificationsToExport } from '../../data/exports/rows/modifications.ts'
import { defineExport, timeCell } from './define-export.ts'

/** A record for each line of a modification. */
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
