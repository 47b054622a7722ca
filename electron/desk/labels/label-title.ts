import type { LabelName, LabelRow } from '../ports/label-ledger.ts'

/**
 * Returns the title of a label: the reference of its shipment, the name of its sender, or its own reference. Returns an
 * empty text if all of them are missing.
 */
export function labelTitle(label: LabelName | LabelRow): string {
  const { shipmentReference, externalReference, wishedReference } = label
  const senderName = 'sender' in label ? label.sender?.addressed_to : label.senderName
  return shipmentReference ?? senderName ?? externalReference ?? wishedReference ?? ''
}
