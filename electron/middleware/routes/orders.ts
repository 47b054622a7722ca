import type { z } from 'zod'
import type { orderDocumentInput } from '#shared/wire/order-document-input.ts'
import type { OrderCreate, OrderPatch } from '#shared/wire/order-input.ts'
import type { Order, OrderDocument, OrderLine } from '#shared/wire/order.ts'
import { routes } from '#shared/wire/routes.ts'
import { readMetaData, readSerialNumbers, readShippingAddress } from '../data/engine/stored-json.ts'
import type { ListedOrder, OrderDocumentRow, OrderFilters } from '../data/orders/orders.ts'
import { type Caller, holdsRole } from '../plugins/callers.ts'
import { changeOrder, type OrderChange } from '../services/orders/change-order.ts'
import {
  createOrder,
  type NewOrder,
  type NewOrderLine,
  type OrderFields,
} from '../services/orders/create-order.ts'
import {
  addOrderDocument,
  listOrderDocuments,
  type NewOrderDocument,
} from '../services/orders/order-documents.ts'
import { cancelOrder, getOrder, listOrders, type OrderRecord } from '../services/orders/orders.ts'
import { toWireVariant } from './goods.ts'
import { register, type RouteHost } from './register.ts'
import {
  asSent,
  columnsIn,
  fromWireAddress,
  fromWireAddressPatch,
  toWireAddress,
  toWireTime,
  type WireField,
} from './wire-values.ts'

/** Expand groups of one order. `variants` adds nothing, because a line always includes its whole variant. */
export const orderGroups = [
  'shipping_address',
  'order_lines',
  'documents',
  'serial_numbers',
  'variants',
  'meta_data',
  'order_line_meta_data',
] as const
type OrderGroup = (typeof orderGroups)[number]

/** Maximum bytes of a body. Orders include their documents in base64, which is a third larger than the files. */
const bodyLimit = 16 * 1024 * 1024
const options = { expand: orderGroups }

