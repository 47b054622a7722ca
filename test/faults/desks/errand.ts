import { z } from 'zod'
import { modificationReasons } from '#shared/domain/modification.ts'
import { order } from '../outbox/deed.ts'

/** What an operator is to do: print a label of a shipment, or book a loss or a find of one article at one location. */
const deed = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('label'),
    shipmentId: z.string(),
    /** What the operator scans before the press. */
    code: z.string(),
    /** Null: the shipment's default. */
    methodId: z.string().nullable(),
    isRequested: z.boolean(),
    /** The operator waits after the scan for what the card says of the shipment's labels, and presses knowing it. */
    looks: z.boolean(),
  }),
  z.object({
    kind: z.literal('booking'),
    variantId: z.string(),
    code: z.string(),
    locationId: z.string(),
    reason: z.enum(modificationReasons),
    quantity: z.number().int(),
  }),
])
export type Deed = z.output<typeof deed>

/** What a desk is told while it works, a JSON line each on its stdin. */
const errand = z.discriminatedUnion('tell', [
  /** `at`: when to press, in milliseconds since 1970. */
  z.object({ tell: z.literal('press'), deedId: z.string(), deed, at: z.number() }),
  z.object({ tell: z.literal('close') }),
])
export type Errand = z.output<typeof errand>

export function readErrand(line: string): Errand {
  return errand.parse(JSON.parse(line))
}

/** What a desk says, a JSON line each on its stdout. */
const said = z.discriminatedUnion('say', [
  z.object({ say: z.literal('ready') }),
  z.object({ say: z.literal('scanned') }),
  /** `at`: when the press began, in milliseconds since 1970 with fractions. */
  z.object({
    say: z.literal('pressed'),
    deedId: z.string(),
    at: z.number(),
    /** The service's id of the label that the card showed; null: none, or nobody looked. */
    seenId: z.string().nullable(),
  }),
  /** The wish is durable. `subjectId`: the desk's own id of the label or the modification. */
  z.object({ say: z.literal('ack'), deedId: z.string(), subjectId: z.string() }),
  z.object({ say: z.literal('refused'), deedId: z.string(), code: z.string() }),
  z.object({ say: z.literal('fault'), problem: z.string() }),
])
export type Said = z.output<typeof said>

/** One line of a desk; null for a line that the desk's end cut off. */
export function hear(line: string): Said | null {
  try {
    return said.parse(JSON.parse(line))
  } catch {
    return null
  }
}

/** How a desk is composed and what it is for; its one argument, as JSON. */
export const deskOrder = order
  .pick({
    dataDir: true,
    embeddedUrl: true,
    baseUrl: true,
    wmsCode: true,
    customerCode: true,
    username: true,
    password: true,
    proxy: true,
    authority: true,
    seed: true,
    quietMs: true,
    headersMs: true,
    killAt: true,
    variants: true,
    locationIds: true,
  })
  .extend({
    /** `work`: presses and decides until it is killed. `prepare`: fills what a desk keeps. `settle`: decides until it is told to close. */
    task: z.enum(['work', 'prepare', 'settle']),
    /** A write that is older than this counts as one that has waited. */
    waitedMs: z.number(),
    /** How many shipments the service has. */
    shipments: z.number().int(),
  })
export type DeskOrder = z.output<typeof deskOrder>
