import { type OrderStatus, orderStatuses } from '#shared/domain/resource-states.ts'
import { formatReference } from '#shared/domain/references.ts'
import type {
  WorldAddress,
  WorldCustomer,
  WorldOrder,
  WorldShipment,
  WorldShippingMethod,
  WorldVariant,
} from '../world.ts'
import { makeAddress } from './addresses.ts'
import { dayFrom, daysBefore, workingMoment } from './dates.ts'
import { makeTextPage } from './documents.ts'
import type { Random } from './random.ts'
import { methodsByCountry } from './shipping-methods.ts'

/** Number of shipped orders of each customer. The first `halfShipped` of them are only partially shipped. */
const shippedOrders = 27
const halfShipped = 3
/** Number of orders of each customer in each status except `shipped` and `partially_shipped`. */
const ofEachStatus = 3
/** One in this number of orders is from a business. */
const businessEvery = 6

interface OrderSources {
  readonly customers: readonly WorldCustomer[]
  readonly methods: readonly WorldShippingMethod[]
  readonly variants: readonly WorldVariant[]
  readonly shipments: readonly WorldShipment[]
}

/** An order before it has its id and its reference. */
type OrderSketch = Omit<WorldOrder, 'id' | 'reference'>

/**
 * Creates 66 orders for each customer, in every status. Returns the orders of all customers together, oldest first;
 * their references increase in this order.
 */
export function makeOrders(random: Random, now: Date, sources: OrderSources): WorldOrder[] {
  return sources.customers
    .flatMap((customer) => {
      const shop = {
        customer,
        methods: sources.methods,
        variants: sources.variants.filter((variant) => variant.customerId === customer.id),
        shipments: sources.shipments.filter((shipment) => shipment.customerId === customer.id),
      }
      const drawn = random.fork(customer.code)
      return [...sentOrders(drawn.fork('sent'), shop), ...openOrders(drawn.fork('open'), now, shop)]
    })
    .sort((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt))
    .map((sketch, index) => ({
      id: random.uuid(),
      reference: formatReference('order', index + 1),
      ...sketch,
    }))
}

interface Shop extends Omit<OrderSources, 'customers'> {
  readonly customer: WorldCustomer
}

/** Creates the orders of the newest shipments. */
function sentOrders(random: Random, shop: Shop): OrderSketch[] {
  const parcels = Map.groupBy(shop.shipments, (shipment) => shipment.orderExternalReference)
  return [...parcels.values()].slice(-shippedOrders).flatMap((sent, index) => {
    const [first] = sent
    const last = sent.at(-1)
    if (first === undefined || last === undefined) return []
    const isHalf = index < halfShipped
    const lines = shippedLines(random, sent, shop.variants)
    const owed = isHalf ? [makeOrderLine(random, random.pick(shop.variants), 2)] : []
    const createdAt = daysBefore(new Date(first.createdAt), 0.3 + random.next())
    return sketchOrder(random, {
      customer: shop.customer,
      status: isHalf ? 'partially_shipped' : 'shipped',
      number: first.orderExternalReference,
      poNumber: first.poNumber,
      methodId: first.shippingMethodId,
      address: first.shippingAddress,
      isBusiness: false,
      lines: [...lines, ...owed],
      createdAt,
      modifiedAt: last.createdAt,
    })
  })
}

/** Creates recent orders that are not shipped yet or will never be shipped. */
function openOrders(random: Random, now: Date, shop: Shop): OrderSketch[] {
  const numbers = numbersAfter(shop.shipments)
  const statuses = orderStatuses.filter((status) => status !== 'shipped' && status !== 'partially_shipped')
  return Array.from({ length: ofEachStatus }, () => statuses)
    .flat()
    .map((status, index): OrderSketch => {
      const isBusiness = index % businessEvery === 1
      const address = makeAddress(random)
      const createdAt = workingMoment(now, 1 + random.next() * 8, random.int(0, 600))
      const count = isBusiness ? random.int(3, 6) : random.int(1, 3)
      const chosen = new Set<WorldVariant>()
      while (chosen.size < count) chosen.add(random.pick(shop.variants))
      return sketchOrder(random, {
        customer: shop.customer,
        status,
        number: numbers(createdAt),
        poNumber: isBusiness ? `PO-46${random.digits(6)}` : null,
        methodId: methodFor(random, address, shop.methods),
        address,
        isBusiness,
        lines: [...chosen].map((variant) =>
          makeOrderLine(random, variant, isBusiness ? random.int(12, 60) : random.int(1, 2)),
        ),
        createdAt,
        modifiedAt: status === 'created' ? createdAt : laterThan(random, now, createdAt),
      })
    })
}

interface Facts {
  readonly customer: WorldCustomer
  readonly status: OrderStatus
  readonly number: string
  readonly poNumber: string | null
  readonly methodId: string
  readonly address: WorldAddress
  readonly isBusiness: boolean
  readonly lines: WorldOrder['lines']
  readonly createdAt: string
  readonly modifiedAt: string
}

