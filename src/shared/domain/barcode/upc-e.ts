import { gs1CheckDigit } from '../check-digit.ts'

/**
 * The GTIN-12 that a zero-suppressed UPC-E stands for (GS1 General Specifications, 5.2.2.4.2), or null where the check
 * digit is not that of the whole number. Eight digits: number system 0 or 1, six digits, check digit.
 */
export function expandUpcE(digits: string): string | null {
  if (!/^[01]\d{7}$/.test(digits)) return null
  const number = digits.charAt(0) + bodyOf(digits.slice(1, 7))
  return gs1CheckDigit(number) === Number(digits.charAt(7)) ? number + digits.charAt(7) : null
}

/** Six digits as ten: the last one says where zeros were left out. */
function bodyOf(six: string): string {
  const last = six.charAt(5)
  switch (last) {
    case '0':
    case '1':
    case '2':
      return `${six.slice(0, 2)}${last}0000${six.slice(2, 5)}`
    case '3':
      return `${six.slice(0, 3)}00000${six.slice(3, 5)}`
    case '4':
      return `${six.slice(0, 4)}00000${six.charAt(4)}`
    default:
      return `${six.slice(0, 5)}0000${last}`
  }
}
