import { type InboundStatus, inboundStatuses } from '#shared/domain/resource-states.ts'
import { formatReference } from '#shared/domain/references.ts'
import type {
  WorldBatch,
  WorldCustomer,
  WorldInbound,
  WorldLocation,
  WorldQualityControl,
  WorldVariant,
} from '../world.ts'
import { dayFrom, daysBefore, workingMoment } from './dates.ts'
import { makePaper } from './documents.ts'
import type { Random } from './random.ts'

const inboundsPerCustomer = 30
/** One in `returnEvery` inbounds is a return, and one in `noteEvery` inbounds has a note. */
const returnEvery = 10
const noteEvery = 5
const notes = [
  'Pallets staan bij dock 12.',
  'Twee dozen met transportschade, inhoud geteld en in orde.',
  'Levering zonder pakbon; aantallen volgens telling.',
] as const

/** An inbound without its lines, its quality controls and its reference. */
type InboundHead = Omit<WorldInbound, 'lines' | 'reference' | 'qualityControls'>

/**
 * Creates inbounds of the last year, thirty for each customer, with the lots that they added to the stock, and the open
 * inbounds. References increase with time across the customers.
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
    lines: receivedLines(received, lots.get(head.id) ?? [], serialised),
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

/**
 * Returns one line for each variant. The line has the pieces that are left in the variant's lots, and up to sixty more,
 * which count as shipped.
 */
