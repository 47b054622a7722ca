import { type BriefLabel, labelCodes } from '#shared/domain/label-codes.ts'
import { type SenderAddress, senderAddress, type SenderAddressPatch } from '#shared/wire/address.ts'
import type { ShipmentReturnLabel } from '#shared/wire/shipment.ts'
import type { LabelDescription, LabelFacts } from '#shared/writes/return-label.ts'
import type { Answer, Match } from '../outbox/command-type.ts'

/** A label of the service as an operator recognises it, and as the ledger takes it. */
export function labelMatch(label: BriefLabel): Match {
  const description = describeLabel(label)
  return matchOf(label, description, description.shipment?.reference ?? null)
}

/** The label that the deprecated path names. */
export function shipmentLabelMatch(
  label: ShipmentReturnLabel,
  shipmentId: string,
  shipmentReference: string | null,
): Match {
  return matchOf(label, describeShipmentLabel(label, shipmentId, shipmentReference), shipmentReference)
}

function matchOf(
  { created_at: createdAt, url }: Pick<BriefLabel, 'created_at' | 'url'>,
  description: LabelDescription,
  shipmentReference: string | null,
): Match {
  const { serverId, externalReference, trackingCode, sender, requested } = description
  return {
    answer: { facts: { kind: 'return_label', label: description, isCancelled: false }, documentAddress: url },
    record: {
      serverId,
      reference: trackingCode ?? externalReference,
      createdAt,
      brief: {
        kind: 'return_label',
        shipmentReference,
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

const senderFields = Object.keys(senderAddress.shape) as (keyof SenderAddress)[]

/** What the ledger keeps of an answer. */
export function describeLabel(label: BriefLabel): LabelDescription {
  const tracking = label.tracking_information
  return {
    serverId: label.id,
    externalReference: label.external_reference,
    trackingCode: tracking.find((one) => one.tracking_code !== null)?.tracking_code ?? null,
    codes: labelCodes(label),
    requested: label.url !== null,
    sender: label.sender_address,
    shipment: label.shipment ? { id: label.shipment.id, reference: label.shipment.reference } : null,
  }
}

/** The same of the label that the deprecated path names: it says neither its shipment nor its sender. */
export function describeShipmentLabel(
  label: ShipmentReturnLabel,
  shipmentId: string,
  shipmentReference: string | null,
): LabelDescription {
  const shipment = { id: shipmentId, reference: shipmentReference ?? '' }
  return { ...describeLabel({ ...label, sender_address: null }), shipment }
}

/** An answer about a label for the outbox. */
export function toLabelAnswer(label: BriefLabel, isCancelled = false): Answer {
  const facts: LabelFacts = { kind: 'return_label', label: describeLabel(label), isCancelled }
  return { facts, documentAddress: label.url }
}

/** All that is known when the service only said that the label is cancelled. */
export const cancelledAnswer: Answer = {
  facts: { kind: 'return_label', label: null, isCancelled: true },
  documentAddress: null,
}

/** Whether an address already says what a change wants; an empty text and none are the same. */
export function alreadySays(sender: SenderAddress | null, changes: SenderAddressPatch): boolean {
  if (sender === null) return false
  return senderFields.every(
    (field) => !(field in changes) || (sender[field] ?? '') === (changes[field] ?? ''),
  )
}

/** An address with some fields changed; what it does not say is null. */
export function changedSender(sender: SenderAddress | null, changes: SenderAddressPatch): SenderAddress {
  const fields = senderFields.map((field) => {
    const changed = changes[field]
    return [field, changed === undefined ? (sender?.[field] ?? null) : changed] as const
  })
  return senderAddress.parse(Object.fromEntries(fields))
}

/** `RET-` and 12 hexadecimal digits: unique, and short enough to be typed from a label. */
export function ownReference(): string {
  return `RET-${crypto.randomUUID().replaceAll('-', '').slice(-12).toUpperCase()}`
}

/** Whether a label's reference was given by a desk: then no other label has it. */
export function isOwnReference(reference: string | null): boolean {
  return reference !== null && /^RET-[0-9A-F]{12}$/.test(reference)
}
