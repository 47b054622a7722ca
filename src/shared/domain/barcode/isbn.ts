import { gs1CheckDigit, hasValidCheckDigit } from '../check-digit.ts'

/** Whether the last sign is the check digit of an ISBN-10 (ISO 2108, annex: weights 10 to 1, modulo 11, X is 10). */
function isIsbn10(text: string): boolean {
  if (!/^\d{9}[\dX]$/.test(text)) return false
  let sum = 0
  for (let at = 0; at < 10; at++) sum += (10 - at) * (text[at] === 'X' ? 10 : Number(text[at]))
  return sum % 11 === 0
}

export interface Isbn {
  /** The EAN-13 of the book. */
  readonly ean: string
  /** As ten signs; null: a book of 979 has none. */
  readonly ten: string | null
  readonly written: 'ten' | 'thirteen'
  /** Nothing but its check digit says that it is an ISBN: ten bare digits. */
  readonly isBare: boolean
}

/** An ISBN as ten or thirteen signs, with or without hyphens and the word ISBN before it; null for all else. */
export function parseIsbn(text: string): Isbn | null {
  if (text.length > 30) return null
  const match = /^(ISBN(?:-1[03])?:?\s*)?([\dX][\dX -]*)$/.exec(text.trim().toUpperCase())
  if (!match) return null
  const digits = (match[2] ?? '').replaceAll(/[ -]/g, '')
  if (isIsbn10(digits)) {
    const body = `978${digits.slice(0, 9)}`
    const isBare = match[1] === undefined && !/[-X ]/.test(match[2] ?? '')
    return { ean: body + String(gs1CheckDigit(body)), ten: digits, written: 'ten', isBare }
  }
  if (!/^97[89]\d{10}$/.test(digits) || !hasValidCheckDigit(digits)) return null
  return {
    ean: digits,
    ten: digits.startsWith('978') ? tenOf(digits.slice(3, 12)) : null,
    written: 'thirteen',
    isBare: false,
  }
}

function tenOf(nine: string): string {
  let sum = 0
  for (let at = 0; at < 9; at++) sum += (10 - at) * Number(nine[at])
  const check = (11 - (sum % 11)) % 11
  return nine + (check === 10 ? 'X' : String(check))
}
