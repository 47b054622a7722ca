import { labelId } from '../domain/ids.ts'
import { z } from 'zod'
import { commands, namedCommands } from '../domain/commands.ts'
import { senderAddress } from '../wire/address.ts'
import { returnLabelView } from './label-views.ts'
import { locationView, modificationView, variantView } from './stock-views.ts'
import { day, failureView, time } from './view-parts.ts'

/** The possible meanings of a scanned text. */

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
  /** The recipient's address, field by field. This address is the default sender of a return label. */
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
  /** When the service sent these data of the shipment. */
  asOf: time,
})
export type ShipmentView = z.infer<typeof shipmentView>

/**
 * The kind of scan that the open screen expects. `stock`: the operator enters a booking, so articles and locations are
 * searched first, and an order number equal to an article code selects the article.
 */
export const scanExpectation = z.enum(['anything', 'stock'])
export type ScanExpectation = z.infer<typeof scanExpectation>

/** The kinds of things among which the operator chooses if several things have the scanned code. */
export const scanChoiceKinds = ['shipment', 'return_label', 'article', 'location', 'modification'] as const
export type ScanChoiceKind = (typeof scanChoiceKinds)[number]

/**
 * A saved choice of an operator among several things that a scanned code may mean. `reach`: whether it applies to the
 * code alone, or to all codes of the same shape.
 */
export const scanChoiceView = z.object({
  reach: z.enum(['code', 'shape']),
  code: z.string().max(8000),
  expect: scanExpectation,
  kind: z.enum(scanChoiceKinds),
  /** Whether the operator chose one of several things of the kind `kind` that had the code. */
  isOneOfSeveral: z.boolean(),
  chosenAt: time,
})
export type ScanChoiceView = z.infer<typeof scanChoiceView>

const candidateView = z.object({
  kind: z.enum(scanChoiceKinds),
  subjectId: z.string(),
  title: z.string(),
  /** A code or reference that distinguishes this candidate from another candidate with the same title. */
  detail: z.string().nullable(),
  /** When the record was made, or, for a location, when this desk last stored it; null for an article. */
  at: time.nullable(),
})
export type ScanCandidate = z.infer<typeof candidateView>

/** The GS1 data of the barcode besides the article code. */
export const articleBarcodeData = z.object({
  lot: z.string().nullable(),
  expiry: day.nullable(),
  serial: z.string().nullable(),
  /** The kinds of faults in the barcode, each kind once: `check_digit`, `date` and others. */
  problems: z.array(z.string()),
  /** The id of a lot of the service, if the barcode contains it. */
  lotId: z.string().nullable(),
})
export type ArticleBarcodeData = z.infer<typeof articleBarcodeData>

const scanned = { scanId: z.string(), raw: z.string(), at: time }
/** `remembered`: the saved answer that selected this thing among several with the scanned code. */
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
    /**
     * For one of `namedCommands`, `raw` contains a key. The window, not main, uses this key to find what the command
     * names.
     */
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
    /**
     * Another label that the operator may have swapped with the scanned label: the newest label that was printed within
     * the last ten minutes and was not scanned. Null if there is none. Also null in three cases: this scan confirmed
     * that the scanned label was printed, its print is not finished, or the scanned code does not prove that it was
     * printed.
     */
    swap: z.object({ labelId, title: z.string() }).nullable(),
  }),
  /** A scanned article. `said`: the GS1 data of the barcode, if the barcode contains more than the article's code. */
  z.object({
    ...subject,
    kind: z.literal('article'),
    variant: variantView,
    said: articleBarcodeData.optional(),
  }),
  /** A scanned location. `isNew`: the desk did not know the location before this scan. */
  z.object({ ...subject, kind: z.literal('location'), location: locationView, isNew: z.boolean() }),
  z.object({ ...subject, kind: z.literal('modification'), modification: modificationView }),
  /** Several things on this desk have the scanned code, so the operator is asked which of them is meant. */
  z.object({
    ...scanned,
    kind: z.literal('ambiguous'),
    candidates: z.array(candidateView),
    /**
     * Shape of the code (see codeShape), if the operator's answer can apply to all codes of this shape; null if the
     * answer can apply only to this code.
     */
    shape: z.string().nullable(),
    expect: scanExpectation,
  }),
  /** The badge of an operator. A badge contains only a user name. */
  z.object({ ...scanned, kind: z.literal('badge'), username: z.string() }),
  /**
   * No record has this code. The outcome contains the age of the desk's own data, and whether the service was asked.
   */
  z.object({
    ...scanned,
    kind: z.literal('unknown'),
    /** Whether the code was probably misread or mistyped, because it looks like a GTIN with a wrong check digit. */
    misread: z.boolean(),
    /** The usual name of the carrier whose tracking numbers have the form of the code; null: no carrier. */
    carrier: z.string().nullable(),
    indexReachesBackTo: time.nullable(),
    /** Whether the desk has not read all shipments yet. The code may belong to a shipment that is not read yet. */
    indexFilling: z.boolean(),
    /**
     * The moment since which new shipments were created that the desk may not have read yet; null: no new shipments are
     * missing.
     */
    indexGapSince: time.nullable(),
    /**
     * Whether the desk could not read some shipments or return labels since its start. The code may be on one of them.
     */
    indexLeftOut: z.boolean(),
    /** When the kept articles were last updated; null: no articles are kept yet. */
    articlesAsOf: time.nullable(),
    askedService: z.boolean(),
  }),
  /** The scan is saved, but the look-up failed. */
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
