import { z } from 'zod'
import { modificationReasons } from '#shared/domain/modification.ts'
import { order } from '../outbox/deed.ts'

/**
 * A wish of an operator: to make a label of a shipment, or to book lost, defective or found pieces of one article at
 * one location.
 */
const deed = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('label'),
    shipmentId: z.string(),
    /** The text that the operator scans before making the label. */
    code: z.string(),
    /** The chosen shipping method. Null: the default method of the shipment. */
    methodId: z.string().nullable(),
    isRequested: z.boolean(),
    /** Whether the operator waits after the scan until the card shows the labels of the shipment. */
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

/** Messages to the process of a desk: one JSON line each on its stdin. */
const errand = z.discriminatedUnion('tell', [
  /** Tells the desk to make a label or a booking (`deed`) at the time `at`, in milliseconds since 1970. */
  z.object({ tell: z.literal('press'), deedId: z.string(), deed, at: z.number() }),
  z.object({ tell: z.literal('close') }),
])
export type Errand = z.output<typeof errand>

export function readErrand(line: string): Errand {
  return errand.parse(JSON.parse(line))
}

/** Messages of the process of a desk: one JSON line each on its stdout. */
const said = z.discriminatedUnion('say', [
  z.object({ say: z.literal('ready') }),
  z.object({ say: z.literal('scanned') }),
  /**
   * An operator entered a request for a label or a booking. `at` is the time of the entry, in milliseconds since 1970
   * with fractions.
   */
  z.object({
    say: z.literal('pressed'),
    deedId: z.string(),
    at: z.number(),
    /**
     * Id at the service of the label that the card showed. Null if the card showed no label, or if the operator did not
     * wait for the card.
     */
    seenId: z.string().nullable(),
  }),
  /**
   * The desk has stored the operator's request for a label or a booking. `subjectId` is the id of the label or the
   * modification in the database of the desk.
   */
  z.object({ say: z.literal('ack'), deedId: z.string(), subjectId: z.string() }),
  z.object({ say: z.literal('refused'), deedId: z.string(), code: z.string() }),
  z.object({ say: z.literal('fault'), problem: z.string() }),
])
export type Said = z.output<typeof said>

/**
 * Parses one line from the process of a desk. Returns null for an incomplete line, which a kill of the process has cut
 * off.
 */
export function hear(line: string): Said | null {
  try {
    return said.parse(JSON.parse(line))
  } catch {
    return null
  }
}

/** The only argument of a desk's process, as JSON: the settings and the task of the desk. */
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
    /**
     * `prepare`: the desk reads shipments, articles and locations from the service and ends. `work`: it makes labels
     * and bookings and decides questions until it is killed. `settle`: it decides questions until the message `close`
     * arrives.
     */
    task: z.enum(['work', 'prepare', 'settle']),
    /** Age of a write in milliseconds. An older write counts as a write that has waited in the queue. */
    waitedMs: z.number(),
    /** The number of shipments at the service. */
    shipments: z.number().int(),
  })
export type DeskOrder = z.output<typeof deskOrder>
