import { labelId, serverLabelId } from '../domain/ids.ts'
import { z } from 'zod'
import { fallsWith, labelCommands } from '../domain/label-commands.ts'
import { senderAddress } from '../wire/address.ts'
import { shortened } from './bounds.ts'

/** The fields of a return label in the service's responses. */
const labelDescription = z.object({
  serverId: serverLabelId,
  externalReference: z.string().nullable(),
  trackingCode: z.string().nullable(),
  /** All codes that a scan of this label may contain, in the form of normaliseCode. */
  codes: z.array(z.string()).readonly(),
  requested: z.boolean(),
  sender: senderAddress.nullable(),
  /** The label's shipment; null if the response does not contain it. */
  shipment: z.object({ id: z.string(), reference: z.string() }).nullable(),
})
export type LabelDescription = Readonly<z.infer<typeof labelDescription>>

const brief = z.object({
  kind: z.literal('return_label'),
  shipmentReference: z.string().nullable(),
  externalReference: z.string().nullable(),
  /** The shipping method; null: the default of the shipment. */
  methodCode: z.string().nullable(),
  senderName: z.string().nullable(),
  senderCity: z.string().nullable(),
})

type Brief = z.infer<typeof brief>

/** The facts about a return label in a response. `label` null: the response shows only that the label is cancelled. */
const facts = z.object({
  kind: z.literal('return_label'),
  label: labelDescription.nullable(),
  /**
   * Whether a message of the service reports that the label is cancelled. No field of a label shows this (API.md 8.1).
   */
  isCancelled: z.boolean(),
})
type Facts = z.infer<typeof facts>
export type LabelFacts = Readonly<Facts>

/**
 * Maximum number of codes that are stored for a label found at the service. The response to the label's request
 * contains all codes of the label.
 */
const mostCodes = 20
/**
 * Maximum length of a sender as JSON, in characters. With all fields at the limits of API.md 1.11 a sender has about
 * 1000 characters.
 */
const longestSender = 2_000

/** The writes of a return label: create, change, request, cancel. */
export const returnLabelWrites = {
  subject: z.object({ kind: z.literal('return_label'), id: labelId }),
  types: {
    [labelCommands.create]: { creates: true },
    [labelCommands.patch]: { creates: false },
    [labelCommands.request]: { creates: false },
    [labelCommands.cancel]: { creates: false },
  },
  fallsWith,
  brief,
  facts,
  boundedBrief: (one: Brief): Brief => ({
    ...one,
    shipmentReference: shortened(one.shipmentReference),
    externalReference: shortened(one.externalReference),
    methodCode: shortened(one.methodCode),
    senderName: shortened(one.senderName),
    senderCity: shortened(one.senderCity),
  }),
  boundedFacts(one: Facts): Facts {
    if (one.label === null) return one
    const { label } = one
    // the address of the sender is omitted if it exceeds `longestSender`; the desk reads it from the next response
    // about the label
    const isAddress = label.sender !== null && JSON.stringify(label.sender).length <= longestSender
    const sender = isAddress ? label.sender : null
    return { ...one, label: { ...label, codes: label.codes.slice(0, mostCodes), sender } }
  },
  lessOf: (): null => null,
}
