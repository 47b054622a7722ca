import { labelId, serverLabelId } from '../domain/ids.ts'
import { z } from 'zod'
import { commandStates } from '../domain/command-state.ts'
import { labelParts, labelPhases, listedLabelStates, stepStates } from '../domain/label-phase.ts'
import { labelActs } from '../domain/label-state.ts'
import { printStates } from '../domain/print-job.ts'
import { errorCodes } from '../errors/catalogue.ts'
import { senderAddress, senderAddressInput, shipmentSenderInput } from '../wire/address.ts'
import { queueQuestion } from './queue-views.ts'
import { failureView, idArgument, time } from './view-parts.ts'

/** Return labels as the screens show them, and what a screen sends to make one. */

export const printJobView = z.object({
  id: z.string(),
  state: z.enum(printStates),
  printer: z.string(),
  /** What operators call it, or `printer` where it stands here no more. */
  printerTitle: z.string(),
  /** Where the folder printer put it; null for other printers and before. */
  file: z.string().nullable(),
  isReprint: z.boolean(),
  /** A paper of it may exist, from which a second one has to be told. */
  mayBeOnPaper: z.boolean(),
  /** Nothing goes on before somebody said what to do. */
  asks: z.boolean(),
  /** Barcodes on the paper that nothing here knows, where the operator is to hear of them. */
  unlisted: z.array(z.string()),
  at: time,
  failure: failureView.nullable(),
})
export type PrintJobView = z.infer<typeof printJobView>

const bar = z.enum(errorCodes).nullable()
const step = z.enum(stepStates)

export const returnLabelView = z.object({
  /** Ours; the service's id comes with the create command's answer. */
  id: labelId,
  serverId: serverLabelId.nullable(),
  /** `service`: made at another desk and opened here, so no create command of ours exists (`create` is then done). */
  origin: z.enum(['desk', 'service']),
  /** Null for a label made by hand. */
  shipmentId: z.string().nullable(),
  shipmentReference: z.string().nullable(),
  /** The method chosen for it; null: the service's default for the shipment. */
  shippingMethodId: z.string().nullable(),
  externalReference: z.string().nullable(),
  trackingCode: z.string().nullable(),
  /** Who sends the parcel, as the service last said or as it will be told; null: the shipment's address. */
  sender: senderAddress.nullable(),
  /** Where it stands, what can be done with it and why not the rest: see labelState. Screens draw these. */
  phase: z.enum(labelPhases),
  about: z.enum(labelParts),
  steps: z.tuple([step, step, step, step]).readonly(),
  acts: z.object({ primary: z.enum(labelActs).nullable(), others: z.array(z.enum(labelActs)).readonly() }),
  bars: z.object({ request: bar, change: bar, cancel: bar, print: bar }),
  isVoid: z.boolean(),
  /** The write of it that waits for the operator's word. Of the records in question only the last, without lines. */
  asked: z
    .object({
      commandId: z.string(),
      since: time,
      question: queueQuestion.nullable(),
      failure: failureView.nullable(),
    })
    .nullable(),
  create: z.enum(commandStates),
  /** The newest change of the sender; null: none was made. */
  patch: z.enum(commandStates).nullable(),
  /** Null: not asked for yet, so the label can still be changed and cancelled. */
  request: z.enum(commandStates).nullable(),
  cancel: z.enum(commandStates).nullable(),
  /** The service has made the PDF and the tracking code: the label is final (API.md 8.3). */
  requested: z.boolean(),
  cancelled: z.boolean(),
  /** The PDF lies in the vault, so that a reprint needs no network. */
  stored: z.boolean(),
  print: printJobView.nullable(),
  /** The first thing that keeps the chain from going on, or null. */
  failure: failureView.nullable(),
  createdAt: time,
  /** When the service last described it; null: it never did. */
  asOf: time.nullable(),
  /**
   * Counts up with every view given out. An answer may arrive behind the event that overtook it: of two views of a label
   * the one with the higher number is the later.
   */
  told: z.number().int(),
})
export type ReturnLabelView = z.infer<typeof returnLabelView>

/**
 * How a label is made (API.md 8.2): from a shipment with its default or a chosen method, or by
 * hand from a method and a full address. `sender` beside a shipment replaces the shipment's address before the request.
 */
export const labelMode = z.discriminatedUnion('by', [
  z.object({
    by: z.literal('shipment'),
    shipmentId: idArgument,
    shippingMethodId: idArgument.nullable(),
    sender: shipmentSenderInput.nullable(),
  }),
  z.object({
    by: z.literal('hand'),
    shippingMethodId: idArgument,
    sender: senderAddressInput,
    externalReference: z.string().trim().min(1).max(100).nullable(),
  }),
])
export type LabelMode = z.output<typeof labelMode>

/**
 * Whether a shipment has a return label. `label`: it has, made at any desk. `none`: the service said so at `asOf`.
 * `unasked`: nobody could ask it (`failure` says why; null: no connection or no login); none is known here of the labels
 * that were listed until `asOf`, null: never.
 */
export const labelLook = z.object({
  state: z.enum(['label', 'none', 'unasked']),
  label: returnLabelView.nullable(),
  asOf: time.nullable(),
  failure: failureView.nullable(),
})
export type LabelLook = z.infer<typeof labelLook>

/** One line of the list of labels: ours, and those that the service has beside them. */
export const labelEntry = z.object({
  /** Ours; null for one that was made elsewhere and not opened here yet. */
  labelId: labelId.nullable(),
  serverId: serverLabelId.nullable(),
  externalReference: z.string().nullable(),
  trackingCode: z.string().nullable(),
  shipmentReference: z.string().nullable(),
  senderName: z.string().nullable(),
  senderCity: z.string().nullable(),
  /** A label cancelled elsewhere looks unrequested: no field shows its state (API.md 8.1). */
  state: z.enum(listedLabelStates),
  /** It came out of this desk's printer; another desk's paper is not known here. */
  printed: z.boolean(),
  createdAt: time,
  asOf: time.nullable(),
})
export type LabelEntry = z.infer<typeof labelEntry>

export const labelList = z.object({
  /** Newest first. */
  labels: z.array(labelEntry),
  /** How many matched; more than `labels` when the list was cut. */
  found: z.number().int(),
  /** When the service's own list was last read; null: never, only ours are shown. */
  asOf: time.nullable(),
  reachesBackTo: time.nullable(),
})
export type LabelList = z.infer<typeof labelList>

/** What was typed for a label by hand, kept so that a restart loses nothing; any field may be half written. */
export const labelDraft = z.object({
  shippingMethodId: z.string().max(100).nullable(),
  externalReference: z.string().max(500),
  sender: z.record(z.string().max(40), z.string().max(500)),
})
export type LabelDraft = z.infer<typeof labelDraft>
