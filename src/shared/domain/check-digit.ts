/**
 * GS1 modulo-10 check digit of a number without it (GS1 General Specifications, 7.9): weights 3 and 1 from the
 * right. The same rule serves GTIN-8, -12, -13, -14 and SSCC.
 */
export function gs1CheckDigit(digits: string): number {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const weight = (digits.length - i) % 2 === 1 ? 3 : 1
    sum += Number(digits[i]) * weight
  }
  return (10 - (sum % 10)) % 10
}

/** Whether the last digit is the GS1 check digit of those before it. False for anything but digits. */
export function hasValidCheckDigit(digits: string): boolean {
  return /^\d{2,}$/.test(digits) && gs1CheckDigit(digits.slice(0, -1)) === Number(digits.at(-1))
}
