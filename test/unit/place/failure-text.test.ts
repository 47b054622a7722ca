import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failure } from '#shared/errors/catalogue.ts'
import { causeInTheMiddle, printerCause } from '#place/failure-text.ts'

const root = resolve(import.meta.dirname, '../../..')
const drivers = resolve(root, 'electron/printing')
const sources = readdirSync(drivers)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(resolve(drivers, name), 'utf8'))
  .join('\n')
const words = (language: string): Record<string, unknown> =>
  JSON.parse(readFileSync(resolve(root, `resources/i18n/messages/${language}.json`), 'utf8')) as Record<
    string,
    unknown
  >

/**
 * The causes of refusals, as found in the sources of the drivers: `cause: 'x'`, `return 'x'`, and the tables of IPP.
 */
const named = new Set(
  [
    ...sources.matchAll(/kind: 'refused', cause: '(\w+)'/g),
    ...sources.matchAll(/resolve\(\{ cause: '(\w+)' \}\)/g),
    ...sources.matchAll(/if \(.*\) return '([a-z_]+)'$/gm),
    ...sources.matchAll(/^ {2}\['([a-z_]+)', \[/gm),
    ...sources.matchAll(/^ {2}(?:0x0\w{3}|\d{3}): '([a-z_]+)'/gm),
    ...sources.matchAll(/code = '(not_a_device)'|cause = .* \? '(disk_full)' : '\w+'|\? '(silent)' : null/g),
    ...sources.matchAll(
      / : '(folder_unwritable)'|\? '(connect_timeout)' : cause|return isNear .* \? '(\w+)'/g,
    ),
  ].flatMap((match) => match.slice(1).filter(Boolean)),
)
/** Error codes of the operating system for a network connection or a device file. */
const ofTheSystem = [
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['ETIMEDOUT', 'EPIPE', 'ENOENT', 'ENODEV', 'ENXIO', 'EIO', 'EBUSY', 'EACCES', 'EPERM'],
]
const physical = ['paper_out', 'cover_open', 'ribbon_out', 'jammed', 'too_hot', 'paused', 'offline', 'error']

describe('the texts for the causes of a failed print', () => {
  it('exist for each cause in the source code of the drivers, and for usual error codes of the operating system', () => {
    expect([...named]).toEqual(expect.arrayContaining([...physical, 'disk_full', 'no_queue', 'not_a_device']))
    const speechless = [...named, ...ofTheSystem].filter(
      (cause) => printerCause(failure('printer.refused', { cause })) === null,
    )
    expect(speechless).toEqual([])
  })

  it.each(['en', 'nl'])(
    'contain what happened, what to do next and a short form of at most 16 characters, in the language %s',
    (language) => {
      const causes = Object.entries(words(language)).filter(
        ([key]) => key.startsWith('cause_') && key !== 'cause_unknown',
      )
      expect(causes.length).toBeGreaterThan(15)
      for (const [key, text] of causes) {
        const [happened = '', next = '', short = '', ...more] = String(text).split('\n')
        expect(more, key).toEqual([])
        expect(happened.endsWith('.') && next.endsWith('.'), key).toBe(true)
        expect(happened.length, key).toBeLessThanOrEqual(60)
        expect(next.length, key).toBeLessThanOrEqual(75)
        // a longer text does not fit into the status bar
        expect(short.length, key).toBeLessThanOrEqual(16)
        expect(short.length, key).toBeGreaterThan(0)
      }
    },
  )

  it.each(physical)('include a separate text for a print that was interrupted by the cause %s', (cause) => {
    expect(causeInTheMiddle(failure('printer.outcome_unknown', { cause }))).not.toBeNull()
    expect(printerCause(failure('printer.outcome_unknown', { cause }))).toBeNull()
  })

  it('include no separate text for a lost connection, because it would only repeat that the print was interrupted', () => {
    expect(causeInTheMiddle(failure('printer.outcome_unknown', { cause: 'ECONNRESET' }))).toBeNull()
  })
})
