import type { ReturnLabel } from '../wire/return-label.ts'
import { normaliseCode } from './references.ts'

/**
 * Maximum number of codes by which one label is found, besides its external reference. A label has two codes for each
 * parcel; codes of further parcels find nothing.
 */
const mostCodes = 200
const mostParcels = mostCodes / 2
/** Maximum length of a code, in characters. A scan is not compared with longer codes. */
const longestCode = 255

/**
 * Returns the codes that a scanner can read on a printed return label, in the form of normaliseCode: the external
 * reference and the codes of the first `mostParcels` parcels, without codes longer than `longestCode`. Until the label
 * of a shipment is requested, its external reference can be equal to the reference of the order (API.md 8.4). Therefore
 * the result omits the external reference of a label that is not requested, so that a scan of the order finds the
 * shipment.
 */
export function labelCodes(label: Omit<ReturnLabel, 'shipment'>): string[] {
  const printed = label.url === null ? null : scannable(label.external_reference)
  const texts = [
    printed,
    ...scannableParcels(label).flatMap(({ tracking_code, label_code }) => [tracking_code, label_code]),
  ]
  return [...new Set(texts.flatMap((text) => (text === null ? [] : [normaliseCode(text)])))]
}

/** A return label with only those fields of its shipment that identify the shipment. */
export type BriefLabel = Omit<ReturnLabel, 'shipment'> & {
  readonly shipment?: { readonly id: string; readonly reference: string } | null | undefined
}

/**
 * Drops the data of a label that the desk does not compare, list or store in the ledger: the shipment except its id and
 * reference, the carriers' tracking links, and the codes by which no scan finds the label. A service may send megabytes
 * of such data; the result has at most 100 kB. The result has the same `labelCodes` as the whole label.
 */
export function toBriefLabel({ shipment, ...label }: ReturnLabel): BriefLabel {
  return {
    ...label,
    tracking_information: scannableParcels(label).map((codes) => ({ ...codes, tracking_url: null })),
    shipment: shipment ? { id: shipment.id, reference: shipment.reference } : null,
  }
}

type ParcelCodes = Pick<ReturnLabel['tracking_information'][number], 'label_code' | 'tracking_code'>

/** Returns the codes by which a scan finds the label, for each parcel that has such a code. */
function scannableParcels({ tracking_information: parcels }: Omit<ReturnLabel, 'shipment'>): ParcelCodes[] {
  return parcels
    .map(({ label_code, tracking_code }) => ({
      label_code: scannable(label_code),
      tracking_code: scannable(tracking_code),
    }))
    .filter(({ label_code, tracking_code }) => label_code !== null || tracking_code !== null)
    .slice(0, mostParcels)
}

/**
 * Returns the code as sent, or without its blanks if its length with blanks exceeds the limit. Returns null if no scan
 * can find the code.
 */
function scannable(code: string | null): string | null {
  const compared = code === null ? '' : normaliseCode(code)
  if (code === null || compared === '' || compared.length > longestCode) return null
  return code.length <= longestCode ? code : code.replaceAll(/\s+/g, '')
}
