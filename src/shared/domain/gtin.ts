import { normaliseCode } from './references.ts'

/**
 * Matches a number that is as long as a GTIN: GTIN-8, -12 (UPC-A), -13 (EAN) or -14 (GS1 General Specifications, 3.3).
 */
const gtinLength = /^(\d{8}|\d{12}|\d{13}|\d{14})$/

/**
 * Returns the form in which codes of articles are compared. A GTIN becomes its 14 digits, because the same article is a
 * UPC-A on one scanner and an EAN-13 with a leading zero on another. Any other code takes the form of normaliseCode.
 */
export function codeKey(text: string): string {
  const code = normaliseCode(text)
  return gtinLength.test(code) && hasValidCheckDigit(code) ? code.padStart(14, '0') : code
}

/** Whether a text consists of as many digits as a GTIN but has a wrong check digit: most likely misread or mistyped. */
export function looksMisread(text: string): boolean {
  const code = normaliseCode(text)
  return gtinLength.test(code) && !hasValidCheckDigit(code)
}

/**
 * Returns the spellings of a code to search for at a service that compares codes literally: as scanned, and for a GTIN
 * also its digits with and without leading zeros, shortest first.
 */
export function spellingsOf(text: string): string[] {
  const code = text.trim()
  const key = codeKey(code)
  if (!/^\d{14}$/.test(key)) return [code]
  const spellings = [8, 12, 13, 14].flatMap((length) =>
    /^0*$/.test(key.slice(0, 14 - length)) ? [key.slice(14 - length)] : [],
  )
  return [...new Set([code, ...spellings])]
}

/**
 * Computes the GS1 modulo-10 check digit for a number that does not contain it yet (GS1 General Specifications, 7.9):
 * weights 3 and 1 from the right. The same rule applies to GTIN-8, -12, -13, -14 and SSCC.
 */
export function gs1CheckDigit(digits: string): number {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const weight = (digits.length - i) % 2 === 1 ? 3 : 1
    sum += Number(digits[i]) * weight
  }
  return (10 - (sum % 10)) % 10
}

/**
 * Whether the last digit is the GS1 check digit of the digits before it. False for a text with other characters than
 * digits.
 */
export function hasValidCheckDigit(digits: string): boolean {
  return /^\d{2,}$/.test(digits) && gs1CheckDigit(digits.slice(0, -1)) === Number(digits.at(-1))
}
