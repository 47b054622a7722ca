export interface Country {
  readonly code: string
  readonly name: string
}

/** Codes that Unicode names without their being countries one sends a parcel from. */
const noCountries = ['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ', 'AC', 'CP', 'CQ', 'DG', 'EA', 'IC', 'TA']
const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')

/** The countries of ISO 3166-1 by name, as the browser's own tables know them. */
export function countries(region: string): readonly Country[] {
  const names = new Intl.DisplayNames([region], { type: 'region', fallback: 'none' })
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => !noCountries.includes(code) && isCurrent(code))
    .flatMap((code): Country[] => {
      const name = names.of(code)
      return name === undefined ? [] : [{ code, name }]
    })
    .toSorted((a, b) => a.name.localeCompare(b.name, region))
}

/** A code that was given up has another one in its place (BU for MM). */
function isCurrent(code: string): boolean {
  return Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`
}

/** The code of a country written out, or what was typed. */
export function countryCode(typed: string, known: readonly Country[]): string {
  const wanted = typed.trim().toLowerCase()
  return known.find(({ name }) => name.toLowerCase() === wanted)?.code ?? typed
}
