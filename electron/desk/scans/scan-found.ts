import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { ScanOutcome } from '#shared/bridge/scan-views.ts'
import type { LocationView, ModificationView } from '#shared/bridge/stock-views.ts'
import type { Command } from '#shared/domain/commands.ts'
import type { NamedCommand } from '#shared/domain/named-commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { StoredVariant } from '../ports/catalogue-store.ts'
import type { StoredShipment } from '../ports/recent-store.ts'
import { toShipmentView } from '../shipments/shipment-view.ts'
import { toVariantView } from '../catalogue/variant-view.ts'

/** What a scan turned out to be, and what the journal notes of it. */
export interface Found {
  readonly outcome: ScanOutcome
  readonly title: string | null
  readonly subjectId: string | null
}

export type Scanned = Pick<ScanOutcome, 'scanId' | 'raw' | 'at'>

export function foundCommand(scanned: Scanned, command: Command | NamedCommand): Found {
  return { outcome: { ...head(scanned), kind: 'command', command }, title: command, subjectId: null }
}

export function foundShipment(
  scanned: Scanned,
  { shipment, asOf }: StoredShipment,
  label: ReturnLabelView | null,
  catalogued: Parameters<typeof toShipmentView>[2],
): Found {
  const view = toShipmentView(shipment, asOf, catalogued)
  return {
    outcome: { ...head(scanned), kind: 'shipment', shipment: view, label },
    title: shipment.reference,
    subjectId: shipment.id,
  }
}

export function foundLabel(scanned: Scanned, label: ReturnLabelView): Found {
  return {
    outcome: { ...head(scanned), kind: 'return_label', label, swap: null },
    title: label.externalReference ?? label.shipmentReference ?? label.trackingCode,
    subjectId: label.id,
  }
}

export function foundArticle(scanned: Scanned, stored: StoredVariant): Found {
  return {
    outcome: { ...head(scanned), kind: 'article', variant: toVariantView(stored) },
    title: stored.variant.name,
    subjectId: stored.variant.id,
  }
}

export function foundLocation(
  scanned: Scanned,
  { location, isNew }: { readonly location: LocationView; readonly isNew: boolean },
): Found {
  return {
    outcome: { ...head(scanned), kind: 'location', location, isNew },
    title: location.code ?? location.id,
    subjectId: location.id,
  }
}

export function foundModification(scanned: Scanned, modification: ModificationView): Found {
  return {
    outcome: { ...head(scanned), kind: 'modification', modification },
    title: modification.reference,
    subjectId: modification.id,
  }
}

export function foundFailure(scanned: Scanned, { code, params }: Failure): Found {
  const view = { code, params: { ...params } }
  return { outcome: { ...head(scanned), kind: 'failed', failure: view }, title: null, subjectId: null }
}

/** Nothing but what the contract names goes on. */
function head({ scanId, raw, at }: Scanned): Scanned {
  return { scanId, raw, at }
}