function sketchOrder(random: Random, facts: Facts): OrderSketch {
  const { address, isBusiness, lines, status } = facts
  const isFar = ['GB', 'US'].includes(address.country)
  const cents = lines.reduce((sum, line) => sum + Math.round((line.price ?? 0) * 100) * line.quantity, 0)
  return {
    customerId: facts.customer.id,
    externalId: random.chance(0.8) ? `5${random.digits(12)}` : null,
    externalReference: facts.number,
    poNumber: facts.poNumber,
    status,
    requestedDeliveryDate: dayFrom(new Date(facts.createdAt), random.int(2, 6)),
    partialDelivery: isBusiness,
    businessToBusiness: isBusiness,
    appliedBusinessRules: status === 'created' ? null : isBusiness,
    shippingMethodId: facts.methodId,
    shippingAddress: address,
    addressInvalid: status === 'invalid_address',
    incoTerms: isFar ? 'DAP' : null,
    eoriNumber: isFar ? `NL${random.digits(9)}` : null,
    vatNumber: isBusiness ? `${address.country}${random.digits(9)}B01` : null,
    orderAmount: cents,
    currency: 'EUR',
    note: status === 'problem' ? 'Fach leer, Bestand prüfen' : null,
    customerNote: random.chance(0.1) ? 'Graag bij de buren afgeven' : null,
    language: { NL: 'nl', BE: 'nl', DE: 'de', FR: 'fr' }[address.country] ?? 'en',
    metaData: isBusiness ? { channel: 'wholesale' } : random.chance(0.5) ? { channel: 'webshop' } : {},
    lines,
    documents: status === 'awaiting_documents' ? [] : papersFor(random, facts, isFar),
    createdAt: facts.createdAt,
    modifiedAt: facts.modifiedAt,
  }
}

/**
 * Returns the documents of an order. A business order has a delivery note. An order that crosses a customs border has
 * an invoice in three copies.
 */
function papersFor(random: Random, { isBusiness, number }: Facts, isFar: boolean): WorldOrder['documents'] {
  const paper = (title: string, quantity: number): WorldOrder['documents'][number] => ({
    id: random.uuid(),
    title: `${title.toLowerCase().replaceAll(' ', '-')}.pdf`,
    content: makeTextPage([title, `Order ${number}`]),
    mimeType: 'application/pdf',
    quantity,
    isShippingLabel: false,
    orderPrice: null,
    labelType: null,
  })
  return [
    ...(isBusiness ? [paper('Delivery note', 1)] : []),
    ...(isFar ? [paper('Commercial invoice', 3)] : []),
  ]
}

/** Returns a time within a day after `time`, but not after `now`. */
function laterThan(random: Random, now: Date, time: string): string {
  const later = daysBefore(new Date(time), -random.next())
  return later < now.toISOString() ? later : now.toISOString()
}

function methodFor(random: Random, address: WorldAddress, methods: readonly WorldShippingMethod[]): string {
  const code = random.weighted(methodsByCountry[address.country] ?? [['SV-ECO', 1]])
  const method = methods.find((candidate) => candidate.code === code)
  if (method === undefined) throw new RangeError(`no shipping method ${code}`)
  return method.id
}

/**
 * Returns a function that returns a new order number of the shop at each call, such as `#NL-11402` or `2026-005013`.
 * The numbers continue after the highest number in the shop's shipments.
 */
function numbersAfter(shipments: readonly WorldShipment[]): (createdAt: string) => string {
  const orders = shipments.map(({ orderExternalReference }) => orderExternalReference)
  const isYearly = orders.some((order) => /^\d{4}-/.test(order))
  let last = Math.max(0, ...orders.map((order) => Number(/(?<!\d)\d+$/.exec(order)?.[0] ?? 0)))
  return (createdAt) => {
    last += 1
    return isYearly ? `${createdAt.slice(0, 4)}-${String(last).padStart(6, '0')}` : `#NL-${last}`
  }
}

type WorldOrderLine = WorldOrder['lines'][number]

/** Returns a line without shipped pieces. */
function makeOrderLine(random: Random, variant: WorldVariant, quantity: number): WorldOrderLine {
  return {
    variantId: variant.id,
    quantity,
    description: variant.name,
    // the price is 1.6 times the value of the goods, because a selling price is higher than the value
    price: variant.value === null ? null : Math.round(variant.value * 160) / 100,
    processed: 0,
    packingSlip: quantity,
    serialNumbers: [],
    metaData: random.chance(0.1) ? { gift_wrap: 'yes' } : {},
  }
}

/** Returns the lines of an order, derived from its shipments: one for each variant. */
function shippedLines(
  random: Random,
  sent: readonly WorldShipment[],
  variants: readonly WorldVariant[],
): WorldOrderLine[] {
  const packed = Map.groupBy(
    sent.flatMap((shipment) => shipment.lines),
    (line) => line.variantId,
  )
  return [...packed].flatMap(([id, lines]) => {
    const variant = variants.find((candidate) => candidate.id === id)
    if (variant === undefined) return []
    const quantity = lines.reduce((sum, line) => sum + line.quantity, 0)
    const serialNumbers = lines.flatMap((line) => line.serialNumbers)
    return [{ ...makeOrderLine(random, variant, quantity), processed: quantity, serialNumbers }]
  })
}
