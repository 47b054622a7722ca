import { type InboundStatus, inboundStatuses } from '#shared/domain/inbound-state.ts'
import type { WorldCustomer, WorldInbound, WorldVariant } from '../world.ts'
import { dayFrom, daysBefore } from './dates.ts'
import { makePaper } from './papers.ts'
import type { Random } from './random.ts'

const openStatuses = inboundStatuses.filter((status) => status !== 'completed')
const perStatus = 6
/** Announced within this time; expected within that. */
const announcedWithinDays = 20
const expectedWithinDays = 30

/** Inbounds of which nothing is on the shelves yet: six of each status but `completed`, a customer. */
export function makeOpenInbounds(
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
    lines: makeLines(random, variants, status === 'processing'),
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

/** One to six articles, each once; some counted already where the warehouse has begun. */
function makeLines(
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
