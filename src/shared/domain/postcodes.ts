/** Countries whose posts use no postcode (Universal Postal Union), as ISO 3166-1 alpha-2 codes. */
const withoutPostcodes = new Set(
  (
    'AE AG AO AW BF BI BJ BO BQ BS BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GA GD GH GM GN GQ GY HK JM KI KM KN KP LY ML ' +
    'MO MR MW NR NU QA RW SB SC SL SR ST SX SY TD TG TK TL TO TV UG VU YE ZW'
  ).split(' '),
)

/** Whether an address there needs a zipcode (api.md, Orders: not mandatory for some countries, such as HK or AE). */
export function needsPostcode(country: string): boolean {
  return !withoutPostcodes.has(country.toUpperCase())
}
