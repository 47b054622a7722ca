import type { PrintOutcome } from '#desk/ports/printers.ts'
import { failure } from '#shared/errors/catalogue.ts'

/** The result of a job as a driver determines it, without the printer's name. */
export type DriverResult =
  | { readonly kind: 'refused'; readonly cause: string; readonly isOfDocument?: boolean | 'perhaps' }
  | { readonly kind: 'partial' | 'unconfirmed'; readonly cause: string }
  | { readonly kind: 'sent' | 'spooled' }
  | { readonly kind: 'confirmed'; readonly evidence: string }

/** Maximum length of a printer's text that is stored or shown, in characters. Usual texts have about forty. */
const longestWords = 200
/** Maximum number of characters of a printer's text that are examined. */
const mostLookedAt = 4 * longestWords

/**
 * Converts a printer's text for storing and showing. Cuts it to 200 characters, and replaces each sequence of control
 * characters, line ends and invisible characters by one blank.
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
    case 'refused': {
      const { cause, isOfDocument } = result
      return { kind: 'refused', failure: failure('printer.refused', { printer, cause }), isOfDocument }
    }
    case 'partial':
    case 'unconfirmed': {
      const { kind, cause } = result
      return { kind, failure: failure('printer.outcome_unknown', { printer, cause }) }
    }
  }
}
