import { z } from 'zod'
import { commands } from '../domain/commands.ts'
import { namedCommands } from '../domain/named-commands.ts'
import { senderAddress } from '../wire/address.ts'
import { returnLabelView } from './label-views.ts'
import { locationView, modificationView, variantView } from './stock-views.ts'
import { failureView, time } from './view-parts.ts'

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

const scanned = { scanId: z.string(), raw: z.string(), at: time }

export const scanKinds = [
  'command',
  'shipment',
  'return_label',
  'article',
  'location',
  'modification',
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
    ...scanned,
    kind: z.literal('shipment'),
    shipment: shipmentView,
    label: returnLabelView.nullable(),
  }),
  z.object({
    ...scanned,
    kind: z.literal('return_label'),
    label: returnLabelView,
    /** Another label came out last and was not scanned yet: the two may have been swapped. */
    swap: z.object({ labelId: z.string(), title: z.string() }).nullable(),
  }),
  z.object({ ...scanned, kind: z.literal('article'), variant: variantView }),
  /** `isNew`: this scan taught the desk the location. */
  z.object({ ...scanned, kind: z.literal('location'), location: locationView, isNew: z.boolean() }),
  z.object({ ...scanned, kind: z.literal('modification'), modification: modificationView }),
  /** Known to nobody: says how far this desk's own knowledge reaches, and whether it could ask. */
  z.object({
    ...scanned,
    kind: z.literal('unknown'),
    /** Looks like a GTIN, but its check digit is wrong: most likely misread or mistyped. */
    misread: z.boolean(),
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

export const scanEntry = z.object({
  ...scanned,
  kind: z.enum([...scanKinds, 'pending']),
  title: z.string().nullable(),
})
export type ScanEntry = z.infer<typeof scanEntry>
