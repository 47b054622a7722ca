import { type LabelId, labelId } from '#shared/domain/ids.ts'
import { type BriefLabel, labelCodes } from '#shared/domain/label-codes.ts'
import { shortened, shortenedAddress } from '#shared/writes/bounds.ts'
import type { LabelDescription, LabelFacts } from '#shared/writes/return-label.ts'
import type { Answer, Match } from '../outbox/command-type.ts'
import type { LabelName, LabelRow } from '../ports/label-ledger.ts'

/** Converts a label of the service into the data that an operator sees and the data that the ledger stores. */
export function labelMatch(label: BriefLabel): Match {
  const description = describeLabel(label)
  const { serverId, externalReference, trackingCode, sender, requested, shipment } = description
  return {
    answer: {
      facts: { kind: 'return_label', label: description, isCancelled: false },
      documentAddress: label.url,
    },
    record: {
      serverId,
      reference: trackingCode ?? externalReference,
      createdAt: label.created_at,
      brief: {
        kind: 'return_label',
        shipmentReference: shipment?.reference ?? null,
        externalReference,
        methodCode: null,
        senderName: sender?.addressed_to ?? null,
        senderCity: sender?.city ?? null,
      },
      note: null,
      requested,
    },
  }
}

/**
 * Returns the part of a label that the ledger stores. Its texts are cut to the length of the longest code (255
 * characters); a cut field of the address also gets an ellipsis. They are cut because lists, searches and the status
 * read them for hundreds of labels.
 */
export function describeLabel(label: BriefLabel): LabelDescription {
  const { tracking_information: tracking, sender_address: sender, shipment } = label
  return {
    serverId: label.id,
    externalReference: shortened(label.external_reference),
    trackingCode: shortened(tracking.find((one) => one.tracking_code !== null)?.tracking_code ?? null),
    codes: labelCodes(label),
    requested: label.url !== null,
    sender: sender && shortenedAddress(sender),
    shipment: shipment ? { id: shipment.id, reference: shortened(shipment.reference) } : null,
  }
}

/** Converts a label of the service into an `Answer` for the outbox. */
export function toLabelAnswer(label: BriefLabel, isCancelled = false): Answer {
  const facts: LabelFacts = { kind: 'return_label', label: describeLabel(label), isCancelled }
  return { facts, documentAddress: label.url }
}

export function newLabelId(): LabelId {
  return labelId.parse(crypto.randomUUID())
}

/** The `Answer` for a response that shows only that the label is cancelled. */
export const cancelledAnswer: Answer = {
  facts: { kind: 'return_label', label: null, isCancelled: true },
  documentAddress: null,
}

/**
 * Returns the title of a label: the reference of its shipment, the name of its sender, or its own reference. Returns an
 * empty text if all of them are missing.
 */
export function labelTitle(label: LabelName | LabelRow): string {
  const { shipmentReference, externalReference, wishedReference } = label
  const senderName = 'sender' in label ? label.sender?.addressed_to : label.senderName
  return shipmentReference ?? senderName ?? externalReference ?? wishedReference ?? ''
}
