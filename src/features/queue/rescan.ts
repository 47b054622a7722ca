import type { WriteBrief } from '#shared/bridge/queue-views.ts'
import type { ScanExpectation, ScanOutcome } from '#shared/bridge/scan-views.ts'
import { baseExternalReference, normaliseCode } from '#shared/domain/references.ts'

/** What has to be scanned once more before a write is sent again; null: nothing that can be scanned is known. */
export function rescanOf(brief: WriteBrief): 'article' | 'shipment' | null {
  if (brief.kind === 'modification') return brief.lines.length > 0 ? 'article' : null
  return brief.shipmentReference === null && brief.externalReference === null ? null : 'shipment'
}

/** Where a code of this write is looked for first. */
export function expectationOf(brief: WriteBrief): ScanExpectation {
  return brief.kind === 'modification' ? 'stock' : 'anything'
}

/** Whether a scan is the article or the parcel that the write is about. */
export function isRescan(brief: WriteBrief, outcome: ScanOutcome): boolean {
  if (brief.kind === 'modification')
    return (
      outcome.kind === 'article' &&
      brief.lines.some(({ articleCode }) => articleCode === outcome.variant.articleCode)
    )
  const { shipmentReference, externalReference } = brief
  if (externalReference !== null && isSameCode(outcome.raw, externalReference)) return true
  if (shipmentReference === null) return false
  if (outcome.kind === 'shipment') return outcome.shipment.reference === shipmentReference
  return outcome.kind === 'return_label' && outcome.label.shipmentReference === shipmentReference
}

function isSameCode(scanned: string, reference: string): boolean {
  return normaliseCode(baseExternalReference(scanned)) === normaliseCode(baseExternalReference(reference))
}