function receivedLines(
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

const openStatuses = inboundStatuses.filter((status) => status !== 'completed')
const perStatus = 6
/**
 * Open inbounds were announced within about the last 20 days and are expected between two days ago and 30 days from
 * now.
 */
const announcedWithinDays = 20
const expectedWithinDays = 30

/** Creates inbounds without lots: six in each status except `completed`, for each customer. */
function makeOpenInbounds(
  random: Random,
  now: Date,
  sources: {
    readonly customers: readonly WorldCustomer[]
    readonly variants: readonly WorldVariant[]
  },
): Omit<WorldInbound, 'reference'>[] {
  return sources.customers.flatMap((customer) => {
    const variants = sources.variants.filter((variant) => variant.customerId === customer.id)
    return openStatuses.flatMap((status) =>
      Array.from({ length: perStatus }, (_, index) =>
        makeOpen(random, now, { customer, variants, status, index }),
      ),
    )
  })
}

function makeOpen(
  random: Random,
  now: Date,
  {
    customer,
    variants,
    status,
    index,
  }: { customer: WorldCustomer; variants: readonly WorldVariant[]; status: InboundStatus; index: number },
): Omit<WorldInbound, 'reference'> {
  const createdAt = daysBefore(now, 0.1 + random.next() * announcedWithinDays)
  const unannounced = status === 'process_no_announcement'
  const externalReference = `${unannounced ? 'DOCK' : 'PO'}-${random.digits(6)}`
  return {
    id: random.uuid(),
    customerId: customer.id,
    externalReference,
    isReturn: false,
    status,
    type: unannounced ? 'unannounced' : index % 3 === 2 ? 'import' : 'announced',
    inboundDate: unannounced ? createdAt.slice(0, 10) : dayFrom(now, random.int(-2, expectedWithinDays)),
    note: index === 0 ? 'Graag bellen voor aankomst.' : null,
    metaData: index % 2 === 0 ? { supplier: random.pick(['noordkaap', 'zuiderveld', 'westhaven']) } : {},
    lines: announcedLines(random, variants, status === 'processing'),
    documents: unannounced
      ? []
      : [
          makePaper(random, {
            title: `Pakbon ${externalReference}.pdf`,
            documentType: 'packing_slip',
            createdAt,
            lines: [`Pakbon ${externalReference}`, customer.name],
          }),
        ],
    qualityControls: [],
    createdAt,
  }
}

/**
 * Returns lines of one to six different variants. The first line is already counted if the warehouse has begun to
 * count.
 */
function announcedLines(
  random: Random,
  variants: readonly WorldVariant[],
  isBegun: boolean,
): WorldInbound['lines'] {
  return random
    .shuffled(variants)
    .slice(0, random.int(1, 6))
    .map((variant, index) => {
      const quantity = random.int(4, 120)
      return {
        variantId: variant.id,
        quantity,
        processed: isBegun && index === 0 ? random.int(1, quantity) : null,
        packingSlip: quantity,
        serialNumbers: [],
        metaData: index === 0 && random.chance(0.3) ? { pallet: String(random.int(1, 9)) } : {},
      }
    })
}

/**
 * Returns a random number of days until a lot expires: the lot has expired already, or expires within a month, within a
 * year, or within three years.
 */
function shelfLifeDays(random: Random): number {
  const [from, to] = random.weighted<readonly [number, number]>([
    [[-90, -1], 10],
    [[2, 28], 20],
    [[45, 330], 50],
    [[331, 1000], 20],
  ])
  return random.int(from, to)
}

/**
 * Creates stock lots. Most variants have one or two lots, food has up to four lots with different dates, and a few
 * variants have none.
 */
function makeBatches(
  random: Random,
  now: Date,
  sources: {
    readonly variants: readonly WorldVariant[]
    readonly locations: readonly WorldLocation[]
    readonly inbounds: readonly Pick<WorldInbound, 'id' | 'customerId' | 'createdAt'>[]
  },
): WorldBatch[] {
  const { variants, locations } = sources
  const inbounds = Map.groupBy(sources.inbounds, (inbound) => inbound.customerId)
  const faces = locations.filter((location) => location.pickable)
  const backRooms = locations.filter((location) => !location.pickable)
  return variants.flatMap((variant) => {
    if (random.chance(0.06)) return []
    const lots = variant.expirable
      ? random.int(2, 4)
      : random.weighted([
          [1, 75],
          [2, 25],
        ] as const)
    return Array.from({ length: lots }, (_, lot): WorldBatch => {
      const inbound = random.pick(inbounds.get(variant.customerId) ?? [])
      return {
        id: random.uuid(),
        customerId: variant.customerId,
        variantId: variant.id,
        locationId: random.pick(lot === 0 || random.chance(0.6) ? faces : backRooms).id,
        quantity: random.weighted([
          [0, 4],
          [random.int(1, 12), 46],
          [random.int(13, 240), 50],
        ]),
        expirationDate: variant.expirable ? dayFrom(now, shelfLifeDays(random)) : null,
        inboundId: inbound.id,
        createdAt: inbound.createdAt,
      }
    })
  })
}

const minuteMs = 60_000
const conditions = ['Goed', 'Licht beschadigd', 'Nat', 'Gescheurde folie', 'Scheve pallet'] as const
const comments = [
  '',
  'Aantallen kloppen met de pakbon.',
  'Twee dozen open, inhoud geteld.',
  'Levering kwam een dag te vroeg.',
  'Label van de fabrikant ontbreekt op één pallet.',
] as const

/**
 * Creates a quality control for every third inbound, and a second control for a few of these. Most controls have
 * documents.
 */
function makeQualityControls(
  random: Random,
  inbound: Pick<WorldInbound, 'externalReference' | 'createdAt'>,
  index: number,
): WorldQualityControl[] {
  if (index % 3 !== 0) return []
  return Array.from({ length: index % 12 === 0 ? 2 : 1 }, (_, look): WorldQualityControl => {
    const createdAt = new Date(Date.parse(inbound.createdAt) + (look + 1) * minuteMs).toISOString()
    const boxCondition = look === 0 ? random.pick(conditions) : 'Goed'
    const papers = random.weighted([
      [0, 25],
      [1, 50],
      [2, 25],
    ] as const)
    return {
      id: random.uuid(),
      palletCount: String(random.int(1, 12)),
      wasDeliveryAppointment: random.chance(0.8),
      hadPackingList: random.chance(0.85),
      wasCorrectQuantity: random.chance(0.9),
      hadProperMarkings: random.chance(0.9),
      boxCondition,
      comments: random.pick(comments),
      documents: Array.from({ length: papers }, (__, page) =>
        makePaper(random, {
          title: `Controle ${inbound.externalReference ?? ''} ${look + 1}-${page + 1}.pdf`,
          documentType: 'quality_control',
          createdAt,
          lines: [`Inbound ${inbound.externalReference ?? ''}`, `Staat van de dozen: ${boxCondition}`],
        }),
      ),
      createdAt,
    }
  })
}
