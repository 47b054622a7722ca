import { z } from 'zod'
import { modificationReasons } from '#shared/domain/modification.ts'

/** An act of an operator, in the form that the life and the judge use. */
const deed = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('modification'),
    reason: z.enum(modificationReasons),
    locationId: z.string(),
    lines: z.array(z.object({ variantId: z.string(), quantity: z.number().int() })),
    /** The note is unique, so that the judge can find the record. */
    note: z.string(),
  }),
  z.object({
    kind: z.literal('label'),
    /** Null for a label by hand. */
    shipmentId: z.string().nullable(),
    /** Null means the default of the shipment. */
    methodId: z.string().nullable(),
    /** The unique reference of a label by hand; other labels have none. */
    reference: z.string().nullable(),
    /** The sender of a label by hand, or the replacement of the shipment's sender. */
    city: z.string().nullable(),
    isRequested: z.boolean(),
  }),
  z.object({ kind: z.literal('patch'), labelId: z.string(), city: z.string() }),
  z.object({ kind: z.literal('request'), labelId: z.string() }),
  z.object({ kind: z.literal('cancel'), labelId: z.string() }),
])
export type Deed = z.output<typeof deed>

/** Messages of a life, one line each: that it works, what it is about to do, and what the desk acknowledged. */
const said = z.discriminatedUnion('say', [
  z.object({ say: z.literal('ready') }),
  z.object({ say: z.literal('try'), deedId: z.string(), deed }),
  /** `subjectId` is the desk's own id of the label or the modification. */
  z.object({ say: z.literal('ack'), deedId: z.string(), subjectId: z.string() }),
  /** The desk refused the act and acknowledged nothing. */
  z.object({ say: z.literal('refused'), deedId: z.string(), code: z.string() }),
  z.object({ say: z.literal('settled'), waiting: z.number().int() }),
  z.object({ say: z.literal('fault'), problem: z.string() }),
])
export type Said = z.output<typeof said>

/** Parses one line of a life. A line that its end cut off returns null. */
export function hear(line: string): Said | null {
  try {
    return said.parse(JSON.parse(line))
  } catch {
    return null
  }
}

/** The task of a life: its one argument, as JSON. */
export const order = z.object({
  dataDir: z.string(),
  /** The address of the embedded middleware. If it is null, `baseUrl` is the address of the service. */
  embeddedUrl: z.string().nullable(),
  baseUrl: z.string(),
  wmsCode: z.string(),
  customerCode: z.string(),
  username: z.string(),
  password: z.string(),
  proxy: z.string().nullable(),
  /** A certificate (PEM) to trust beside the usual ones. */
  authority: z.string().nullable(),
  seed: z.string(),
  quietMs: z.number(),
  headersMs: z.number(),
  control: z.enum(['naive', 'at-most-once']).nullable(),
  /** `work`: acts until it is killed. `prepare`: fills the stores of a desk. `settle`: runs until nothing waits. */
  task: z.enum(['work', 'prepare', 'settle']),
  deeds: z.number().int(),
  /** The point of the kill: `outbox.begin before 2` is before its second call. */
  killAt: z.string().nullable(),
  shipmentIds: z.array(z.string()),
  methodIds: z.array(z.string()),
  variants: z.array(z.object({ id: z.string(), code: z.string() })),
  locationIds: z.array(z.string()),
})
export type Order = z.output<typeof order>
