import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { ArticleSaid, ScanChoiceView, ScanOutcome } from '#shared/bridge/scan-views.ts'
import type { LocationView, ModificationView } from '#shared/bridge/stock-views.ts'
import type { Command } from '#shared/domain/commands.ts'
import { carrierNames } from '#shared/domain/carriers/formats.ts'
import type { ReadBarcode } from '#shared/domain/gs1/read-barcode.ts'
import type { NamedCommand } from '#shared/domain/named-commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { StoredVariant } from '../ports/catalogue-store.ts'
import type { StoredShipment } from '../ports/recent-store.ts'
import { toShipmentView } from '../shipments/shipment-view.ts'
import { toVariantView } from '../catalogue/variant-view.ts'
import { isoTime } from '../timing/iso-time.ts'
import type { Asked, Candidate, Found, Scanned } from './scan-question.ts'

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

/** `lotId`: the lot whose id was scanned. */
export function foundArticle(
  scanned: Scanned,
  stored: StoredVariant,
  read: ReadBarcode,
  lotId: string | null = null,
): Found {
  const said = saidOf(read, lotId)
  return {
    outcome: { ...head(scanned), kind: 'article', variant: toVariantView(stored), ...(said && { said }) },
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

/** Several things answer to it, and nobody has said yet which one is meant. */
export function foundAmbiguous(asked: Asked, candidates: readonly Candidate[], shape: string | null): Found {
  const views = candidates.map(({ kind, subjectId, title, detail, at }) => ({
    kind,
    subjectId,
    title,
    detail,
    at,
  }))
  const outcome = {
    ...head(asked),
    kind: 'ambiguous',
    candidates: views,
    shape,
    expect: asked.expect,
  } as const
  return { outcome, title: null, subjectId: null }
}

export function foundBadge(scanned: Scanned, username: string): Found {
  return { outcome: { ...head(scanned), kind: 'badge', username }, title: username, subjectId: null }
}

/** How far the knowledge of this desk reaches: milliseconds since 1970, null where there is nothing yet. */
export interface Reach {
  readonly oldest: number | null
  /** Older shipments that are wanted here are still to come. */
  readonly isFilling: boolean
  readonly articlesAt: number | null
  readonly askedService: boolean
}

/** Nobody knows it. */
export function foundUnknown(asked: Asked, known: Reach): Found {
  const { isMisread, carrier } = asked.meanings
  const outcome: ScanOutcome = {
    ...head(asked),
    kind: 'unknown',
    misread: isMisread,
    carrier: carrier && carrierNames[carrier],
    indexReachesBackTo: known.oldest === null ? null : isoTime(known.oldest),
    indexFilling: known.isFilling,
    articlesAsOf: known.articlesAt === null ? null : isoTime(known.articlesAt),
    askedService: known.askedService,
  }
  return { outcome, title: null, subjectId: null }
}

/** Says that an earlier answer made it this of several things. */
export function withMemory(found: Found, remembered: ScanChoiceView): Found {
  const { outcome } = found
  switch (outcome.kind) {
    case 'shipment':
    case 'return_label':
    case 'article':
    case 'location':
    case 'modification':
      return { ...found, outcome: { ...outcome, remembered } }
    default:
      return found
  }
}

export function foundFailure(scanned: Scanned, { code, params }: Failure): Found {
  const view = { code, params: { ...params } }
  return { outcome: { ...head(scanned), kind: 'failed', failure: view }, title: null, subjectId: null }
}

/** Null where the barcode says no more than which article it is. */
function saidOf(
  { elements, lot, expiry, serial, problems }: ReadBarcode,
  lotId: string | null,
): ArticleSaid | null {
  if (lotId === null && (elements.length === 0 || !(lot ?? expiry ?? serial ?? problems[0]))) return null
  return { lot, expiry, serial, problems: [...new Set(problems.map(({ code }) => code))], lotId }
}

/** Nothing but what the contract names goes on. */
function head({ scanId, raw, at }: Scanned): Scanned {
  return { scanId, raw, at }
}
