import { type OrderToExport, ordersToExport } from '../../data/exports/rows/orders.ts'
import { readShippingAddress } from '../../data/engine/stored-json.ts'
import type { Cell } from './csv.ts'
import { defineExport, money, timeCell } from './define-export.ts'

type Columns = Record<string, (row: OrderToExport) => Cell>

const identity: Columns = {
  reference: ({ order }) => order.reference,
  external_reference: ({ order }) => order.external_reference,
  external_id: ({ order }) => order.external_id,
  status: ({ order }) => order.status,
  business_to_business: ({ order }) => order.business_to_business === 1,
}

const totals: Columns = {
  lines: ({ lines }) => lines.length,
  pieces: ({ lines }) => lines.reduce((sum, line) => sum + line.quantity, 0),
  processed: ({ lines }) => lines.reduce((sum, line) => sum + line.processed, 0),
}

const created: Columns = { created_at: ({ order }) => timeCell(order.created_at) }

export const orders = defineExport<OrderToExport>(
  {
    ...identity,
    po_number: ({ order }) => order.po_number,
    requested_delivery_date: ({ order }) => order.requested_delivery_date,
    shipping_method: ({ method }) => method?.code ?? null,
    addressed_to: ({ order }) => readShippingAddress(order.shipping_address).addressedTo,
    zipcode: ({ order }) => readShippingAddress(order.shipping_address).zipcode,
    city: ({ order }) => readShippingAddress(order.shipping_address).city,
    country: ({ order }) => readShippingAddress(order.shipping_address).country,
    note: ({ order }) => order.note,
    ...totals,
    ...created,
    modified_at: ({ order }) => timeCell(order.modified_at),
  },
  ordersToExport,
)

export const orderTotals = defineExport<OrderToExport>(
  { ...identity, shipping_method: ({ method }) => method?.code ?? null, ...totals, ...created },
  ordersToExport,
)

/** Amounts in cents, as orders bear them; prices of lines in whole currency. */
export const orderValues = defineExport<OrderToExport>(
  {
    ...identity,
    currency: ({ order }) => order.currency,
    order_amount: ({ order }) => order.order_amount,
    assured_amount: ({ order }) => order.assured_amount,
    price_of_lines: ({ lines }) =>
      money(lines.reduce((sum, line) => sum + line.quantity * (line.price ?? 0), 0)),
    ...totals,
    ...created,
  },
  ordersToExport,
)
