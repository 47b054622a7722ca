import type { LocationView, ModificationView } from '#shared/bridge/stock-views.ts'
import { codeKey } from '#shared/domain/gtin.ts'
import { baseExternalReference, normaliseCode, parseReference } from '#shared/domain/references.ts'
import { orderReferences } from '#shared/wire/shipment.ts'
import type { Locations } from '../modifications/locations.ts'
import type { Modifications } from '../modifications/modifications.ts'
import type { CatalogueStore, StoredVariant } from '../ports/catalogue-store.ts'
import type { LabelLedger, LabelRow } from '../ports/label-ledger.ts'
import type { LabelIndexStore, StoredReturnLabel, StoredShipment } from '../ports/recent-store.ts'
import type { Shipments } from '../shipments/shipments.ts'
import { isoTime } from '../view-parts.ts'
import type { ReadScan, Candidate, Found } from './scan-question.ts'

/** Maximum number of candidates of one question; an operator cannot compare more at a glance. */
const mostCandidates = 9

/**
 * Returns at most `mostCandidates` records of this desk that match a scan, the most likely one first; needs no network.
 * If an article or a location matches during a modification, only articles and locations are returned.
 */
export function candidatesOf(scan: ReadScan, sources: ScanSources): Candidate[] {
  const stock = stockOf(scan, sources)
  if (scan.expect === 'stock' && stock.length > 0) return stock.slice(0, mostCandidates)
  return [
    ...parcelsOf(scan, sources, scan.meanings.parcels),
    ...stock,
    ...modificationOf(scan, sources),
  ].slice(0, mostCandidates)
}

/**
 * Returns weaker matches: records whose reference differs only in its `#`, and records whose code is part of a scanned
 * web address. They are used only if neither `candidatesOf` nor a serial number matches, so that a weak match never
 * makes a known code ambiguous.
 */
export function nearCandidatesOf(scan: ReadScan, sources: ScanSources): Candidate[] {
  return parcelsOf(scan, sources, scan.meanings.nearParcels).slice(0, mostCandidates)
}

/** Returns only the matches that are locations or articles. */
export function stockOf(scan: ReadScan, sources: ScanSources): Candidate[] {
  return [...locationOf(scan, sources), ...articlesOf(scan, sources)]
}

/**
 * Returns the label of another desk from the copy of the service's list. The result is used only if no other record
 * matches.
 */
export function otherLabelOf({ meanings }: ReadScan, { labelIndex }: ScanSources): StoredReturnLabel | null {
  return firstOf([...meanings.parcels, ...meanings.nearParcels], (code) => labelIndex.byCode(code))
}

/**
 * Returns the matching shipments. Also returns a matching label, unless it belongs to one of these shipments or has the
 * order reference of one of them.
 */
function parcelsOf(scan: ReadScan, sources: ScanSources, codes: readonly string[]): Candidate[] {
  const shipments = firstOf(codes, (code) => {
    const found = sources.shipments.all(code, mostCandidates)
    return found.length > 0 ? found : null
  })
  const label = firstOf(codes, (code) => sources.labels.byCode(code))
  const candidates = (shipments ?? []).map((stored) => shipmentCandidate(scan, stored, sources))
  if (!label || belongs(label, shipments ?? [])) return candidates
  return [...candidates, labelCandidate(scan, label, sources)]
}

function belongs(label: LabelRow, shipments: readonly StoredShipment[]): boolean {
  const base = normaliseCode(baseExternalReference(label.externalReference ?? ''))
  return shipments.some(
    ({ shipment }) =>
      shipment.id === label.shipmentId ||
      orderReferences(shipment).some((reference) => normaliseCode(reference) === base),
  )
}

function locationOf(scan: ReadScan, { locations, show }: ScanSources): Candidate[] {
  const { text } = scan.meanings
  const location = locations.byCode(text)
  if (!location) return []
  const { id: subjectId, code, seenAt: at } = location
  const title = code ?? subjectId
  return [
    {
      kind: 'location',
      subjectId,
      title,
      detail: null,
      at,
      open: () => show.location(scan, { location, isNew: false }),
    },
  ]
}

