import type { z } from 'zod'
import type { orderDocumentInput } from '#shared/wire/order-document-input.ts'
import type { OrderCreate, OrderPatch } from '#shared/wire/order-input.ts'
import type { StoredShippingAddress } from '../data/engine/stored-json.ts'
import type { OrderChange } from '../services/orders/change-order.ts'
import type { NewOrder } from '../services/orders/create-order.ts'
import type { NewOrderDocument } from '../services/orders/order-documents.ts'
import type { NewOrderLine } from '../services/orders/order-lines.ts'

/** Ids are kept in lower case; some clients send them in capitals. */
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
      ...fieldsOf(body),
      shipping_address: JSON.stringify({ ...emptyAddress, ...addressOf(address) }),
      address_invalid: invalid === true ? 1 : 0,
    },
    lines: body.order_lines.map(toLine),
    documents: (body.documents ?? []).map(fromWireOrderDocument),
  }
}

/** An address without anything in it counts as none (clients send `{}`). */
export function fromWireOrderPatch(body: OrderPatch): OrderChange {
  const { invalid, ...address } = body.shipping_address ?? {}
  const isGiven = Object.keys(body.shipping_address ?? {}).length > 0
  return {
    customerId: body.customer?.toLowerCase() ?? null,
    fields: fieldsOf(body),
    address: isGiven ? { fields: addressOf(address), invalid: invalid === true ? 1 : 0 } : null,
    lines: body.order_lines?.map(toLine) ?? null,
  }
}

/** Only the fields that were sent; an explicit null empties an optional one. */
function fieldsOf(body: Omit<OrderPatch, 'shipping_address' | 'order_lines'>): OrderChange['fields'] {
  const terms = body.inco_terms ?? body.incoterms ?? null
  const { currency } = body
  return {
    ...kept({
      external_reference: body.external_reference,
      requested_delivery_date: body.requested_delivery_date,
      external_id: body.external_id,
      po_number: body.po_number,
      shipping_email: body.shipping_email,
      shipping_contactperson: body.shipping_contactperson,
      ioss_number: body.ioss_number,
      eori_number: body.eori_number,
      vat_number: body.vat_number,
      inbound_vat_number: body.inbound_vat_number,
      inbound_eori_number: body.inbound_eori_number,
      order_amount: body.order_amount,
      assured_amount: body.assured_amount,
      note: body.note,
      customer_note: body.customer_note,
      language: body.language,
    }),
    ...(body.shipping_method !== undefined && {
      shipping_method_id: body.shipping_method?.toLowerCase() ?? null,
    }),
    ...((body.inco_terms !== undefined || body.incoterms !== undefined) && { inco_terms: terms }),
    ...(currency !== undefined && { currency: currency?.toUpperCase() ?? null }),
    ...(body.meta_data !== undefined && { meta_data: JSON.stringify(body.meta_data ?? {}) }),
  }
}

const emptyAddress = {
  contactPerson: null,
  street2: null,
  streetNumber: null,
  streetNumberAddition: null,
  zipcode: null,
  state: null,
  phoneNumber: null,
  mobileNumber: null,
  faxNumber: null,
  emailAddress: null,
} satisfies Partial<StoredShippingAddress>

function addressOf(
  address: Omit<NonNullable<OrderPatch['shipping_address']>, 'invalid'>,
): Partial<StoredShippingAddress> {
  return kept({
    addressedTo: address.addressed_to,
    contactPerson: address.contact_person,
    street: address.street,
    street2: address.street2,
    streetNumber: address.street_number,
    streetNumberAddition: address.street_number_addition,
    zipcode: address.zipcode,
    city: address.city,
    country: address.country,
    state: address.state,
    phoneNumber: address.phone_number,
    mobileNumber: address.mobile_number,
    faxNumber: address.fax_number,
    emailAddress: address.email_address,
  })
}

function toLine(line: OrderCreate['order_lines'][number]): NewOrderLine {
  return {
    articleCode: line.article_code,
    quantity: line.quantity,
    description: line.description,
    price: line.price ?? null,
    packingSlip: line.packing_slip ?? null,
    metaData: line.meta_data ?? {},
  }
}

export function fromWireOrderDocument(body: z.output<typeof orderDocumentInput>): NewOrderDocument {
  return {
    content: Buffer.from(body.file, 'base64'),
    title: body.title,
    quantity: body.quantity ?? 1,
    isShippingLabel: body.is_shipping_label ?? body.shipping_label ?? false,
    orderPrice: body.order_price ?? body.orderPrice ?? null,
    labelType: body.label_type?.toLowerCase() ?? null,
  }
}

type Kept<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> }

/** Without the fields that were left out. */
function kept<Fields extends object>(fields: Fields): Kept<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Kept<Fields>
}
