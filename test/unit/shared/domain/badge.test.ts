import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { badgeBarcode, badgeName, parseBadge } from '#shared/domain/badge.ts'
import { parseCommand } from '#support/command-readings.ts'
import { count } from '#support/counts.ts'

const names = fc
  .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 40 })
  .filter((name) => badgeName.test(name))
const invert = (text: string): string =>
  Array.from(text, (one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())).join('')

describe('a badge', () => {
  it('is read as its user name, even if Caps Lock inverts upper and lower case', () => {
    fc.assert(
      fc.property(names, (name) => {
        expect(parseBadge(badgeBarcode(name))).toBe(name)
        expect(parseBadge(invert(badgeBarcode(name)))).toBe(name)
        expect(parseCommand(badgeBarcode(name))).toBeNull()
      }),
      { seed: 21, numRuns: count(200, 5000) },
    )
  })

  it.each(['SDUSR', 'SDCMDHOME', '8712345678906', 'sdUSRanna', 'anna', `SDUSR${'a'.repeat(41)}`, 'SDUSRé'])(
    'is not read from %s',
    (text) => {
      expect(parseBadge(text)).toBeNull()
    },
  )
})
