import type { ReturnLabel } from '../wire/return-label.ts'
import { normaliseCode } from './references.ts'

/** Most codes of one label: it has two for each of its parcels. Those of further parcels find nothing. */
const mostCodes = 200
export const mostParcels = mostCodes / 2
/** Longest code, in characters: a scan compares no longer one. */
const longestCode = 255

/**
 * Everything on the paper of a return label that a scanner may read, in the form of normaliseCode. Before the request
 * the external reference is not among them: it is the order's own (api.md, Return labels), and scanning the order must
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
