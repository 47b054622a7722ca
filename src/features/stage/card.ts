import type { ScanOutcome } from '#shared/bridge/views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

export type ShipmentOutcome = Extract<ScanOutcome, { kind: 'shipment' }>
export type UnknownOutcome = Extract<ScanOutcome, { kind: 'unknown' }>

/** The one thing in the middle of the window. Labels are named by id: their state changes while the card stands. */
export type Card =
  | { readonly kind: 'home' }
  | { readonly kind: 'help' }
  | { readonly kind: 'looking'; readonly raw: string }
  | { readonly kind: 'shipment'; readonly outcome: ShipmentOutcome; readonly labelId: string | null }
  | { readonly kind: 'label'; readonly raw: string | null; readonly labelId: string }
  | { readonly kind: 'unknown'; readonly outcome: UnknownOutcome }
  /** `saved`: the scan is durable, only looking it up failed. */
  | { readonly kind: 'failed'; readonly raw: string; readonly failure: Failure; readonly saved: boolean }

/** What Enter, the large button and the PRIMARY barcode do on a card. */
export type PrimaryAction = 'make' | 'reprint' | 'retry'

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
      return { kind: 'label', raw: outcome.raw, labelId: outcome.label.id }
    case 'unknown':
      return { kind: 'unknown', outcome }
    case 'failed':
      return { kind: 'failed', raw: outcome.raw, failure: outcome.failure, saved: true }
    case 'command':
      return null
  }
}
