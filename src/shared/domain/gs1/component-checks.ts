import { hasValidCheckDigit } from '../check-digit.ts'
import { countryCodes } from '../country.ts'
import { countryNumbers, currencyNumbers, packageTypes } from './code-lists.ts'
import { dateOf, daysOf } from './dates.ts'
import { hasValidCheckPair } from './check-pair.ts'

/** What is wrong with an element of a GS1 message. */
export type ComponentFault = 'check_digit' | 'date' | 'time' | 'value'

type Check = (text: string, currentYear: number) => ComponentFault | null

const rule =
  (fault: ComponentFault, holds: (text: string, currentYear: number) => boolean): Check =>
  (text, currentYear) =>
    holds(text, currentYear) ? null : fault

const below = (limit: number): Check => rule('time', (text) => Number(text) < limit)
const matching = (pattern: RegExp): Check => rule('value', (text) => pattern.test(text))

/** Part and total: `p` of `t`, neither of them none. */
function isPartOf(part: string, total: string): boolean {
  return Number(part) > 0 && Number(part) <= Number(total)
}

const oneOf = (list: ReadonlySet<string>): Check => rule('value', (text) => list.has(text))

/** By the names of the table. Coupons of supermarkets are not checked: their length and characters are. */
const checks: Readonly<Record<string, Check>> = {
  csum: rule('check_digit', hasValidCheckDigit),
  csumalpha: rule('check_digit', hasValidCheckPair),
  // a company prefix has four digits at least
  gcppos1: matching(/^\d{4}/),
  gcppos2: matching(/^.\d{4}/),
  yymmdd: rule('date', (text, year) => !text.endsWith('00') && dateOf(text, year) !== null),
  yymmd0: rule('date', (text, year) => dateOf(text, year) !== null),
  yyyymmdd: rule('date', (text) => isWholeDate(text)),
  hh: below(24),
  mi: below(60),
  ss: below(60),
  hhmi: rule('time', (text) => /^([01]\d|2[0-3])[0-5]\d$/.test(text)),
  latitude: rule('value', (text) => Number(text) <= 1_800_000_000),
  longitude: rule('value', (text) => Number(text) <= 3_600_000_000),
  yesno: matching(/^[01]$/),
  zero: matching(/^0+$/),
  nonzero: matching(/[1-9]/),
  nozeroprefix: matching(/^(0$|[^0])/),
  hasnondigit: matching(/\D/),
  hyphen: matching(/^-+$/),
  winding: matching(/^[019]$/),
  iso5218: matching(/^[0129]$/),
  mediatype: matching(/^(0[1-9]|10|[89]\d)$/),
  importeridx: matching(/^[-0-9A-Z_a-z]$/),
  pcenc: matching(/^([^%]|%[0-9A-Fa-f]{2})*$/),
  pieceoftotal: rule('value', (text) =>
    isPartOf(text.slice(0, text.length / 2), text.slice(text.length / 2)),
  ),
  posinseqslash: rule('value', (text) => {
    const [part = '', total = '', more] = text.split('/')
    return /^\d+\/\d+$/.test(text) && more === undefined && isPartOf(part, total)
  }),
  iso3166: oneOf(countryNumbers),
  // 999: in several countries
  iso3166999: oneOf(new Set([...countryNumbers, '999'])),
  iso3166alpha2: oneOf(new Set(countryCodes)),
  iso4217: oneOf(currencyNumbers),
  packagetype: oneOf(packageTypes),
  iban: rule('check_digit', isIban),
  couponposoffer: rule('value', isPositiveOffer),
}

export function componentFault(check: string, text: string, currentYear: number): ComponentFault | null {
  return checks[check]?.(text, currentYear) ?? null
}

function isWholeDate(text: string): boolean {
  const [year, month, day] = [text.slice(0, 4), text.slice(4, 6), text.slice(6, 8)].map(Number)
  return day !== undefined && day > 0 && day <= daysOf(year ?? 0, month ?? 0)
}

/** ISO 13616: letters count from 10, the whole leaves 1 when divided by 97. */
function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[0-9A-Z]+$/.test(text)) return false
  let rest = 0
  for (const sign of text.slice(4) + text.slice(0, 4))
    for (const digit of String(parseInt(sign, 36))) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}

/** Format, funder, offer code of six digits, serial number: funder and serial say how many digits beyond six they have. */
function isPositiveOffer(text: string): boolean {
  if (!/^[01]\d+$/.test(text)) return false
  const serialAt = 2 + 6 + Number(text[1]) + 6
  return Number(text[1]) <= 6 && text.length === serialAt + 1 + 6 + Number(text[serialAt])
}
