import { normaliseCode } from '#shared/domain/references.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { LabelFacts } from './ports/store.ts'

/**
 * What the ledger keeps of an answer. Before the request the external reference is not a code of the label: it is the
 * order's own (api.md, Return labels), and scanning the order must find the shipment.
 */
export function factsOf(label: ReturnLabel): LabelFacts {
  const tracking = label.tracking_information
  const printed = label.url === null ? [] : [label.external_reference]
  const texts = [...printed, ...tracking.flatMap((one) => [one.tracking_code, one.label_code])]
  return {
    serverId: label.id,
    externalReference: label.external_reference,
    trackingCode: tracking.find((one) => one.tracking_code !== null)?.tracking_code ?? null,
    codes: [...new Set(texts.flatMap((text) => (text ? [normaliseCode(text)] : [])))].filter(
      (code) => code !== '',
    ),
  }
}
