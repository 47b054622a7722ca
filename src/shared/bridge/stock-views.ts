import { serverId } from '../domain/ids.ts'
import { z } from 'zod'
import { commandStates } from '../domain/command-state.ts'
import { longestNote, modificationReasons } from '../domain/modification.ts'
import { day, failureView, idArgument, time } from './view-parts.ts'

/** Views of articles, lots, locations and modifications. `asOf` is the time at which the service sent the values. */

export const variantView = z.object({
  id: z.string(),
  name: z.string(),
  articleCode: z.string(),
  description: z.string().nullable(),
  ean: z.string().nullable(),
  sku: z.string().nullable(),
  expirable: z.boolean(),
  usingSerialNumbers: z.boolean(),
  /** When the service sent the article. */
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
  /** The lots in the order of their expiry, the earliest first. Lots without an expiry are last. */
  lots: z.array(lotView),
  /** Whether the variant has more lots than `lots` contains. */
  more: z.boolean(),
  asOf: time,
  /** Where the figures are from. `kept`: from an earlier call, because the service cannot be asked now. */
  source: z.enum(['service', 'kept']),
})
export type LotsView = z.infer<typeof lotsView>

/** Stock figures of a variant, in pieces. */
export const stockView = z.object({
  variantId: z.string(),
  /** Pieces that are available for sale. */
  salable: z.number().int(),
  quarantine: z.number().int(),
  asOf: time,
  /** Where the figures are from. `kept`: from an earlier call, because the service cannot be asked now. */
  source: z.enum(['service', 'kept']),
})
export type StockView = z.infer<typeof stockView>

/** The result of a search among the kept articles. */
export const articleList = z.object({
  articles: z.array(variantView),
  /** Whether more articles match the search than this result contains. */
  more: z.boolean(),
  /**
   * Whether the desk keeps all articles of the customer, so that a search misses no article. If it does not, `asOf` is
   * the oldest time of the articles found, and null if none was found.
   */
  complete: z.boolean(),
  asOf: time.nullable(),
})
export type ArticleList = z.infer<typeof articleList>

export const expiringList = z.object({
  /** The lots in the order of their expiry, the earliest first, so that expired lots are at the start. */
  lots: z.array(
    z.object({
      variant: variantView.pick({ id: true, name: true, articleCode: true, ean: true }),
      lot: lotView,
      /** When the service sent these data of the lot. */
      asOf: time,
    }),
  ),
  more: z.boolean(),
  /** When the last complete read of all lots began; null: no read was complete yet, so lots may be missing. */
  asOf: time.nullable(),
})
export type ExpiringList = z.infer<typeof expiringList>

export const locationView = z.object({
  /** The uuid of the location at the service. The API has no list of locations, so the desk keeps its own list. */
  id: z.string(),
  /** The text on the shelf of the location; null: the location was scanned but has no name yet. */
  code: z.string().nullable(),
  source: z.enum(['import', 'scan', 'modification']),
  seenAt: time,
})
export type LocationView = z.infer<typeof locationView>

export const locationImport = z.object({
  added: z.number().int(),
  changed: z.number().int(),
  unchanged: z.number().int(),
  /** Numbers of the lines that were left out; the first line of the file is 1. All other lines were imported. */
  skipped: z.array(
    z.object({ line: z.number().int(), why: z.enum(['no_id', 'no_code', 'code_twice', 'columns']) }),
  ),
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

/** The lists of shipping methods and of location types, each with the time at which the service sent the list. */
export const methodList = z.object({ methods: z.array(shippingMethodView), asOf: time.nullable() })
export type MethodList = z.infer<typeof methodList>
export const locationTypeList = z.object({ types: z.array(locationTypeView), asOf: time.nullable() })
export type LocationTypeList = z.infer<typeof locationTypeList>

/** A booking of this desk that replaces, or is replaced by, the booking that contains this link. */
const bookingLink = z.object({ id: z.string(), reference: z.string().nullable() })

const lineVariant = variantView.pick({ id: true, name: true, articleCode: true, ean: true })

export const modificationLine = z.object({ variant: lineVariant, quantity: z.number().int() })
export type ModificationLine = z.infer<typeof modificationLine>

/** The draft of a modification. It is saved in desk.db after every change, so that no entry is lost. */
export const modificationDraft = z.object({
  reason: z.enum(modificationReasons).nullable(),
  location: locationView.nullable(),
  /** The lines of the draft, in the order of their first scan. */
  lines: z.array(modificationLine),
  note: z.string(),
  /** Whether the next scan of an article adds a piece or takes one away. */
  step: z.union([z.literal(1), z.literal(-1)]),
  canUndo: z.boolean(),
  /** The entries that are missing for a booking, in the order in which the screen asks for them. */
  missing: z.array(z.enum(['reason', 'location', 'lines'])),
  /** The disapproved booking that this one replaces. */
  corrects: bookingLink.nullable(),
})
export type ModificationDraft = z.infer<typeof modificationDraft>

/** One act on the draft of a modification. Each act is durable when the call returns, and can be undone. */
export const modificationChange = z.discriminatedUnion('kind', [
  /**
   * Adds one piece of an article in the direction of `step`, and adds `remark` to the note unless the note contains it.
   */
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
  /** Empties the draft; undo restores it. */
  z.object({ kind: z.literal('clear') }),
])
export type ModificationChange = z.infer<typeof modificationChange>

export const modificationView = z.object({
  /** This desk's own id of the booking. */
  id: z.string(),
  serverId: serverId.nullable(),
  /** The service's reference `MOD…` of the booking; null: not received yet. */
  reference: z.string().nullable(),
  /** The status as the service sent it: one of modificationStatuses, or a name that this version does not have. */
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
  /** The booking that replaces this disapproved booking. */
  correctedBy: bookingLink.nullable(),
  /**
   * A number that increases with every view of the booking that main sends. It shows which of two views is newer,
   * because a response may arrive after a newer event.
   */
  told: z.number().int(),
})
export type ModificationView = z.infer<typeof modificationView>
