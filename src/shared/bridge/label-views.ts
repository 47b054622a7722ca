import { labelId, serverLabelId, commandId } from '../domain/ids.ts'
import { z } from 'zod'
import { commandStates } from '../domain/command-state.ts'
import { labelParts, labelPhases, listedLabelStates, stepStates } from '../domain/label-phase.ts'
import { labelActs } from '../domain/label-state.ts'
import { printStates } from '../domain/print-job.ts'
import { errorCodes } from '../errors/catalogue.ts'
import { senderAddress, senderAddressInput, shipmentSenderInput } from '../wire/address.ts'
import { queueQuestion } from './queue-views.ts'
import { failureView, serviceIdArgument, time } from './view-parts.ts'

/** Return labels as the screens show them, and the arguments with which a screen makes a label. */

export const printJobView = z.object({
  id: z.string(),
  state: z.enum(printStates),
  printer: z.string(),
  /** The printer's title for operators; the value of `printer` if that printer is not set up any more. */
  printerTitle: z.string(),
  /** The file that the folder printer wrote; null for other printers, and before the file was written. */
  file: z.string().nullable(),
  isReprint: z.boolean(),
  /**
   * Whether this job counts as printed (a written file counts too), so that a second paper must be marked as a copy.
   * False for a job with an unknown outcome, about which the operator is asked.
   */
  mayBeOnPaper: z.boolean(),
  /** Whether the print job waits for a decision of the operator. */
  asks: z.boolean(),
  /**
   * Whether a scan of the label answers the question whether the paper of this job came out of the printer
   * (`provesUnknownPrint`).
   */
  scanProves: z.boolean(),
  /** Barcodes on the paper that are unknown to this desk and of which the operator should be warned. */
  unlisted: z.array(z.string()),
  at: time,
  failure: failureView.nullable(),
})
export type PrintJobView = z.infer<typeof printJobView>

const bar = z.enum(errorCodes).nullable()
const step = z.enum(stepStates)

export const returnLabelView = z.object({
  /** The desk's id of the label. The service assigns another id, which its response to the create command contains. */
  id: labelId,
  serverId: serverLabelId.nullable(),
  /**
   * Where the label was made. `service`: it was made at another desk and added at this desk. This desk then has no
   * create command for it, and `create` is `done`.
   */
  origin: z.enum(['desk', 'service']),
  /** Id of the shipment; null for a label without a shipment. */
  shipmentId: z.string().nullable(),
  shipmentReference: z.string().nullable(),
  /** The method chosen for the label; null: the service's default for the shipment. */
  shippingMethodId: z.string().nullable(),
  externalReference: z.string().nullable(),
  trackingCode: z.string().nullable(),
  /** The sender of the parcel, as last sent by the service or as changed at this desk; null: the shipment's address. */
  sender: senderAddress.nullable(),
  /** The phase of the label, the possible acts, and for each impossible act the reason (see `labelState`). */
  phase: z.enum(labelPhases),
  about: z.enum(labelParts),
  steps: z.tuple([step, step, step, step]).readonly(),
  acts: z.object({ primary: z.enum(labelActs).nullable(), others: z.array(z.enum(labelActs)).readonly() }),
  bars: z.object({ request: bar, change: bar, cancel: bar, print: bar }),
  isVoid: z.boolean(),
  /**
   * The label's write that waits for a decision of the operator. `question` contains at most one record of the service,
   * the last one, without the lines of that record.
   */
  asked: z
    .object({
      commandId,
      since: time,
      question: queueQuestion.nullable(),
      failure: failureView.nullable(),
    })
    .nullable(),
  create: z.enum(commandStates),
  /** The newest change of the sender; null: none was made. */
  patch: z.enum(commandStates).nullable(),
  /** The state of the request. Null: the label is not requested yet and can still be changed and cancelled. */
  request: z.enum(commandStates).nullable(),
  cancel: z.enum(commandStates).nullable(),
  /** Whether the service has made the PDF and the tracking code. The label is then final (API.md 8.3). */
  requested: z.boolean(),
  cancelled: z.boolean(),
  /** Whether the PDF is stored in the folder `vault` of this desk, so that a reprint needs no network. */
  stored: z.boolean(),
  print: printJobView.nullable(),
  /** The first failure that stops the steps of the label; null: there is none. */
  failure: failureView.nullable(),
  createdAt: time,
  /** When the service last sent the label; null: never. */
  asOf: time.nullable(),
  /**
   * A number that increases with every view of a label that main sends. It shows which of two views is newer, because a
   * response may arrive after a newer event.
   */
  told: z.number().int(),
})
export type ReturnLabelView = z.infer<typeof returnLabelView>

