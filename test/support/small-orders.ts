import { type OrderStatus, orderStatuses } from '#shared/domain/resource-states.ts'
import type { WorldAddress, WorldOrder } from '#middleware/warehouse/world.ts'
import { smallGoods } from './small-goods.ts'
import { smallId } from './small-id.ts'

/** Ids of the orders in the small world: the orders of ALDER by their status, and the order of BIRCH. */
export const smallOrders = {
  byStatus: (status: OrderStatus): string => smallId(200 + orderStatuses.indexOf(status)),
  birch: smallId(250),
  /** Id of the document of ALDER's shipped order. */
  document: smallId(260),
  birchDocument: smallId(261),
} as const

/**
 * Returns one order of ALDER in each status, created on consecutive days of May 2026 in the order of the statuses, and
 * one order of BIRCH.
 */
export function makeSmallOrders(
  alder: { id: string; methodId: string; address: WorldAddress },
  birch: { id: string; address: WorldAddress },
): WorldOrder[] {
  const order = (index: number, rest: Partial<WorldOrder>): WorldOrder => ({
    id: smallId(200 + index),
    customerId: alder.id,
    reference: `ORD${String(index + 1).padStart(11, '0')}`,
    externalId: `ext-${index}`,
    externalReference: `ORDER-${index}`,
    poNumber: null,
    status: 'created',
    requestedDeliveryDate: `2026-06-${String(20 - index).padStart(2, '0')}`,
    partialDelivery: false,
    businessToBusiness: false,
    appliedBusinessRules: null,
    shippingMethodId: alder.methodId,
    shippingAddress: alder.address,
    addressInvalid: false,
    incoTerms: null,
    eoriNumber: null,
    vatNumber: null,
    orderAmount: 1995,
    currency: 'EUR',
    note: null,
    customerNote: null,
    language: 'nl',
    metaData: {},
    lines: [line(smallGoods.shirtRed, 1)],
    documents: [],
    createdAt: `2026-05-${String(index + 1).padStart(2, '0')}T10:00:00Z`,
    modifiedAt: `2026-05-${String(28 - index).padStart(2, '0')}T10:00:00Z`,
    ...rest,
  })
  const paper = {
    title: 'invoice.pdf',
    content: Buffer.from('%PDF-1.4\ninvoice'),
    mimeType: 'application/pdf',
    quantity: 2,
    isShippingLabel: false,
    orderPrice: 1995,
    labelType: null,
  }
  const orders = orderStatuses.map((status, index) => order(index, { status, ...shapeOf(status, paper) }))
  const last = orders.length
  return [
    ...orders,
    order(last, {
      id: smallOrders.birch,
      customerId: birch.id,
      externalId: 'ext-0',
      externalReference: 'ORDER-0',
      shippingMethodId: null,
      shippingAddress: birch.address,
      lines: [line(smallGoods.birchVariant, 1)],
      documents: [{ ...paper, id: smallOrders.birchDocument }],
    }),
  ]
}

/** Fields of the shipped order: it is from a business, has two lines and a document, and belongs to shipment 2. */
function shapeOf(
  status: OrderStatus,
  paper: Omit<WorldOrder['documents'][number], 'id'>,
): Partial<WorldOrder> {
  if (status !== 'shipped') return {}
  const shipped = { ...line(smallGoods.shirtRed, 2), processed: 2, serialNumbers: ['SN-2', 'SN-3'] }
  return {
    externalReference: 'WEB-2',
    poNumber: 'PO-2',
    businessToBusiness: true,
    partialDelivery: true,
    appliedBusinessRules: true,
    metaData: { channel: 'wholesale' },
    lines: [
      { ...shipped, metaData: { gift_wrap: 'yes' } },
      { ...line(smallGoods.teaBox, 3), price: null, processed: 3, packingSlip: 4 },
    ],
    documents: [{ ...paper, id: smallOrders.document }],
  }
}

function line(variantId: string, quantity: number): WorldOrder['lines'][number] {
  return {
    variantId,
    quantity,
    description: 'As sold',
    price: 19.95,
    processed: 0,
    packingSlip: quantity,
    serialNumbers: [],
    metaData: {},
  }
}