/**
 * Returns the articles with the first scanned code that is known. If several articles have the same EAN, returns all of
 * them. If an article matches by EAN, articles that match by a weaker field, such as the SKU, are left out.
 */
function articlesOf(scan: ReadScan, { catalogue, show }: ScanSources): Candidate[] {
  const found = firstOf(scan.meanings.articles, (code) => {
    const key = codeKey(code)
    const known = catalogue.byCode(key)
    return known.length > 0 ? { key, known } : null
  })
  if (found === null) return []
  const { key, known } = found
  const first = known[0] && fieldOf(known[0], key)
  return known
    .filter((one) => fieldOf(one, key) === first)
    .map((stored) => ({
      kind: 'article',
      subjectId: stored.variant.id,
      title: stored.variant.name,
      detail: stored.variant.article_code,
      at: null,
      open: () => show.article(scan, stored),
    }))
}

function fieldOf({ variant }: StoredVariant, key: string): string {
  const { ean, sku } = variant
  if (ean !== null && codeKey(ean) === key) return 'ean'
  return sku !== null && codeKey(sku) === key ? 'sku' : 'article_code'
}

function modificationOf(scan: ReadScan, { modifications, show }: ScanSources): Candidate[] {
  const reference = parseReference(scan.meanings.text)
  const booked = reference?.kind === 'modification' ? modifications.byReference(reference.reference) : null
  if (!booked) return []
  const { id: subjectId, createdAt: at } = booked
  return [
    {
      kind: 'modification',
      subjectId,
      title: booked.reference ?? subjectId,
      detail: null,
      at,
      open: () => show.modification(scan, booked),
    },
  ]
}

function shipmentCandidate(scan: ReadScan, stored: StoredShipment, { show }: ScanSources): Candidate {
  const { id: subjectId, reference, created_at, shipping_address: address } = stored.shipment
  const name = address?.addressed_to ?? null
  return {
    kind: 'shipment',
    subjectId,
    title: name ?? reference,
    detail: name === null ? null : reference,
    at: isoTime(Date.parse(created_at)),
    open: () => show.shipment(scan, stored),
  }
}

function labelCandidate(scan: ReadScan, label: LabelRow, { show }: ScanSources): Candidate {
  const { id: subjectId, externalReference, shipmentReference, trackingCode, createdAt } = label
  const title = externalReference ?? shipmentReference ?? trackingCode ?? subjectId
  return {
    kind: 'return_label',
    subjectId,
    title,
    detail: trackingCode === title ? null : trackingCode,
    at: isoTime(createdAt),
    open: () => show.label(scan, label),
  }
}

function firstOf<T>(codes: readonly string[], find: (code: string) => T | null): T | null {
  for (const code of codes) {
    const found = find(code)
    if (found !== null) return found
  }
  return null
}

/** The local sources that are searched for a scanned text, and the functions that show a result. */
export interface ScanSources {
  readonly shipments: Pick<Shipments, 'all'>
  readonly catalogue: Pick<CatalogueStore, 'byCode'>
  readonly locations: Pick<Locations, 'byCode'>
  readonly modifications: Pick<Modifications, 'byReference'>
  readonly labels: Pick<LabelLedger, 'byCode'>
  readonly labelIndex: Pick<LabelIndexStore, 'byCode'>
  readonly show: {
    shipment(scan: ReadScan, stored: StoredShipment): Promise<Found>
    label(scan: ReadScan, label: LabelRow): Found
    article(scan: ReadScan, stored: StoredVariant): Found
    location(scan: ReadScan, found: { readonly location: LocationView; readonly isNew: boolean }): Found
    modification(scan: ReadScan, modification: ModificationView): Found
  }
}
