import type { SenderAddress } from '#shared/wire/address.ts'
import { formatCountry } from './format.ts'

/** An address on one line, as it is read aloud: `J. de Vries, Witte de Withstraat 64 b, 3012 BS Rotterdam, Netherlands`. */
export function addressLine(address: SenderAddress): string {
  const { addressed_to, street, street_number, street_number_addition, zipcode, city, country } = address
  return [
    addressed_to,
    joined(street, street_number, street_number_addition),
    joined(zipcode, city),
    country === null ? null : formatCountry(country),
  ]
    .filter((part) => part !== null && part !== '')
    .join(', ')
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(' ')
}
