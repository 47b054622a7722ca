import { z } from 'zod'
import { modificationReasons } from '#shared/domain/modification.ts'

/** Something that an operator does, as the life that does it and the judge understand it. */
const deed = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('modification'),
    reason: z.enum(modificationReasons),
    locationId: z.string(),
    lines: z.array(z.object({ variantId: z.string(), quantity: z.number().int() })),
    /** Unlike any other: the judge finds it by this. */
    note: z.string(),
  }),
  z.object({
    kind: z.literal('label'),
    /** Null by hand. */
    shipmentId: z.string().nullable(),
    /** Null: the shipment's default. */
    methodId: z.string().nullable(),
    /** By hand only, and unlike any other. */
    reference: z.string().nullable(),
    /** By hand, or where the shipment's sender is replaced. */
    city: z.string().nullable(),
    isRequested: z.boolean(),
  }),
  z.object({ kind: z.literal('patch'), labelId: z.string(), city: z.string() }),
  z.object({ kind: z.literal('request'), labelId: z.string() }),
  z.object({ kind: z.literal('cancel'), labelId: z.string() }),
])
export type Deed = z.output<typeof deed>

/** What a life says, a line each: that it works, what it is about to do, and what the desk has promised. */
const said = z.discriminatedUnion('say', [
  z.object({ say: z.literal('ready') }),
  z.object({ say: z.literal('try'), deedId: z.string(), deed }),
  /** `subjectId`: the desk's own id of the label or the modification. */
  z.object({ say: z.literal('ack'), deedId: z.string(), subjectId: z.string() }),
  /** The desk would not: nothing was promised. */
  z.object({ say: z.literal('refused'), deedId: z.string(), code: z.string() }),
  z.object({ say: z.literal('settled'), waiting: z.number().int() }),
  z.object({ say: z.literal('fault'), problem: z.string() }),
])
export type Said = z.output<typeof said>

/** One line of a life; a line that was cut off by its end is nothing. */
export function hear(line: string): Said | null {
  try {
    return said.parse(JSON.parse(line))
  } catch {
    return null
  }
}

/** What a life is to do; it comes as one argument of JSON. */
export const order = z.object({
  dataDir: z.string(),
  /** Where the embedded middleware would listen; null: `baseUrl` says where the service is. */
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
  /** `work`: deeds until it is killed. `prepare`: fills what a desk keeps. `settle`: until nothing waits any more. */
  task: z.enum(['work', 'prepare', 'settle']),
  deeds: z.number().int(),
  /** Where to die: `outbox.begin before 2` is before its second call. */
  killAt: z.string().nullable(),
  shipmentIds: z.array(z.string()),
  methodIds: z.array(z.string()),
  variants: z.array(z.object({ id: z.string(), code: z.string() })),
  locationIds: z.array(z.string()),
})
export type Order = z.output<typeof order>
