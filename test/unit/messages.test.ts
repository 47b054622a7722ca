import { describe, expect, it } from 'vitest'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deskStopped, errorCodes, failure, messageKey } from '#shared/errors/catalogue.ts'
import { languageCodes } from '#shared/domain/languages.ts'
import { failureText } from '#place/failure-text.ts'

const folder = join(import.meta.dirname, '../../resources/i18n/messages')

/** Every text of a language by key; the forms of a plural have separate keys. */
function textsOf(language: string): Map<string, string> {
  const parsed: unknown = JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8'))
  const texts = new Map<string, string>()
  const walk = (key: string, value: unknown): void => {
    if (typeof value === 'string') texts.set(key, value)
    else if (Array.isArray(value) && isVariant(value[0])) {
      for (const [form, text] of Object.entries(value[0].match)) walk(`${key}[${form}]`, text)
    } else throw new Error(`${language}: ${key} is neither a text nor a plural`)
  }
  for (const [key, value] of Object.entries(parsed ?? {})) if (key !== '$schema') walk(key, value)
  return texts
}

function isVariant(value: unknown): value is { match: Record<string, unknown> } {
  return typeof value === 'object' && value !== null && 'match' in value && typeof value.match === 'object'
}

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').toSorted()
}

const en = textsOf('en')
const others = languageCodes.filter((code) => code !== 'en').map((code) => ({ code, texts: textsOf(code) }))

describe('the messages', () => {
  it.each(others)('have the same keys in English and in $code', ({ texts }) => {
    expect([...texts.keys()].toSorted()).toEqual([...en.keys()].toSorted())
    expect(en.size).toBeGreaterThan(150)
  })

  it.each(languageCodes)('are never empty in the language %s', (code) => {
    const empty = [...textsOf(code)].filter(([, text]) => text.trim() === '').map(([key]) => key)
    expect(empty).toEqual([])
  })

  it.each([...en])('have the same placeholders in all languages: %s', (key, text) => {
    for (const { texts } of others) expect(placeholders(texts.get(key) ?? '')).toEqual(placeholders(text))
  })
})

describe('the messages of failures', () => {
  const keys = [...en.keys()].filter((key) => key.startsWith('error_')).toSorted()

  it('exist for exactly the errors of the catalogue', () => {
    expect(keys).toEqual(errorCodes.map((code) => messageKey(code)).toSorted())
  })

  it.each(errorCodes)('have three lines: what happened, what is safe and what to do next: %s', (code) => {
    const { happened, safe, next } = failureText(failure(code))
    expect(`${happened}\n${safe}\n${next}`).toBe(en.get(messageKey(code)))
    for (const texts of [en, ...others.map((other) => other.texts)])
      expect(
        texts
          .get(messageKey(code))
          ?.split('\n')
          .filter((line) => line.trim()),
      ).toHaveLength(3)
  })

  it('name the side of the paper that is too small for a sheet', () => {
    const said = (side: string): string =>
      failureText(failure('printer.sheet_too_large', { side, neededMm: 39, printableMm: 32 })).happened
    expect(said('height')).toMatch(/too low.*39 mm of height.*32 mm/)
    expect(said('width')).toMatch(/too narrow.*39 mm of width.*32 mm/)
  })

  it('name the reason why the sandbox did not start, and promise no restart', () => {
    const said = (cause: string): string => {
      const { happened, next } = failureText(failure('station.embedded_failed', { cause }))
      return `${happened} ${next}`
    }
    expect(said('disk_full')).toMatch(/disk .* is full.*Make room/)
    expect(said('folder_in_use')).toMatch(/another program.*Close that program/)
    expect(said('damaged')).toMatch(/damaged.*Call support/)
    expect(said('no_access')).toMatch(/may not use its folder.*administrator/)
    expect(said('crashed')).toMatch(/several times.*Close Scandesk/)
    expect(said('SQLITE_IOERR')).toMatch(/the log has the reason.*Close Scandesk/)
  })

  it('contain the wait before the next login if the service sent a wait', () => {
    const next = (params: Record<string, number>): string =>
      failureText(failure('session.too_many_logins', params)).next
    expect(next({ waitSeconds: 40 })).toBe('Wait 40 s, then log in again.')
    expect(next({ waitSeconds: 3600 })).toBe('Wait 60 min, then log in again.')
    expect(next({})).toBe('Wait a minute, then log in again.')
  })

  it('say that Scandesk was stopped if the stop caused an unknown outcome', () => {
    for (const code of ['return_label', 'modification', 'printer'] as const) {
      const said = (cause: string): string =>
        failureText(failure(`${code}.outcome_unknown`, { cause })).happened
      expect(said(deskStopped)).toMatch(/^Scandesk was stopped/)
      expect(said('network.timeout')).not.toMatch(/Scandesk was stopped/)
    }
  })

  it('quote at most 120 characters of the reason that the service sent', () => {
    const refused = (reason: string): string => failureText(failure('api.rejected', { reason })).happened
    expect(refused('Location not found.')).toBe('The service refused this: “Location not found.”')
    expect(refused(' ')).toBe('The service refused this.')
    expect(refused('x'.repeat(200))).toBe(`The service refused this: “${'x'.repeat(119)}…”`)
    expect(failureText(failure('api.unavailable', { reason: 'no' })).happened).not.toContain('no”')
  })
})
