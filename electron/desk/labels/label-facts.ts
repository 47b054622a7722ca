import { labelCodes } from '#shared/domain/label-codes.ts'
import { type SenderAddress, senderAddress, type SenderAddressPatch } from '#shared/wire/address.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { Answer } from '../outbox/command-type.ts'
import type { LabelDescription, LabelFacts } from '../ports/commands.ts'

const senderFields = Object.keys(senderAddress.shape) as (keyof SenderAddress)[]

/** What the ledger keeps of an answer. */
export function describeLabel(label: ReturnLabel): LabelDescription {
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

/** An answer about a label for the outbox. */
export function toLabelAnswer(label: ReturnLabel, isCancelled = false): Answer {
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
