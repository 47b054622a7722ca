import type { WarehouseWorkKind } from '#shared/domain/resource-states.ts'
import type { WebhookGroup } from '#shared/domain/webhook-topics.ts'
import { findCustomers } from '../data/access/accounts.ts'
import type { Connection } from '../data/engine/database.ts'
import { stockOf } from '../data/goods/stock.ts'
import { findVariants } from '../data/goods/variants.ts'
import type { Customer, ServiceContext } from '../services/context.ts'
import { getArticle } from '../services/goods/articles.ts'
import { getBatch } from '../services/goods/stock.ts'
import { getVariant } from '../services/goods/variants.ts'
import { getInbound } from '../services/moves/inbounds.ts'
import { getModification } from '../services/moves/modifications.ts'
import { getTransfer } from '../services/moves/transfers.ts'
import { getOrder } from '../services/orders/orders.ts'
import { Refusal } from '../services/refusal.ts'
import { getShipment } from '../services/shipments/shipments.ts'
import type { EventBody, Subject } from '../services/unit.ts'
import { toWireArticle, toWireVariantRecord } from './goods.ts'
import { inboundGroups, toWireInboundDetail } from './inbounds.ts'
import { toWireModificationDetail } from './modifications.ts'
import { orderGroups, toWireOrder } from './orders.ts'
import { shipmentGroups, toWireShipmentDetail } from './shipments.ts'
import { toWireBatch, toWireStock } from './stock.ts'
import { toWireTransfer } from './transfers.ts'

/** Reads a resource. In contrast to `EventBody`, it also reads kinds of resources that have no notifications. */
type ResourceReader = (
  connection: Connection,
  group: WebhookGroup | WarehouseWorkKind,
  subject: Subject,
) => ReturnType<EventBody>

type Reader = (context: ServiceContext, customer: Customer, id: string) => Promise<unknown>

/**
 * Reads a resource with every Expand group, in the form of the response to its GET. The clients of the service expect
 * this form in the `body` of a notification. Three groups of a shipment are left out: `documents`, and also
 * `return_label` and `shipment_document`, because these two contain signed links, which would expire before a retry.
 */
const readers: Readonly<Record<WebhookGroup | WarehouseWorkKind, Reader>> = {
  article: async (context, customer, id) => toWireArticle(await getArticle(context, customer, id)),
  batch: async (context, customer, id) =>
    toWireBatch(await getBatch(context, customer, { id, withLines: true })),
  inbound: async (context, customer, id) =>
    toWireInboundDetail(
      await getInbound(context, customer, id, { controls: true, documents: true }),
      new Set(inboundGroups),
    ),
  modification: async (context, customer, id) =>
    toWireModificationDetail(await getModification(context, customer, id)),
  order: async (context, customer, id) =>
    toWireOrder(
      await getOrder(context, customer, id, { lines: true, documents: true }),
      new Set(orderGroups),
    ),
  shipment: async (context, customer, id) =>
    toWireShipmentDetail(
      await getShipment(context, customer, id, { lines: true, variants: true, shippingMethod: true }),
      new Set(shipmentGroups),
    ),
  stock: async (context, customer, id) => {
    const variants = await findVariants(context.database, customer.id, [id])
    const [record] = await stockOf(context.database, [...variants.values()])
    return record === undefined ? null : toWireStock(record, new Set(['variant']))
  },
  // The variants of the customer who receives the transfer are also shown in full, because this resource is sent to a
  // warehouse, and a warehouse serves all customers.
  transfer: async (context, customer, id) => {
    const record = await getTransfer(context, customer, { id, withLines: true })
    return toWireTransfer(record, {
      whole: true,
      customerIds: [customer.id, record.transfer.to_customer_id],
    })
  },
  variant: async (context, customer, id) =>
    toWireVariantRecord(await getVariant(context, customer, { id, withArticle: true })),
}

/**
 * Returns the function that reads a resource through the given connection, for a notification or for the work of the
 * warehouse. Its result is null if the resource was deleted.
 */
export function eventBodies(context: Omit<ServiceContext, 'tell' | 'eventBody'>): ResourceReader {
  const bodyOf: ResourceReader = async (connection, group, { customerId, id }) => {
    // A kysely transaction can be passed as the database: the functions in `readers` only read, and they open no
    // transaction.
    const within: ServiceContext = { ...context, database: connection, tell: tellNoOne, eventBody: bodyOf }
    const [customer] = await findCustomers(connection, [customerId])
    if (customer === undefined) return null
    try {
      return await readers[group](within, customer, id)
    } catch (error) {
      if (error instanceof Refusal && error.kind === 'not_found') return null
      throw error
    }
  }
  return bodyOf
}

const tellNoOne: ServiceContext['tell'] = () => Promise.resolve(false)
