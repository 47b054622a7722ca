import { describe, expect, it } from 'vitest'
import { readAs } from '#shared/domain/gs1/read-barcode.ts'

const gtin = '0108712345678906'
const gs = '\u001D'

function codesOf(elements: string): (string | null)[] {
  return readAs('elements', elements, 2026).problems.map(({ code, ai }) => `${ai ?? ''} ${code}`)
}

describe('a GS1 element with a code of an external list', () => {
  it.each([
    ['an assigned country of origin', `${gtin}422528`],
    ['several countries of initial processing', `${gtin}423528056${gs}`],
    ['a processor with an assigned country', `${gtin}7030528ABC${gs}`],
    ['a processor in several countries, which is 999', `${gtin}7030999ABC${gs}`],
    ['a package type of UN/ECE', `003871234567890123457041PX${gs}`],
    ['a package type that GS1 adds', `003871234567890123457041APE${gs}`],
    ['an amount in euros', `4158712345678906802012345${gs}391297812345${gs}`],
    ['a country of delivery', `003871234567890123454307NL${gs}`],
  ])('is accepted with %s', (_, elements) => {
    expect(codesOf(elements)).toEqual([])
  })

  it.each([
    ['422 value', `${gtin}422999`],
    ['426 value', `${gtin}426000`],
    ['423 value', `${gtin}423528999${gs}`],
    ['7031 value', `${gtin}7031998ABC${gs}`],
    ['7041 value', `003871234567890123457041Q9${gs}`],
    ['7041 value', `003871234567890123457041528${gs}`],
    ['3912 value', `4158712345678906802012345${gs}391200112345${gs}`],
    ['4307 value', `003871234567890123454307XX${gs}`],
    ['4307 value', `003871234567890123454307nl${gs}`],
  ])('has the problem %s when its code is not assigned: %s', (problem, elements) => {
    expect(codesOf(elements)).toEqual([problem])
  })
})
