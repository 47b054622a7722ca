import type { AmbiguousOutcome, ScanOutcome } from '#shared/bridge/scan-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { LabelAct } from './label-acts.ts'

export type ShipmentOutcome = Extract<ScanOutcome, { kind: 'shipment' }>
export type UnknownOutcome = Extract<ScanOutcome, { kind: 'unknown' }>
type LabelOutcome = Extract<ScanOutcome, { kind: 'return_label' }>
export type ArticleOutcome = Extract<ScanOutcome, { kind: 'article' }>
export type LocationOutcome = Extract<ScanOutcome, { kind: 'location' }>

/** The one thing in the middle of the window. What changes while its card stands is named by id. */
export type Card =
  | { readonly kind: 'home' }
  | { readonly kind: 'help' }
  | { readonly kind: 'looking'; readonly raw: string }
  | { readonly kind: 'shipment'; readonly outcome: ShipmentOutcome; readonly labelId: string | null }
  /** `swap`: another label came out last and was not scanned yet. */
  | {
      readonly kind: 'label'
      readonly raw: string | null
      readonly labelId: string
      readonly swap: LabelOutcome['swap']
    }
  | { readonly kind: 'article'; readonly outcome: ArticleOutcome }
  | { readonly kind: 'location'; readonly outcome: LocationOutcome }
  | { readonly kind: 'modification'; readonly raw: string | null; readonly modificationId: string }
  | { readonly kind: 'ambiguous'; readonly outcome: AmbiguousOutcome }
  | { readonly kind: 'badge'; readonly username: string }
  | { readonly kind: 'unknown'; readonly outcome: UnknownOutcome }
  /** `saved`: the scan is durable, only looking it up failed. */
  | { readonly kind: 'failed'; readonly raw: string; readonly failure: Failure; readonly saved: boolean }

/** What Enter, the large button and the PRIMARY barcode do on a card. */
export type PrimaryAction = LabelAct | 'retry' | 'book'

/**
 * The card that shows what became of a scan, or null for a command. `labelOf` names the newest label of a shipment:
 * a scan brought back may be older than the label made after it.
 */
export function cardOf(outcome: ScanOutcome, labelOf: (shipmentId: string) => string | null): Card | null {
  switch (outcome.kind) {
    case 'shipment':
      return {
        kind: 'shipment',
        outcome,
        labelId: labelOf(outcome.shipment.id) ?? outcome.label?.id ?? null,
      }
    case 'return_label':
      return { kind: 'label', raw: outcome.raw, labelId: outcome.label.id, swap: outcome.swap }
    case 'article':
      return { kind: 'article', outcome }
    case 'location':
      return { kind: 'location', outcome }
    case 'modification':
      return { kind: 'modification', raw: outcome.raw, modificationId: outcome.modification.id }
    case 'ambiguous':
      return { kind: 'ambiguous', outcome }
    case 'badge':
      return { kind: 'badge', username: outcome.username }
    case 'unknown':
      return { kind: 'unknown', outcome }
    case 'failed':
      return { kind: 'failed', raw: outcome.raw, failure: outcome.failure, saved: true }
    case 'command':
      return null
  }
}

/** The card of a label that was not scanned. */
export function labelCard(labelId: string): Card {
  return { kind: 'label', raw: null, labelId, swap: null }
}

export function withoutSwap(outcome: ScanOutcome): ScanOutcome {
  return outcome.kind === 'return_label' ? { ...outcome, swap: null } : outcome
}
