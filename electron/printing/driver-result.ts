import type { PrintOutcome } from '#desk/ports/printers.ts'
import { failure } from '#shared/errors/catalogue.ts'

/** The result of a job as a driver determines it, without the printer's name. */
export type DriverResult =
  | { readonly kind: 'refused' | 'partial' | 'unconfirmed'; readonly cause: string }
  | { readonly kind: 'sent' | 'spooled' }
  | { readonly kind: 'confirmed'; readonly evidence: string }

/** Longest text of a printer that is stored or shown, in characters; usual texts have about forty. */
const longestWords = 200
/** The rest of a longer text is ignored. */
const mostLookedAt = 4 * longestWords

/**
 * Prepares a text of a printer for storing or showing: at most 200 characters, with one blank in place of control
 * characters, line ends and invisible characters.
 */
export function printersWords(text: string): string {
  const plain = text.slice(0, mostLookedAt).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
  return Array.from(plain).slice(0, longestWords).join('').trim()
}

export function outcomeOf(result: DriverResult, printer: string): PrintOutcome {
  switch (result.kind) {
    case 'sent':
    case 'spooled':
      return { kind: result.kind }
    case 'confirmed':
      return { kind: 'confirmed', evidence: printersWords(result.evidence), file: null }
    case 'refused':
      return { kind: 'refused', failure: failure('printer.refused', { printer, cause: result.cause }) }
    case 'partial':
    case 'unconfirmed': {
      const { kind, cause } = result
      return { kind, failure: failure('printer.outcome_unknown', { printer, cause }) }
    }
  }
}
