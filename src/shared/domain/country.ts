/** The 249 assigned two-letter codes of ISO 3166-1, in alphabetical order. */
export const countryCodes: readonly string[] = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
  'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP ' +
  'KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT ' +
  'MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW ' +
  'SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ ' +
  'UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
).split(' ')

const assigned = new Set(countryCodes)

/** Whether a text is the assigned two-letter code of a country (ISO 3166-1), in any letter case. */
export function isCountryCode(text: string): boolean {
  // the pattern admits only ASCII, because `toUpperCase` turns some other letters into two ASCII letters: ß becomes SS,
  // the country code of South Sudan
  return /^[A-Za-z]{2}$/.test(text) && assigned.has(text.toUpperCase())
}

/**
 * Whether the country in a response is an id and not a country code. No other call of the service returns the country
 * of such an id (API.md 1.13).
 */
export function isCountryReference(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

/**
 * The customs territory of the European Union: its members, and Monaco, which has a customs union with France. Parts of
 * countries are not distinguished.
 */
const customsUnion = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK'.split(' '),
)

/** Whether goods from a warehouse in the European Union need no customs papers for this country. */
export function isInCustomsUnion(country: string): boolean {
  return customsUnion.has(country.toUpperCase())
}

/** Countries without postcodes (Universal Postal Union), as ISO 3166-1 alpha-2 codes. */
const withoutPostcodes = new Set(
  (
    'AE AG AO AW BF BI BJ BO BQ BS BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GA GD GH GM GN GQ GY HK JM KI KM KN KP LY ML ' +
    'MO MR MW NR NU QA RW SB SC SL SR ST SX SY TD TG TK TL TO TV UG VU YE ZW'
  ).split(' '),
)

/**
 * Whether an address in this country needs a zipcode (API.md 6.2: not mandatory for some countries, such as HK or AE).
 */
export function needsPostcode(country: string): boolean {
  return !withoutPostcodes.has(country.toUpperCase())
}
