import { randomUUID } from 'node:crypto'
import { changeableOrderStatuses } from '#shared/domain/resource-states.ts'
import { looksLikePdf } from '#shared/domain/pdf-magic.ts'
import { bytesOfSentDocuments, storeDocument } from '../../data/documents/documents.ts'
import type { Connection } from '../../data/engine/database.ts'
import {
  changeOrderIn,
  countOrderDocuments,
  documentsOfOrder,
  findOrderDocument,
  insertOrderDocument,
  type OrderDocumentRow,
} from '../../data/orders/orders.ts'
import { type Customer, type ServiceContext, transact } from '../context.ts'
import { Refusal } from '../refusal.ts'
import { existingOrder, notChangeable } from './orders.ts'

export interface NewOrderDocument {
  readonly content: Uint8Array
  readonly title: string
  /** Number of copies to print. */
  readonly quantity: number
  readonly isShippingLabel: boolean
  /** The price in cents. */
  readonly orderPrice: number | null
  readonly labelType: string | null
}

export async function listOrderDocuments(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<OrderDocumentRow[]> {
  await existingOrder(context, customer, id)
  return documentsOfOrder(context.database, customer.id, { id })
}

/** Maximum number of documents of an order, because each read of the order reads all of them. */
const mostOrderDocuments = 1000

/**
 * Adds a document to an order that can still be changed. Refused with 400 after the order was cancelled or if it has
 * too many documents, with 412 once the warehouse works on it, and with 409 if the customer has no space left for
 * documents.
 */
export async function addOrderDocument(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; document: NewOrderDocument },
): Promise<OrderDocumentRow> {
  const { status } = await existingOrder(context, customer, call.id)
  return transact(context, async (unit) => {
    const { connection: transaction, now } = unit
    if (!(await changeOrderIn(transaction, changeableOrderStatuses, call.id, { modified_at: now })))
      throw notChangeable(status)
    if ((await countOrderDocuments(transaction, call.id)) >= mostOrderDocuments)
      throw new Refusal('invalid', `An order has at most ${mostOrderDocuments} documents.`)
    const { document } = call
    const id = await storeOrderDocument(context, transaction, {
      customer,
      orderId: call.id,
      now,
      document,
    })
    // the new document is read in the same transaction, before another call can delete it
    const added = await findOrderDocument(transaction, id)
    if (added === null) throw new Error(`Document ${id} does not exist`)
    const order = { customerId: customer.id, id: call.id }
    unit.changed('order', 'updated', order)
    unit.forWarehouse('order', order)
    return added
  })
}

const gigabyte = 1024 ** 3

/** Maximum bytes of all documents that a customer sends with its orders. */
export const usualDocumentBytes = 2 * gigabyte

/**
 * Stores a document as the last one of an order and returns its id. Refused with 409 if the customer's documents take
 * too much space.
 */
export async function storeOrderDocument(
  { mostDocumentBytes }: Pick<ServiceContext, 'mostDocumentBytes'>,
  connection: Connection,
  call: { customer: Customer; orderId: string; now: string; document: NewOrderDocument },
): Promise<string> {
  const { document } = call
  const stored = await bytesOfSentDocuments(connection, call.customer.id)
  if (stored + document.content.length > mostDocumentBytes) throw tooManyDocuments()
  const id = randomUUID()
  await storeDocument(connection, {
    id,
    customer_id: call.customer.id,
    content: document.content,
    title: document.title,
    mime_type: mimeTypeOf(document.content),
    document_type: document.isShippingLabel ? 'shipping_label' : 'order_document',
    created_at: call.now,
  })
  await insertOrderDocument(connection, {
    order_id: call.orderId,
    document_id: id,
    quantity: document.quantity,
    is_shipping_label: document.isShippingLabel ? 1 : 0,
    order_price: document.orderPrice,
    label_type: document.labelType,
  })
  return id
}

function tooManyDocuments(): Refusal {
  const most = usualDocumentBytes / gigabyte
  const message = `The documents of this customer's orders would take more than ${most} GiB. Delete some of them first.`
  return new Refusal('at_limit', message)
}

const imageStarts = [
  ['image/png', '89504e47'],
  ['image/jpeg', 'ffd8ff'],
] as const

/**
 * Detects the type from the first bytes, because the type that a client sends is not trusted. An unknown type is only
 * offered for download.
 */
function mimeTypeOf(content: Uint8Array): string {
  if (looksLikePdf(content)) return 'application/pdf'
  const start = Buffer.from(content.subarray(0, 8)).toString('hex')
  return imageStarts.find(([, magic]) => start.startsWith(magic))?.[0] ?? 'application/octet-stream'
}