/** Orders (API.md 6). A change returns the order after the change, with the requested groups. */
export function registerOrders(host: RouteHost): void {
  const { context } = host
  const answer = async (caller: Caller, id: string, expand: ReadonlySet<OrderGroup>): Promise<Order> => {
    const record = await getOrder(context, caller.customer, id, {
      lines: expand.has('order_lines'),
      // documents are shown only to callers who may read them; other callers get no error, because Expand never makes a
      // call fail
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

/** Returns the fields of an order that every response contains. A list contains only these fields (API.md 6.1). */
function toWireOrderBase(row: ListedOrder): Order {
  return {
    id: row.id,
    reference: row.reference,
    created_at: toWireTime(row.created_at),
    customer: row.customer_id,
    external_id: row.external_id,
    external_reference: row.external_reference,
    po_number: row.po_number,
    // `requested_delivery_date` is a day in requests and a time in responses (API.md 1.6).
    requested_delivery_date: toWireTime(row.requested_delivery_date),
    status: row.status,
    partial_delivery: row.partial_delivery === 1,
    business_to_business: row.business_to_business === 1,
    applied_business_rules: row.applied_business_rules === null ? null : row.applied_business_rules === 1,
    shipping_method: row.shipping_method_id,
    shipping_email: row.shipping_email,
    shipping_contactperson: row.shipping_contactperson,
    inco_terms: row.inco_terms,
    ioss_number: row.ioss_number,
    eori_number: row.eori_number,
    vat_number: row.vat_number,
    inbound_vat_number: row.inbound_vat_number,
    inbound_eori_number: row.inbound_eori_number,
    order_amount: row.order_amount,
    assured_amount: row.assured_amount,
    currency: row.currency,
    note: row.note,
    customer_note: row.customer_note,
    language: row.language,
  }
}

/** Returns an order in the form of the API, with the groups of fields that the header `Expand` of the call names. */
export function toWireOrder(record: OrderRecord, expand: ReadonlySet<OrderGroup>): Order {
  const { order, lines, documents } = record
  const address = expand.has('shipping_address') ? readShippingAddress(order.shipping_address) : null
  return {
    ...toWireOrderBase(order),
    ...(address && {
      shipping_address: { ...toWireAddress(address), invalid: order.address_invalid === 1 },
    }),
    ...(lines && { order_lines: lines.map((line) => toLine(line, expand)) }),
    ...(documents && { documents: documents.map(toWireOrderDocument) }),
    ...(expand.has('meta_data') && { meta_data: readMetaData(order.meta_data) }),
  }
}

function toLine(
  { line, variant }: NonNullable<OrderRecord['lines']>[number],
  expand: ReadonlySet<OrderGroup>,
): OrderLine {
  return {
    variant: toWireVariant(variant),
    quantity: line.quantity,
    description: line.description,
    price: line.price,
    processed: line.processed,
    packing_slip: line.packing_slip,
    ...(expand.has('serial_numbers') && { serial_numbers: readSerialNumbers(line.serial_numbers) }),
    ...(expand.has('order_line_meta_data') && { meta_data: readMetaData(line.meta_data) }),
  }
}

/** Returns a document of an order (API.md 6.4) without its file, which is at /wms/documents/:id/. */
export function toWireOrderDocument(row: OrderDocumentRow): OrderDocument {
  return {
    id: row.document_id,
    title: row.title,
    mime_type: row.mime_type,
    quantity: row.quantity,
    is_shipping_label: row.is_shipping_label === 1,
    order_price: row.order_price,
    label_type: row.label_type,
  }
}

/**
 * Converts the body of a new order. A missing field gets the default of its column. Ids become lower case, because they
 * are stored so and some clients send them in upper case.
 */
export function fromWireOrder(body: OrderCreate): NewOrder {
  const { invalid, ...address } = body.shipping_address
  return {
    customerId: body.customer?.toLowerCase() ?? null,
    fields: {
      external_reference: body.external_reference,
      requested_delivery_date: body.requested_delivery_date,
      external_id: null,
      po_number: null,
      shipping_method_id: null,
      shipping_email: null,
      shipping_contactperson: null,
      inco_terms: null,
      ioss_number: null,
      eori_number: null,
      vat_number: null,
      inbound_vat_number: null,
      inbound_eori_number: null,
      order_amount: null,
      assured_amount: null,
      currency: null,
      note: null,
      customer_note: null,
      language: null,
      meta_data: '{}',
      ...columnsOf(body),
      shipping_address: JSON.stringify(fromWireAddress(address)),
      address_invalid: invalid === true ? 1 : 0,
    },
    lines: body.order_lines.map(fromWireLine),
    documents: (body.documents ?? []).map(fromWireOrderDocument),
  }
}

/**
 * Returns the changes of an order. An address without any field counts as no address, because some clients send `{}`.
 */
function fromWireOrderPatch(body: OrderPatch): OrderChange {
  const { invalid, ...address } = body.shipping_address ?? {}
  const isGiven = Object.keys(body.shipping_address ?? {}).length > 0
  return {
    customerId: body.customer?.toLowerCase() ?? null,
    fields: columnsOf(body),
    address: isGiven ? { fields: fromWireAddressPatch(address), invalid: invalid === true ? 1 : 0 } : null,
    lines: body.order_lines?.map(fromWireLine) ?? null,
  }
}

/**
 * Those fields of an order that have a column of another name, that have two spellings, or that are not stored in one
 * column.
 */
type OtherField =
  'customer' | 'shipping_method' | 'inco_terms' | 'incoterms' | 'shipping_address' | 'order_lines'

/**
 * The fields of an order that clients set and that have a column of the same name. A new field without a row in this
 * table does not compile.
 */
const orderFields: {
  readonly [Name in Exclude<keyof OrderPatch, OtherField>]: Pick<
    WireField<Exclude<OrderPatch[Name], undefined>, OrderFields[Name], unknown>,
    'fromWire'
  >
} = {
  external_id: asSent,
  external_reference: asSent,
  po_number: asSent,
  requested_delivery_date: asSent,
  shipping_email: asSent,
  shipping_contactperson: asSent,
  ioss_number: asSent,
  eori_number: asSent,
  vat_number: asSent,
  inbound_vat_number: asSent,
  inbound_eori_number: asSent,
  order_amount: asSent,
  assured_amount: asSent,
  currency: { fromWire: (code) => code?.toUpperCase() ?? null },
  note: asSent,
  customer_note: asSent,
  language: asSent,
  meta_data: { fromWire: (pairs) => JSON.stringify(pairs ?? {}) },
}

/** Returns the columns of the fields that the client sent; null clears an optional field. */
function columnsOf(body: Omit<OrderPatch, 'shipping_address' | 'order_lines'>): OrderChange['fields'] {
  const { shipping_method: method, inco_terms, incoterms } = body
  return {
    ...columnsIn(orderFields, body),
    ...(method !== undefined && { shipping_method_id: method?.toLowerCase() ?? null }),
    ...((inco_terms !== undefined || incoterms !== undefined) && {
      inco_terms: inco_terms ?? incoterms ?? null,
    }),
  }
}

function fromWireLine(line: OrderCreate['order_lines'][number]): NewOrderLine {
  return {
    articleCode: line.article_code,
    quantity: line.quantity,
    description: line.description,
    price: line.price ?? null,
    packingSlip: line.packing_slip ?? null,
    metaData: line.meta_data ?? {},
  }
}

function fromWireOrderDocument(body: z.output<typeof orderDocumentInput>): NewOrderDocument {
  return {
    content: Buffer.from(body.file, 'base64'),
    title: body.title,
    quantity: body.quantity ?? 1,
    isShippingLabel: body.is_shipping_label ?? body.shipping_label ?? false,
    orderPrice: body.order_price ?? body.orderPrice ?? null,
    labelType: body.label_type?.toLowerCase() ?? null,
  }
}
