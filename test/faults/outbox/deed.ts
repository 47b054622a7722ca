import { z } from 'zod'
import { modificationReasons } from '#shared/domain/modification.ts'

/**
 * An action of an operator. The desk process performs it, and the judge (judge.ts) looks for its effect at the service.
 */
const deed = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('modification'),
    reason: z.enum(modificationReasons),
    locationId: z.string(),
    lines: z.array(z.object({ variantId: z.string(), quantity: z.number().int() })),
    /** The note is unique, so that the judge (judge.ts) can find the record of this booking at the service. */
    note: z.string(),
  }),
  z.object({
    kind: z.literal('label'),
    /** The id of the shipment. Null for a label without a shipment (by hand). */
    shipmentId: z.string().nullable(),
    /** The shipping method of the label. Null: the default shipping method of the shipment. */
    methodId: z.string().nullable(),
    /**
     * The unique reference of a label that the operator makes by hand, without a shipment. Null for a label of a
     * shipment.
     */
    reference: z.string().nullable(),
    /** The sender's city that the operator enters. Null (only for a label of a shipment): the operator enters none. */
    city: z.string().nullable(),
    isRequested: z.boolean(),
  }),
  z.object({ kind: z.literal('patch'), labelId: z.string(), city: z.string() }),
  z.object({ kind: z.literal('request'), labelId: z.string() }),
  z.object({ kind: z.literal('cancel'), labelId: z.string() }),
])
export type Deed = z.output<typeof deed>

/**
 * Messages of a desk process, one line each: it is ready, it is about to perform an action, the desk has acknowledged
 * or refused an action, no work waits any more, or the desk has logged a fault.
 */
const said = z.discriminatedUnion('say', [
  z.object({ say: z.literal('ready') }),
  z.object({ say: z.literal('try'), deedId: z.string(), deed }),
  /** `subjectId` is the desk's own id of the label or the modification. */
  z.object({ say: z.literal('ack'), deedId: z.string(), subjectId: z.string() }),
  /** The desk refused the action and acknowledged nothing. */
  z.object({ say: z.literal('refused'), deedId: z.string(), code: z.string() }),
  z.object({ say: z.literal('settled'), waiting: z.number().int() }),
  z.object({ say: z.literal('fault'), problem: z.string() }),
])
export type Said = z.output<typeof said>

/** Parses one line of a desk process. Returns null for a line that the end of the process cut off. */
export function hear(line: string): Said | null {
  try {
    return said.parse(JSON.parse(line))
  } catch {
    return null
  }
}

/** The only argument of a desk process, as JSON: its task. */
export const order = z.object({
  dataDir: z.string(),
  /**
   * The address of the middleware if the desk uses it as its embedded middleware. Null if the desk uses a remote
   * service at `baseUrl`.
   */
  embeddedUrl: z.string().nullable(),
  baseUrl: z.string(),
  wmsCode: z.string(),
  customerCode: z.string(),
  username: z.string(),
  password: z.string(),
  proxy: z.string().nullable(),
  /** A certificate (PEM) that the desk trusts in addition to the usual ones. */
  authority: z.string().nullable(),
  seed: z.string(),
  quietMs: z.number(),
  headersMs: z.number(),
  control: z.enum(['naive', 'at-most-once']).nullable(),
  /**
   * `work`: performs actions until it is killed. `prepare`: fills the stores of the desk. `settle`: runs until no work
   * waits.
   */
  task: z.enum(['work', 'prepare', 'settle']),
  deeds: z.number().int(),
  /** The point of the kill. `outbox.begin before 2`: directly before the second call of `begin`. */
  killAt: z.string().nullable(),
  shipmentIds: z.array(z.string()),
  methodIds: z.array(z.string()),
  variants: z.array(z.object({ id: z.string(), code: z.string() })),
  locationIds: z.array(z.string()),
})
export type Order = z.output<typeof order>
