import type { Order } from '#shared/wire/order.ts'
import { routes } from '#shared/wire/routes.ts'
import type { OrderFilters } from '../data/orders/orders.ts'
import {
  type OrderGroup,
  orderGroups,
  toWireOrder,
  toWireOrderBase,
  toWireOrderDocument,
} from '../mappers/order.ts'
import { fromWireOrder, fromWireOrderDocument, fromWireOrderPatch } from '../mappers/order-input.ts'
import { type Caller, holdsRole } from '../plugins/callers.ts'
import { changeOrder } from '../services/orders/change-order.ts'
import { createOrder } from '../services/orders/create-order.ts'
import { addOrderDocument, listOrderDocuments } from '../services/orders/order-documents.ts'
import { cancelOrder, getOrder, listOrders } from '../services/orders/orders.ts'
import { register, type RouteHost } from './register.ts'

/** Orders bring their documents along, a third larger than the files. */
const bodyLimit = 16 * 1024 * 1024
const options = { expand: orderGroups }

/** api.md, Orders. A change answers with the order as it then is, with the groups that were asked for. */
export function registerOrders(host: RouteHost): void {
  const { context } = host
  const answer = async (caller: Caller, id: string, expand: ReadonlySet<OrderGroup>): Promise<Order> => {
    const record = await getOrder(context, caller.customer, id, {
      lines: expand.has('order_lines'),
      // Shown to those only who may read them; Expand never makes a call fail.
      documents: expand.has('documents') && holdsRole(caller, 'ORDERS_DOCUMENTS_READ'),
    })
    return toWireOrder(record, expand)
  }
  register(host, routes.listOrders, { expand: [] }, async ({ caller, query }) => {
    const filters = filtersIn(query)
    return (await listOrders(context, caller.customer, { filters, query })).map(toWireOrderBase)
  })
  register(host, routes.getOrder, options, ({ caller, params, expand }) => answer(caller, params.id, expand))
  register(host, routes.createOrder, { ...options, bodyLimit }, async ({ caller, body, expand }) =>
    answer(caller, await createOrder(context, caller.customer, fromWireOrder(body)), expand),
  )
  register(
    host,
    routes.patchOrder,
    { ...options, bodyLimit },
    async ({ caller, params: { id }, body, expand }) => {
      await changeOrder(context, caller.customer, { id, change: fromWireOrderPatch(body) })
      return answer(caller, id, expand)
    },
  )
  register(host, routes.cancelOrder, { expand: [] }, async ({ caller, params }) => {
    await cancelOrder(context, caller.customer, params.id)
    return null
  })
  registerOrderDocuments(host)
}

function registerOrderDocuments(host: RouteHost): void {
  const { context } = host
  register(host, routes.listOrderDocuments, { expand: [] }, async ({ caller, params }) =>
    (await listOrderDocuments(context, caller.customer, params.id)).map(toWireOrderDocument),
  )
  register(
    host,
    routes.createOrderDocument,
    { expand: [], bodyLimit },
    async ({ caller, params: { id }, body }) => {
      const document = fromWireOrderDocument(body)
      return toWireOrderDocument(await addOrderDocument(context, caller.customer, { id, document }))
    },
  )
}

function filtersIn(query: {
  reference?: string | undefined
  external_reference?: string | undefined
  external_id?: string | undefined
  status?: Order['status'] | undefined
  is_business_to_business?: boolean | undefined
  requested_delivery_date_gte?: string | undefined
}): OrderFilters {
  return {
    reference: query.reference ?? null,
    externalReference: query.external_reference ?? null,
    externalId: query.external_id ?? null,
    status: query.status ?? null,
    businessToBusiness: query.is_business_to_business ?? null,
    deliverFrom: query.requested_delivery_date_gte ?? null,
  }
}
