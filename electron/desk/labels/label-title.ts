import type { LabelRow } from '../ports/label-ledger.ts'

/** Returns a title for a label. The title fits in one line. */
export function labelTitle(label: LabelRow): string {
  const { shipmentReference, externalReference, wishedReference, sender } = label
  return shipmentReference ?? sender?.addressed_to ?? externalReference ?? wishedReference ?? ''
}
