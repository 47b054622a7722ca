import type { LabelName, LabelRow } from '../ports/label-ledger.ts'

/** Returns a title for a label. The title fits in one line. */
export function labelTitle(label: LabelName | LabelRow): string {
  const { shipmentReference, externalReference, wishedReference } = label
  const senderName = 'sender' in label ? label.sender?.addressed_to : label.senderName
  return shipmentReference ?? senderName ?? externalReference ?? wishedReference ?? ''
}
