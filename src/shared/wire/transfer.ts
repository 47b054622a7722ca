import { z } from 'zod'
import { transferStatuses } from '../domain/resource-states.ts'
import { listQuery } from './listing.ts'
import { neededText, optionalText, sentList, wholeFrom } from './loose.ts'
import { byId, dateTime, id } from './primitives.ts'
import { variantOrId } from './variant.ts'

const transferLine = z.object({
  id,
  from_variant: variantOrId,
  /** The variant of the receiving customer: an existing variant, or a new one that was created for the transfer. */
  to_variant: variantOrId,
  quantity: z.number().int(),
  /** Pieces that were transferred. */
  finalized_quantity: z.number().int(),
})

/** Stock that moves from one customer to another (API.md 10.1). */
export const transfer = z.object({
  id,
  to_customer: id,
  created_at: dateTime,
  external_reference: z.string(),
  status: z.enum(transferStatuses),
  customer_to_customer_transfer_lines: z.array(transferLine).optional(),
})
export type Transfer = z.output<typeof transfer>

/**
 * Body of a new transfer. `customer` is the customer whose stock is taken; the header names the same customer (API.md
 * 10.1).
 */
export const transferCreate = z.object({
  customer: id,
  to_customer: id,
  external_reference: neededText(),
  customer_to_customer_transfer_lines: sentList(
    z.object({ article_code: neededText(), quantity: wholeFrom(1) }),
  )
    .min(1)
    .max(1000),
})

const path = '/wms/customer-to-customer-transfers/'
const single = { params: byId, status: 200, response: transfer } as const

/** Customer-to-customer transfers (API.md 10). */
export const transferRoutes = {
  listTransfers: {
    summary: 'List customer-to-customer transfers',
    method: 'GET',
    path,
    query: listQuery(['reference', 'createdAt']),
    status: 200,
    response: z.array(transfer),
    role: 'TRANSFERS_READ',
  },
  getTransfer: {
    summary: 'Get a customer-to-customer transfer',
    method: 'GET',
    path: `${path}:id/`,
    ...single,
    role: 'TRANSFERS_READ',
  },
  createTransfer: {
    summary: 'Create a customer-to-customer transfer',
    method: 'POST',
    path,
    body: transferCreate,
    status: 201,
    response: transfer,
    role: 'TRANSFERS_CREATE',
  },
  patchTransfer: {
    summary: 'Change a transfer that is not requested yet',
    method: 'PATCH',
    path: `${path}:id/`,
    ...single,
    failures: [412],
    body: z.object({ external_reference: neededText().optional() }),
    role: 'TRANSFERS_UPDATE',
  },
  requestTransfer: {
    summary: 'Request a transfer from the warehouse',
    method: 'PUT',
    path: `${path}:id/request`,
    ...single,
    failures: [412],
    role: 'TRANSFERS_REQUEST',
  },
  cancelTransfer: {
    summary: 'Cancel a transfer',
    method: 'PUT',
    path: `${path}:id/cancel`,
    ...single,
    failures: [412],
    body: z.object({ note: optionalText() }),
    role: 'TRANSFERS_CANCEL',
  },
} as const
