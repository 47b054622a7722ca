import { formatReference } from '#shared/domain/references.ts'
import { carrierFor } from '../carriers/carriers.ts'
import type {
  WorldAddress,
  WorldCustomer,
  WorldShipment,
  WorldShippingMethod,
  WorldVariant,
} from '../world.ts'
import { makeAddress } from './addresses.ts'
import { fashionCode } from './customers.ts'
import { workingMoment } from './dates.ts'
import type { Random } from './random.ts'
import { methodsByCountry } from './shipping-methods.ts'

const shipmentCount = 400
/**
 * Number of days over which shipments are spread. All are within 120 days, even if a time is moved back over a weekend.
 */
const historyDays = 116
/** One in this number of shipments belongs to the order of an earlier shipment. */
const followUpEvery = 67

interface ShipmentSources {
  readonly customers: { readonly fashion: WorldCustomer; readonly outdoor: WorldCustomer }
  readonly methods: readonly WorldShippingMethod[]
  readonly variants: readonly WorldVariant[]
}

/** Creates 400 shipments of the last 120 days, oldest first. References increase with time. */
export function makeShipments(random: Random, now: Date, sources: ShipmentSources): WorldShipment[] {
  const counters: Counters = { parcels: new Map(), serialNumber: 4000 }
  const numbers = makeOrderNumbers(random)
  const done: WorldShipment[] = []
  for (const [index, draft] of drafts(random, now, sources).entries()) {
    const customerId = draft.customer.id
    const earlier = index % followUpEvery === followUpEvery - 1 ? orderToFollow(done, customerId) : undefined
    const shippingAddress = earlier?.shippingAddress ?? makeAddress(random)
    const method = methodFor(random, shippingAddress, sources)
    const order = earlier?.orderExternalReference ?? orderReference(draft, numbers)
    const part = earlier ? 2 : 1
    done.push({
      id: random.uuid(),
      customerId,
      reference: formatReference('shipment', index + 1),
      poNumber: random.chance(0.08) ? `PO-45${random.digits(6)}` : null,
      orderExternalReference: order,
      shipmentExternalReference: earlier || random.chance(0.15) ? `${order}/${part}` : null,
      shippingMethodId: method.id,
      shippingAddress,
      labels: makeLabels(random, method, counters),
      lines: makeLines(
        random,
        sources.variants.filter((variant) => variant.customerId === customerId),
        counters,
      ),
      createdAt: draft.createdAt,
    })
  }
  return done
}

interface Draft {
  readonly customer: WorldCustomer
  readonly createdAt: string
}

function drafts(random: Random, now: Date, sources: ShipmentSources): Draft[] {
  const { fashion, outdoor } = sources.customers
  return Array.from({ length: shipmentCount }, () => ({
    customer: random.chance(0.56) ? fashion : outdoor,
    // the random number is squared, so that most shipments are recent, as in a growing shop
    createdAt: workingMoment(now, random.next() ** 2 * historyDays, random.int(0, 600)),
  })).sort((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt))
}

/** Returns the customer's latest shipment whose order has no second shipment. */
function orderToFollow(done: readonly WorldShipment[], customerId: string): WorldShipment | undefined {
  const times = Map.groupBy(done, (shipment) => shipment.orderExternalReference)
  return done.findLast(
    (shipment) =>
      shipment.customerId === customerId && times.get(shipment.orderExternalReference)?.length === 1,
  )
}

function orderReference(draft: Draft, numbers: OrderNumbers): string {
  return draft.customer.code === fashionCode ? numbers.fashion() : numbers.outdoor(draft.createdAt)
}

/** Functions that return the next order number of each shop, in the format of its shop software. */
interface OrderNumbers {
  fashion(): string
  outdoor(createdAt: string): string
}

/**
 * Creates the functions that return order numbers. `#NL-10482` contains a counter, and `2026-004512` the year and a
 * counter. Both counters have gaps, as in real shops.
 */
function makeOrderNumbers(random: Random): OrderNumbers {
  let fashion = 10_400
  let outdoor = 4_400
  return {
    fashion() {
      fashion += random.int(1, 4)
      return `#NL-${fashion}`
    },
    outdoor(createdAt) {
      outdoor += random.int(1, 3)
      return `${createdAt.slice(0, 4)}-${String(outdoor).padStart(6, '0')}`
    },
  }
}

function methodFor(random: Random, address: WorldAddress, sources: ShipmentSources): WorldShippingMethod {
  const code = random.weighted(methodsByCountry[address.country] ?? [['SV-ECO', 1]])
  const method = sources.methods.find((candidate) => candidate.code === code)
  if (!method) throw new RangeError(`no shipping method ${code}`)
  return method
}

interface Counters {
  /** The number of the next parcel of each carrier. */
  readonly parcels: Map<string, number>
  serialNumber: number
}

function parcelCount(random: Random, method: WorldShippingMethod): number {
  if (!method.supportsReturnLabels) return 1
  return random.weighted([
    [1, 91],
    [2, 7],
    [3, 2],
  ] as const)
}

function makeLabels(
  random: Random,
  method: WorldShippingMethod,
  counters: Counters,
): WorldShipment['labels'] {
  const carrier = carrierFor(method.carrier)
  return Array.from({ length: parcelCount(random, method) }, () => {
    const serial = counters.parcels.get(carrier.key) ?? 1
    counters.parcels.set(carrier.key, serial + 1)
    return carrier.outboundParcel(serial)
  })
}

function makeLines(
  random: Random,
  variants: readonly WorldVariant[],
  counters: Counters,
): WorldShipment['lines'] {
  const count = random.weighted([
    [1, 46],
    [2, 27],
    [3, 15],
    [4, 8],
    [5, 4],
  ] as const)
  const chosen = new Set<WorldVariant>()
  while (chosen.size < count) chosen.add(random.pick(variants))
  return [...chosen].map((variant) => {
    const quantity = random.weighted([
      [1, 80],
      [2, 15],
      [3, 4],
      [6, 1],
    ] as const)
    const serialNumbers = variant.usingSerialNumbers
      ? Array.from(
          { length: quantity },
          () => `SN${random.pick(['24', '25', '26'])}K${String(++counters.serialNumber).padStart(6, '0')}`,
        )
      : []
    return { variantId: variant.id, quantity, serialNumbers }
  })
}
