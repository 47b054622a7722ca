import type { ReturnLabel } from '../wire/return-label.ts'
import { normaliseCode } from './references.ts'

/** Maximum number of codes of one label, which has two for each parcel. Codes of further parcels find nothing. */
const mostCodes = 200
const mostParcels = mostCodes / 2
/** The longest code, in characters: a scan compares no longer one. */
const longestCode = 255

/**
 * Returns all codes on the paper of a return label that a scanner may read, in the form of normaliseCode. Before the
 * request the external reference is not among them: it is the order's own (API.md 8.4), and a scan of the order must
 * find the shipment.
 */
export function labelCodes(label: Omit<ReturnLabel, 'shipment'>): string[] {
  const printed = label.url === null ? [] : [label.external_reference]
  const texts = [
    ...printed,
    ...label.tracking_information.slice(0, mostParcels).flatMap((one) => [one.tracking_code, one.label_code]),
  ]
  return [...new Set(texts.flatMap((text) => (text ? [normaliseCode(text)] : [])))].filter(
    (code) => code !== '' && code.length <= longestCode,
  )
}

/** A return label with only those fields of its shipment that identify it. */
export type BriefLabel = Omit<ReturnLabel, 'shipment'> & {
  readonly shipment?: { readonly id: string; readonly reference: string } | null | undefined
}

/**
 * Drops the fields of a label that are neither compared, nor listed, nor stored in the ledger: the rest of its
 * shipment, addresses of carriers, codes that no scan finds. A service may send megabytes of these; the result has 100
 * kB at most.
 */
export function toBriefLabel({
  tracking_information: tracking,
  shipment,
  ...label
}: ReturnLabel): BriefLabel {
  return {
    ...label,
    tracking_information: tracking
      .map(({ label_code, tracking_code }) => ({
        label_code: shortCode(label_code),
        tracking_code: shortCode(tracking_code),
        tracking_url: null,
      }))
      .filter(({ label_code, tracking_code }) => label_code !== null || tracking_code !== null)
      .slice(0, mostParcels),
    shipment: shipment ? { id: shipment.id, reference: shipment.reference } : null,
  }
}

function shortCode(code: string | null): string | null {
  return code !== null && code.length <= longestCode ? code : null
}
