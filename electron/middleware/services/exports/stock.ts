import { variantsToExport } from '../../data/exports/rows/stock.ts'
import { type StockRecord, stockOf } from '../goods/stock.ts'
import { defineExport, timeCell } from './define-export.ts'

/** All variants, also those of which there is nothing. */
export const stock = defineExport<StockRecord>(
  {
    article_code: ({ variant }) => variant.article_code,
    name: ({ variant }) => variant.name,
    ean: ({ variant }) => variant.ean,
    sku: ({ variant }) => variant.sku,
    stock_physical: ({ physical }) => physical,
    stock_salable: ({ salable }) => salable,
    stock_available: ({ available }) => available,
    stock_quarantine: ({ quarantine }) => quarantine,
    stock_pickable: ({ pickable }) => pickable,
    modified_at: ({ variant }) => timeCell(variant.stock_modified_at),
  },
  async (connection, scope, after) => {
    const { rows, next } = await variantsToExport(connection, scope, after)
    return { rows: await stockOf(connection, rows), next }
  },
)
