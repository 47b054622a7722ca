import type { LabelRow } from '../ports/label-ledger.ts'

/** What a label is called where one line must do. */
export function labelTitle(label: LabelRow): string {
  const { shipmentReference, externalReference, wishedReference, sender } = label
  return shipmentReference ?? sender?.addressed_to ?? externalReference ?? wishedReference ?? ''
}
