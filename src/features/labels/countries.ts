import { countryCodes } from '#shared/domain/country.ts'

export interface Country {
  readonly code: string
  readonly name: string
}

/** The countries of ISO 3166-1 by the names that the browser's own tables give them. */
export function countries(region: string): readonly Country[] {
  const names = new Intl.DisplayNames([region], { type: 'region', fallback: 'none' })
  return countryCodes
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .toSorted((a, b) => a.name.localeCompare(b.name, region))
}

/** The code of a country written out, or what was typed. */
export function countryCode(typed: string, known: readonly Country[]): string {
  const wanted = typed.trim().toLowerCase()
  return known.find(({ name }) => name.toLowerCase() === wanted)?.code ?? typed
}
