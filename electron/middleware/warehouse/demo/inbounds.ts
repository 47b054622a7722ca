import { formatReference } from '#shared/domain/references.ts'
import type { WorldBatch, WorldCustomer, WorldInbound, WorldLocation, WorldVariant } from '../world.ts'
import { makeBatches } from './batches.ts'
import { dayFrom, workingMoment } from './dates.ts'
import { makeOpenInbounds } from './open-inbounds.ts'
import { makeQualityControls } from './quality-controls.ts'
import type { Random } from './random.ts'

const inboundsPerCustomer = 30
/** Every so many is a return; every so many carries a note. */
const returnEvery = 10
const noteEvery = 5
const notes = [
  'Pallets staan bij dock 12.',
  'Twee dozen met transportschade, inhoud geteld en in orde.',
  'Levering zonder pakbon; aantallen volgens telling.',
] as const

/** An inbound before it is known what came with it, and its place in the sequence. */
type InboundHead = Omit<WorldInbound, 'lines' | 'reference' | 'qualityControls'>

/**
 * Goods that came in during the last year, thirty deliveries a customer, and the lots they left on the shelves;
 * beside them those still on their way. References count up with time across the customers.
 */
export function makeInbounds(
  random: Random,
  now: Date,
  sources: {
    readonly customers: readonly WorldCustomer[]
    readonly variants: readonly WorldVariant[]
    readonly locations: readonly WorldLocation[]
  },
): { inbounds: WorldInbound[]; batches: WorldBatch[] } {
  const heads = makeHeads(random.fork('heads'), now, sources.customers)
  const batches = makeBatches(random.fork('batches'), now, { ...sources, inbounds: heads })
  const lots = Map.groupBy(batches, (batch) => batch.inboundId)
  const received = random.fork('lines')
  const controls = random.fork('quality-controls')
  const serialised = new Set(sources.variants.filter((each) => each.usingSerialNumbers).map(({ id }) => id))
  const completed = heads.map((head, index) => ({
    ...head,
    lines: makeLines(received, lots.get(head.id) ?? [], serialised),
    qualityControls: makeQualityControls(controls, head, index),
  }))
  const inbounds = [...completed, ...makeOpenInbounds(random.fork('open'), now, sources)]
    .sort((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt))
    .map((inbound, index) => ({ ...inbound, reference: formatReference('inbound', index + 1) }))
  return { inbounds, batches }
}

function makeHeads(random: Random, now: Date, customers: readonly WorldCustomer[]): InboundHead[] {
  return customers
    .flatMap((customer) =>
      Array.from({ length: inboundsPerCustomer }, () => ({
        customer,
        createdAt: workingMoment(now, 1 + random.next() * 320, random.int(0, 540)),
      })),
    )
    .sort((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt))
    .map(({ customer, createdAt }, index) => {
      const isReturn = index % returnEvery === returnEvery - 1
      return {
        id: random.uuid(),
        customerId: customer.id,
        externalReference: `${isReturn ? 'RMA' : 'PO'}-${random.digits(6)}`,
        isReturn,
        status: 'completed',
        type: isReturn ? 'unannounced' : 'announced',
        inboundDate: dayFrom(new Date(createdAt), 0),
        note: index % noteEvery === 0 ? random.pick(notes) : null,
        metaData: {},
        documents: [],
        createdAt,
      }
    })
}

/** What came in of each variant: at least what still lies there, for some of it was shipped since. */
function makeLines(
  random: Random,
  lots: readonly WorldBatch[],
  serialised: ReadonlySet<string>,
): WorldInbound['lines'] {
  return [...Map.groupBy(lots, (lot) => lot.variantId)].map(([variantId, same]) => {
    const left = same.reduce((sum, lot) => sum + lot.quantity, 0)
    const quantity = Math.max(1, left + random.int(0, 60))
    const serialNumbers = serialised.has(variantId)
      ? Array.from({ length: quantity }, () => `SN${random.digits(10)}`)
      : []
    return { variantId, quantity, processed: quantity, packingSlip: quantity, serialNumbers, metaData: {} }
  })
}