/**
 * How a label is made (API.md 8.2): from a shipment with its default or a chosen method, or by hand from a method and a
 * full address. For a label of a shipment, `sender` replaces the address that the label has from the shipment, before
 * the label is requested.
 */
export const labelMode = z.discriminatedUnion('by', [
  z.object({
    by: z.literal('shipment'),
    shipmentId: serviceIdArgument,
    shippingMethodId: serviceIdArgument.nullable(),
    sender: shipmentSenderInput.nullable(),
  }),
  z.object({
    by: z.literal('hand'),
    shippingMethodId: serviceIdArgument,
    sender: senderAddressInput,
    externalReference: z.string().trim().min(1).max(100).nullable(),
  }),
])
export type LabelMode = z.output<typeof labelMode>

/**
 * Whether a shipment has a return label. `label`: it has one, made at any desk. `none`: at `asOf` it had none,
 * according to the service. `unasked`: the service could not be asked or did not respond, for the reason in `failure`
 * (null: there is no connection or no login). In the case `unasked`, lists of labels were read until `asOf`, and
 * contain no label of the shipment; `asOf` is null if no list was read.
 */
export const labelLook = z.object({
  state: z.enum(['label', 'none', 'unasked']),
  label: returnLabelView.nullable(),
  asOf: time.nullable(),
  failure: failureView.nullable(),
})
export type LabelLook = z.infer<typeof labelLook>

/** One row of the list of labels. The list contains the labels of this desk and further labels of the service. */
export const labelEntry = z.object({
  /** The desk's own id of the label; null if the label was made elsewhere and not opened at this desk yet. */
  labelId: labelId.nullable(),
  serverId: serverLabelId.nullable(),
  externalReference: z.string().nullable(),
  trackingCode: z.string().nullable(),
  shipmentReference: z.string().nullable(),
  senderName: z.string().nullable(),
  senderCity: z.string().nullable(),
  /**
   * The state of the label. A label that was cancelled elsewhere has the state `unrequested` at this desk, because no
   * field of the service shows the cancellation (API.md 8.1).
   */
  state: z.enum(listedLabelStates),
  /** Whether a printer of this desk printed the label. Prints at other desks are not known at this desk. */
  printed: z.boolean(),
  createdAt: time,
  asOf: time.nullable(),
})
export type LabelEntry = z.infer<typeof labelEntry>

export const labelList = z.object({
  /** The labels found, newest first. */
  labels: z.array(labelEntry),
  /** Number of labels that matched. It is larger than the length of `labels` if the list was shortened. */
  found: z.number().int(),
  /** Whether the search left out older labels of the service, because too many newer labels exist or match. */
  isPartial: z.boolean(),
  /** When the service's own list was last read; null: never, so only this desk's labels are listed. */
  asOf: time.nullable(),
  reachesBackTo: time.nullable(),
})
export type LabelList = z.infer<typeof labelList>

/**
 * The operator's entries for a label without a shipment, saved so that a restart loses nothing. Fields may be
 * incomplete.
 */
export const labelDraft = z.object({
  shippingMethodId: z.string().max(100).nullable(),
  externalReference: z.string().max(500),
  sender: z.partialRecord(senderAddressInput.keyof(), z.string().max(500)),
})
export type LabelDraft = z.infer<typeof labelDraft>
