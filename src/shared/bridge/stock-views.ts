import { serverId } from '../domain/ids.ts'
import { z } from 'zod'
import { commandStates } from '../domain/command-state.ts'
import { longestNote, modificationReasons } from '../domain/modification.ts'
import { day, failureView, idArgument, time } from './view-parts.ts'

/** Articles, lots, locations, modifications. Every number from elsewhere travels with `asOf`. */

export const variantView = z.object({
  id: z.string(),
  name: z.string(),
  articleCode: z.string(),
  description: z.string().nullable(),
  ean: z.string().nullable(),
  sku: z.string().nullable(),
  expirable: z.boolean(),
  usingSerialNumbers: z.boolean(),
  /** When the service said so. */
  asOf: time,
})
export type VariantView = z.infer<typeof variantView>

export const lotView = z.object({
  id: z.string(),
  quantity: z.number().int(),
  expirationDate: day.nullable(),
  inboundReference: z.string().nullable(),
  receivedAt: time.nullable(),
})

export const lotsView = z.object({
  variantId: z.string(),
  /** Oldest expiry first, those without one last. */
  lots: z.array(lotView),
  /** There are more lots than these. */
  more: z.boolean(),
  asOf: time,
  /** `kept`: the answer of an earlier look, because the service cannot be asked now. */
  source: z.enum(['service', 'kept']),
})
export type LotsView = z.infer<typeof lotsView>

/** Stock figures of a variant, in pieces. */
export const stockView = z.object({
  variantId: z.string(),
  /** What may be sold. */
  salable: z.number().int(),
  quarantine: z.number().int(),
  asOf: time,
  /** `kept`: the answer of an earlier look, because the service cannot be asked now. */
  source: z.enum(['service', 'kept']),
})
export type StockView = z.infer<typeof stockView>

/** What a search among the articles kept here gives. */
export const articleList = z.object({
  articles: z.array(variantView),
  /** There are more that match. */
  more: z.boolean(),
  /** Whether every article of the customer is searched; null age: none is kept yet. */
  complete: z.boolean(),
  asOf: time.nullable(),
})
export type ArticleList = z.infer<typeof articleList>

export const expiringList = z.object({
  /** Soonest first; what has expired comes before. */
  lots: z.array(
    z.object({
      variant: variantView.pick({ id: true, name: true, articleCode: true, ean: true }),
      lot: lotView,
      /** When the service said so. */
      asOf: time,
    }),
  ),
  more: z.boolean(),
  /** When the last whole pass over all lots began; null: none has ended, so there may be others. */
  asOf: time.nullable(),
})
export type ExpiringList = z.infer<typeof expiringList>

export const locationView = z.object({
  /** The service's uuid: the API has no list of locations, so the desk keeps a book of its own. */
  id: z.string(),
  /** What stands on the shelf; null: seen without a name so far. */
  code: z.string().nullable(),
  source: z.enum(['import', 'scan', 'modification']),
  seenAt: time,
})
export type LocationView = z.infer<typeof locationView>

export const locationImport = z.object({
  added: z.number().int(),
  changed: z.number().int(),
  unchanged: z.number().int(),
  /** Lines that were left out; 1 is the first of the file. The rest was taken. */
  skipped: z.array(
    z.object({ line: z.number().int(), why: z.enum(['no_id', 'no_code', 'code_twice', 'columns']) }),
  ),
  locations: z.array(locationView),
})
export type LocationImport = z.infer<typeof locationImport>

export const locationTypeView = z.object({
  id: z.string(),
  code: z.string(),
  name: z.string(),
  transport: z.boolean(),
  pickable: z.boolean(),
})

export const shippingMethodView = z.object({
  id: z.string(),
  code: z.string(),
  description: z.string(),
  shipper: z.string(),
})
export type ShippingMethodView = z.infer<typeof shippingMethodView>

/** Small lists of the catalogue, each with its age. */
export const methodList = z.object({ methods: z.array(shippingMethodView), asOf: time.nullable() })
export type MethodList = z.infer<typeof methodList>
export const locationTypeList = z.object({ types: z.array(locationTypeView), asOf: time.nullable() })
export type LocationTypeList = z.infer<typeof locationTypeList>

/** Another booking of this desk. */
const bookingLink = z.object({ id: z.string(), reference: z.string().nullable() })

const lineVariant = variantView.pick({ id: true, name: true, articleCode: true, ean: true })

export const modificationLine = z.object({ variant: lineVariant, quantity: z.number().int() })
export type ModificationLine = z.infer<typeof modificationLine>

/** The modification being put together: kept in desk.db after every change, so that nothing entered is lost. */
export const modificationDraft = z.object({
  reason: z.enum(modificationReasons).nullable(),
  location: locationView.nullable(),
  /** In the order of their first scan. */
  lines: z.array(modificationLine),
  note: z.string(),
  /** Whether the next scan of an article adds a piece or takes one away. */
  step: z.union([z.literal(1), z.literal(-1)]),
  canUndo: z.boolean(),
  /** What must be given before it can be booked, in the order in which the screen asks. */
  missing: z.array(z.enum(['reason', 'location', 'lines'])),
  /** The disapproved booking that this one replaces. */
  corrects: bookingLink.nullable(),
})
export type ModificationDraft = z.infer<typeof modificationDraft>

/** One act on the draft; each is durable before it answers, and each can be undone. */
export const modificationChange = z.discriminatedUnion('kind', [
  /** One more piece in the direction of `step`; `remark` goes into the note, once. */
  z.object({ kind: z.literal('add'), variantId: idArgument, remark: z.string().max(200).optional() }),
  z.object({
    kind: z.literal('quantity'),
    variantId: idArgument,
    quantity: z.number().int().min(-99999).max(99999),
  }),
  z.object({ kind: z.literal('remove'), variantId: idArgument }),
  z.object({ kind: z.literal('reason'), reason: z.enum(modificationReasons) }),
  z.object({ kind: z.literal('location'), locationId: idArgument }),
  z.object({ kind: z.literal('note'), note: z.string().max(longestNote) }),
  z.object({ kind: z.literal('step'), step: z.union([z.literal(1), z.literal(-1)]) }),
  /** Empties the draft; undo brings it back. */
  z.object({ kind: z.literal('clear') }),
])
export type ModificationChange = z.infer<typeof modificationChange>

export const modificationView = z.object({
  /** Ours. */
  id: z.string(),
  serverId: serverId.nullable(),
  /** `MOD…`, once the service has given it. */
  reference: z.string().nullable(),
  /** As the service said it: one of modificationStatuses, or a name that this version does not know. */
  status: z.string().nullable(),
  statusAsOf: time.nullable(),
  reason: z.enum(modificationReasons),
  location: locationView.pick({ id: true, code: true }),
  lines: z.array(modificationLine),
  note: z.string(),
  create: z.enum(commandStates),
  bookedBy: z.string().nullable(),
  failure: failureView.nullable(),
  createdAt: time,
  /** The disapproved booking that this one replaces. */
  corrects: bookingLink.nullable(),
  /** The booking that replaces this disapproved one. */
  correctedBy: bookingLink.nullable(),
  /** Counts up with every view given out, as that of a label: an answer may arrive behind the event that overtook it. */
  told: z.number().int(),
})
export type ModificationView = z.infer<typeof modificationView>
