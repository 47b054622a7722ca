import { describe, expect, it } from 'vitest'
import { locales } from '#messages/runtime.js'
import { languageCodes, languageOf, nextLanguage } from '#shared/domain/languages.ts'

describe('the table of languages', () => {
  it('has a row for each language with messages, and no other', () => {
    expect([...languageCodes].toSorted()).toEqual([...locales].toSorted())
  })

  it.each([
    ['nl', 'nl'],
    ['nl-BE', 'nl'],
    ['en_GB', 'en'],
    ['nlx', null],
    ['', null],
    [null, null],
  ] as const)('reads the tag %s as %s', (tag, language) => {
    expect(languageOf(tag)).toBe(language)
  })

  it('leads from each language to the next language, and from the last language to the first', () => {
    const seen = languageCodes.reduce((all) => [...all, nextLanguage(all.at(-1) ?? 'en')], [languageCodes[0]])
    expect(seen).toEqual([...languageCodes, languageCodes[0]])
  })
})
