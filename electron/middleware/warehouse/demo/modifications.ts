import { formatReference } from '#shared/domain/references.ts'
import {
  type ModificationReason,
  modificationReasons,
  type ModificationStatus,
} from '#shared/domain/modification.ts'
import type { WorldCustomer, WorldLocation, WorldModification, WorldVariant } from '../world.ts'
import { daysBefore, workingMoment } from './dates.ts'
import type { Random } from './random.ts'

/**
 * Number of modifications of each customer that wait for a decision: the newest ones. Of the older modifications, one
 * in `turnedDownEvery` was disapproved.
 */
const waiting = 6
const turnedDownEvery = 7
const historyDays = 116
/** Number of modifications of each customer at random locations, in addition to one modification at every location. */
const visitedAgain = 24

const notes: Readonly<Record<ModificationReason, readonly string[]>> = {
  LOST: ['Niet gevonden bij telling', 'Missing after two counts', 'Nicht auffindbar, Fach geprüft'],
  DEFECTIVE: ['Doos gescheurd, inhoud nat', 'Naht offen, nicht verkaufbar', 'Cracked on arrival, set aside'],
  CORRECTION: [
    'Telling week klopt niet met systeem',
    'Found behind the rack',
    'Verkeerd ingeboekt bij inbound',
  ],
}

/** A modification before it has its id and its reference, which follow the order of time. */
type Sketch = Omit<WorldModification, 'id' | 'reference'>

/**
 * Creates past modifications. Each customer has one modification at each location, so that a client can find all
 * locations in its modifications, and a few more modifications at random locations. The newest modifications wait for a
 * decision. References increase with time across the customers.
 */
export function makeModifications(
  random: Random,
  now: Date,
  sources: {
    readonly customers: readonly WorldCustomer[]
    readonly variants: readonly WorldVariant[]
    readonly locations: readonly WorldLocation[]
  },
): WorldModification[] {
  return sources.customers
    .flatMap((customer) => {
      const variants = sources.variants.filter((variant) => variant.customerId === customer.id)
      return historyOf(random.fork(customer.code), now, { customer, variants, locations: sources.locations })
    })
    .sort((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt))
    .map((sketch, index) => ({
      id: random.uuid(),
      reference: formatReference('modification', index + 1),
      ...sketch,
    }))
}

function historyOf(
  random: Random,
  now: Date,
  shop: {
    readonly customer: WorldCustomer
    readonly variants: readonly WorldVariant[]
    readonly locations: readonly WorldLocation[]
  },
): Sketch[] {
  const again = Array.from({ length: visitedAgain }, () => random.pick(shop.locations))
  const visits = random.shuffled([...shop.locations, ...again])
  const times = visits
    .map(() => workingMoment(now, 1 + random.next() * historyDays, random.int(0, 540)))
    .sort()
  return visits.map((location, index): Sketch => {
    const createdAt = times[index] ?? now.toISOString()
    const reason = modificationReasons[index % modificationReasons.length] ?? 'CORRECTION'
    const status = statusOf(index, times.length)
    return {
      customerId: shop.customer.id,
      reason,
      status,
      note: random.pick(notes[reason]),
      lines: makeLines(random, reason, { variants: shop.variants, location }),
      createdAt,
      modifiedAt: status === 'created' ? createdAt : decidedAt(random, now, createdAt),
    }
  })
}

function statusOf(index: number, total: number): ModificationStatus {
  if (index >= total - waiting) return 'created'
  return index % turnedDownEvery === turnedDownEvery - 1 ? 'disapproved' : 'approved'
}

/** Returns a time within a day after `createdAt`, but not after `now`. */
function decidedAt(random: Random, now: Date, createdAt: string): string {
  const later = daysBefore(new Date(createdAt), -random.next())
  return later < now.toISOString() ? later : now.toISOString()
}

/** Returns lines of one to three different variants. Lines add pieces only if the reason is a correction. */
function makeLines(
  random: Random,
  reason: ModificationReason,
  { variants, location }: { variants: readonly WorldVariant[]; location: WorldLocation },
): WorldModification['lines'] {
  const count = random.weighted([
    [1, 70],
    [2, 22],
    [3, 8],
  ] as const)
  const chosen = new Set<WorldVariant>()
  while (chosen.size < count) chosen.add(random.pick(variants))
  return [...chosen].map((variant) => {
    const pieces = random.weighted([
      [1, 70],
      [random.int(2, 6), 30],
    ])
    const adds = reason === 'CORRECTION' && random.chance(0.6)
    return { variantId: variant.id, locationId: location.id, quantity: adds ? pieces : -pieces }
  })
}
