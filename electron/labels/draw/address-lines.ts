import type { LabelAddress } from './label-spec.ts'

export type AddressLineRole = 'name' | 'contact' | 'street' | 'place' | 'country'
interface AddressLine {
  readonly role: AddressLineRole
  readonly text: string
  /**
   * The part at the start or the end of the line that is never cut: the postcode or the country, without which a parcel
   * cannot be delivered.
   */
  readonly keep?: string
}

/** Countries that write the house number before the street. */
const numberFirst = new Set(['GB', 'US', 'FR', 'IE', 'CA', 'AU', 'LU'])
/** Countries that write the postcode after the town. GB writes it on a separate line. */
const zipLast = new Set(['US', 'CA', 'AU'])

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/**
 * Returns the printed name of a country code of two letters: the English name in capitals, `NL` -> `NETHERLANDS`, or
 * the code in capitals if it is unknown. Any other text is returned unchanged, because the service may return a uuid
 * instead of a code.
 */
export function countryName(country: string): string {
  const code = country.trim().toUpperCase()
  if (!/^[A-Z]{2}$/.test(code)) return country
  return (countryNames.of(code) ?? code).toUpperCase()
}

function join(parts: readonly (string | null)[], separator = ' '): string {
  return parts.filter((part) => part !== null && part.trim() !== '').join(separator)
}

function placeLines(address: LabelAddress, country: string): string[] {
  const city = address.city.toUpperCase()
  if (zipLast.has(country)) return [join([join([city, address.state], ', '), address.zipcode], '  ')]
  if (country === 'GB') return [join([city, address.state], ', '), address.zipcode.toUpperCase()]
  return [join([address.zipcode, city], '  '), join([address.state])]
}

function keptIn(text: string, address: LabelAddress): { keep?: string } {
  const forms = [address.zipcode, address.zipcode.toUpperCase()].filter((form) => form.trim() !== '')
  const keep = forms.find((form) => text.startsWith(form) || text.endsWith(form))
  return keep === undefined ? {} : { keep }
}

/**
 * Returns the lines of an address in the notation of its country, without empty lines. The country is the last line.
 */
export function addressLines(address: LabelAddress): AddressLine[] {
  const country = address.country.trim().toUpperCase()
  const number = join([address.streetNumber, address.streetNumberAddition])
  const street = numberFirst.has(country) ? join([number, address.street]) : join([address.street, number])
  const contact = address.contactPerson === address.addressedTo ? null : address.contactPerson
  const lines: AddressLine[] = [
    { role: 'name', text: address.addressedTo },
    { role: 'contact', text: contact ?? '' },
    { role: 'street', text: street },
    { role: 'street', text: address.street2 ?? '' },
    ...placeLines(address, country).map((text): AddressLine => ({
      role: 'place',
      text,
      ...keptIn(text, address),
    })),
    { role: 'country', text: countryName(address.country), keep: countryName(address.country) },
  ]
  return lines.filter((line) => line.text.trim() !== '')
}
