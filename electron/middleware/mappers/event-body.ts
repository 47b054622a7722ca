import { findCustomers } from '../data/access/customers.ts'
import { findVariants } from '../data/goods/variants.ts'
import type { Customer, ServiceContext } from '../services/context.ts'
import { getArticle } from '../services/goods/articles.ts'
import { getBatch } from '../services/goods/batches.ts'
import { stockOf } from '../services/goods/stock.ts'
import { getVariant } from '../services/goods/variants.ts'
import { getInbound } from '../services/moves/inbounds.ts'
import { getModification } from '../services/moves/modifications.ts'
import { getOrder } from '../services/orders/orders.ts'
import { Refusal } from '../services/refusal.ts'
import { getShipment } from '../services/shipments/shipments.ts'
import type { EventBody } from '../services/unit.ts'
import { toWireArticle } from './article.ts'
import { toWireBatch } from './batch.ts'
import { inboundGroups, toWireInboundDetail } from './inbound.ts'
import { toWireModificationDetail } from './modification.ts'
import { orderGroups, toWireOrder } from './order.ts'
import { shipmentGroups, toWireShipmentDetail } from './shipment.ts'
import { toWireStock } from './stock.ts'
import { toWireVariantRecord } from './variant.ts'

type Reader = (context: ServiceContext, customer: Customer, id: string) => Promise<unknown>

/**
 * A resource with every Expand group, as its GET shows it (findings of the service's clients: a notification's `body`).
 * Left out are groups that hold signed links, which would expire before a retry: `return_label` and `shipment_document`.
 */
const readers: Readonly<Record<Parameters<EventBody>[1], Reader>> = {
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
  variant: async (context, customer, id) =>
    toWireVariantRecord(await getVariant(context, customer, { id, withArticle: true })),
}

/** Reads the bodies of notifications, inside the transaction whose connection is given; null where nothing is left. */
export function eventBodies(context: Omit<ServiceContext, 'tell' | 'eventBody'>): EventBody {
  const bodyOf: EventBody = async (connection, group, { customerId, id }) => {
    // a transaction of kysely is a database, and the services' readers open none of their own
    const within: ServiceContext = { ...context, database: connection, tell: nobody, eventBody: bodyOf }
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

const nobody: ServiceContext['tell'] = () => Promise.resolve(false)
