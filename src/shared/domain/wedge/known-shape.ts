import { hasValidCheckDigit } from '../check-digit.ts'
import { looksLikeCommand } from '../named-commands.ts'
import { parseReference } from '../references.ts'

/** Texts that only a barcode holds: commands, AIM identifiers, references, numbers with a right check digit. */
export function hasKnownShape(text: string): boolean {
  if (looksLikeCommand(text) || /^\][A-Za-z]\d/.test(text)) return true
  if (parseReference(text) !== null) return true
  return [12, 13, 14, 18].includes(text.length) && hasValidCheckDigit(text)
}
