import { labelId } from '../domain/ids.ts'
import { z } from 'zod'
import { commands, namedCommands } from '../domain/commands.ts'
import { senderAddress } from '../wire/address.ts'
import { returnLabelView } from './label-views.ts'
import { locationView, modificationView, variantView } from './stock-views.ts'
import { day, failureView, time } from './view-parts.ts'

/** What a scanned text turned out to be. */

const addressView = z.object({
  name: z.string(),
  street: z.string(),
  place: z.string(),
  country: z.string(),
})

export const shipmentView = z.object({
  id: z.string(),
  reference: z.string(),
  orderReference: z.string().nullable(),
  createdAt: time,
  carrier: z.string().nullable(),
  methodDescription: z.string().nullable(),
  recipient: addressView.nullable(),
  /** The same address field by field: what a return label says of its sender unless told otherwise. */
  sender: senderAddress.nullable(),
  trackingCodes: z.array(z.string()),
  lines: z.array(
    z.object({
      quantity: z.number().int(),
      name: z.string(),
      articleCode: z.string().nullable(),
      ean: z.string().nullable(),
      serialNumbers: z.array(z.string()),
    }),
  ),
  /** When the service said so. */
  asOf: time,
})
export type ShipmentView = z.infer<typeof shipmentView>

/**
 * What the screen that is open hopes for. `stock` (a modification is being put together) looks among articles and
 * locations first, so that an order number that equals an article code means the article there.
 */
export const scanExpectation = z.enum(['anything', 'stock'])
export type ScanExpectation = z.infer<typeof scanExpectation>

/** What a code may mean besides another thing that answers to it too. */
export const scanChoiceKinds = ['shipment', 'return_label', 'article', 'location', 'modification'] as const
export type ScanChoiceKind = (typeof scanChoiceKinds)[number]

/** An answer to an ambiguous scan that is kept: of this code, or of all codes of its shape. */
export const scanChoiceView = z.object({
  reach: z.enum(['code', 'shape']),
  code: z.string().max(8000),
  expect: scanExpectation,
  kind: z.enum(scanChoiceKinds),
  /** There were several of that kind. */
  isOneOfSeveral: z.boolean(),
  chosenAt: time,
})
export type ScanChoiceView = z.infer<typeof scanChoiceView>

const candidateView = z.object({
  kind: z.enum(scanChoiceKinds),
  subjectId: z.string(),
  title: z.string(),
  /** What tells it from another one of the same title: a code, a reference. */
  detail: z.string().nullable(),
  /** When it was made, where that tells two apart. */
  at: time.nullable(),
})
export type ScanCandidate = z.infer<typeof candidateView>

/** What GS1 data said beside the article. */
export const articleSaid = z.object({
  lot: z.string().nullable(),
  expiry: day.nullable(),
  serial: z.string().nullable(),
  /** What is wrong with the barcode, each once: `check_digit`, `date` and the like. */
  problems: z.array(z.string()),
  /** The lot of the service whose id was scanned. */
  lotId: z.string().nullable(),
})
export type ArticleSaid = z.infer<typeof articleSaid>

const scanned = { scanId: z.string(), raw: z.string(), at: time }
/** `remembered`: an earlier answer of an operator made it this of several things. */
const subject = { ...scanned, remembered: scanChoiceView.optional() }

export const scanKinds = [
  'command',
  'shipment',
  'return_label',
  'article',
  'location',
  'modification',
  'ambiguous',
  'badge',
  'unknown',
  'failed',
] as const

export const scanOutcome = z.discriminatedUnion('kind', [
  z.object({
    ...scanned,
    kind: z.literal('command'),
    /** What a named one points at is known to the window alone, by its raw text. */
    command: z.enum([...commands, ...namedCommands]),
  }),
  z.object({
    ...subject,
    kind: z.literal('shipment'),
    shipment: shipmentView,
    label: returnLabelView.nullable(),
  }),
  z.object({
    ...subject,
    kind: z.literal('return_label'),
    label: returnLabelView,
    /** Another label came out last and was not scanned yet: the two may have been swapped. */
    swap: z.object({ labelId, title: z.string() }).nullable(),
  }),
  /** `said`: where the barcode said more than which article it is. */
  z.object({
    ...subject,
    kind: z.literal('article'),
    variant: variantView,
    said: articleSaid.optional(),
  }),
  /** `isNew`: this scan taught the desk the location. */
  z.object({ ...subject, kind: z.literal('location'), location: locationView, isNew: z.boolean() }),
  z.object({ ...subject, kind: z.literal('modification'), modification: modificationView }),
  /** Several things here answer to it: the operator says which one is meant. */
  z.object({
    ...scanned,
    kind: z.literal('ambiguous'),
    candidates: z.array(candidateView),
    /** Of the code, where all of its shape may be answered at once; null: no answer goes for other codes. */
    shape: z.string().nullable(),
    expect: scanExpectation,
  }),
  /** The badge of an operator, which says who logs in and nothing else. */
  z.object({ ...scanned, kind: z.literal('badge'), username: z.string() }),
  /** Known to nobody: says how far this desk's own knowledge reaches, and whether it could ask. */
  z.object({
    ...scanned,
    kind: z.literal('unknown'),
    /** Looks like a GTIN, but its check digit is wrong: most likely misread or mistyped. */
    misread: z.boolean(),
    /** Whose tracking number it is by its form, in the name that the carrier goes by. */
    carrier: z.string().nullable(),
    indexReachesBackTo: time.nullable(),
    /** Older shipments that are wanted here are still to come. */
    indexFilling: z.boolean(),
    /** When the articles kept here were last brought up to date; null: there are none yet. */
    articlesAsOf: time.nullable(),
    askedService: z.boolean(),
  }),
  /** The scan is saved, but looking it up failed. */
  z.object({ ...scanned, kind: z.literal('failed'), failure: failureView }),
])
export type ScanOutcome = z.infer<typeof scanOutcome>
export type AmbiguousOutcome = Extract<ScanOutcome, { kind: 'ambiguous' }>

export const scanEntry = z.object({
  ...scanned,
  kind: z.enum([...scanKinds, 'pending']),
  title: z.string().nullable(),
})
export type ScanEntry = z.infer<typeof scanEntry>
