import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { meaningsOf } from '#shared/domain/barcode/meanings.ts'
import { gs1CheckDigit } from '#shared/domain/gtin.ts'
import { count, seed } from '#support/counts.ts'

/** The string methods with which the reader examines a text, each with the maximum number of characters per call. */
const looks = {
  slice: (_: string, result: unknown) => String(result).length,
  charAt: () => 1,
  at: () => 1,
  charCodeAt: () => 1,
  startsWith: () => 4,
  trim: (text: string) => text.length,
  split: (text: string) => text.length,
  toUpperCase: (text: string) => text.length,
  replace: (text: string) => text.length,
  replaceAll: (text: string) => text.length,
  padStart: (_: string, result: unknown) => String(result).length,
} as const

type Cost = (text: string, result: unknown) => number

/**
 * Returns the number of characters that one use of a pattern examines. A global or sticky pattern starts where its
 * previous use ended.
 */
function scanned({ global, sticky, lastIndex }: RegExp, text: string, from: number): number {
  if (!global && !sticky) return text.length
  return (lastIndex === 0 ? text.length : lastIndex) - from
}

/**
 * Counts the characters that a function examines with string methods and patterns. The count measures the work of the
 * function independently of the load on the machine.
 */
function charactersLookedAt(act: () => void): number {
  let count = 0
  const undo: (() => void)[] = []
  const wrap = (target: object, name: string, cost: Cost): void => {
    const before: unknown = Reflect.get(target, name)
    if (typeof before !== 'function') throw new Error(`no method ${name}`)
    undo.push(() => void Reflect.set(target, name, before))
    Reflect.set(target, name, function counted(this: unknown, ...args: unknown[]): unknown {
      const from = this instanceof RegExp ? this.lastIndex : 0
      const result: unknown = Reflect.apply(before, this, args)
      count += this instanceof RegExp ? scanned(this, String(args[0]), from) : cost(String(this), result)
      return result
    })
  }
  for (const [name, cost] of Object.entries(looks)) wrap(String.prototype, name, cost)
  wrap(RegExp.prototype, 'exec', () => 0)
  wrap(RegExp.prototype, 'test', () => 0)
  try {
    act()
  } finally {
    for (const one of undo) one()
  }
  return count
}

const year = 2026
const sscc = '003404341234567895'
const read = (text: string) => meaningsOf(text, year)
const kinds = (text: string): string[] => read(text).readings.map(({ kind }) => kind)

describe('meaningsOf()', () => {
  it.each([
    ['8712345678906', ['ean13'], '08712345678906'],
    [']E08712345678906', ['ean13'], '08712345678906'],
    [']E00012345678905', ['ean13'], '00012345678905'],
    ['012345678905', ['upc_a'], '00012345678905'],
    [']E0012345678905', ['upc_a'], '00012345678905'],
    ['96385074', ['ean8'], '00000096385074'],
    [']E496385074', ['ean8'], '00000096385074'],
    ['18712345678903', ['itf14'], '18712345678903'],
    [']I118712345678903', ['itf14'], '18712345678903'],
    ['9780306406157', ['isbn13'], '09780306406157'],
    ['978-0-306-40615-7', ['isbn13'], '09780306406157'],
    ['0306406152', ['isbn10'], '09780306406157'],
    ['ISBN 0-306-40615-2', ['isbn10'], '09780306406157'],
    ['0-8044-2957-X', ['isbn10'], '09780804429573'],
    ['080442957x', ['isbn10'], '09780804429573'],
    [`]C10108712345678906`, ['gs1'], '08712345678906'],
    ['https://id.gs1.org/01/08712345678906/10/A', ['link'], '08712345678906'],
    ['(01)08712345678906(10)A', ['gs1'], '08712345678906'],
  ])('reads %s as %j', (text, expected, gtin) => {
    expect(kinds(text)).toEqual(expected)
    expect(read(text).readings[0]?.gtin).toBe(gtin)
    expect(read(text).isMisread).toBe(false)
    expect(read(text).articles).toContain(gtin)
  })

  it.each([
    // UPC-E codes of both number systems, with different digits before the check digit; this digit encodes which zeros
    // are omitted
    ['01234505', '012000003455'],
    ['01234514', '012100003454'],
    ['01234523', '012200003453'],
    ['01234531', '012300000451'],
    ['01234543', '012340000053'],
    ['01234558', '012345000058'],
    ['01234565', '012345000065'],
    ['01234596', '012345000096'],
    ['11234502', '112000003452'],
    ['11234555', '112345000055'],
  ])('reads %s as the UPC-E of %s', (short, long) => {
    expect(read(`]E0${short}`).readings).toEqual([
      { kind: 'upc_e', gtin: long.padStart(14, '0'), reason: 'identifier' },
    ])
    expect(read(short).readings.map(({ kind, gtin }) => [kind, gtin])).toContainEqual([
      'upc_e',
      long.padStart(14, '0'),
    ])
    expect(kinds(`]E4${short}`)).not.toContain('upc_e')
  })

  it('distinguishes EAN-8 from UPC-E by identifier or check digit, and returns both if both fit', () => {
    const both = Array.from({ length: 10_000 }, (_, at) => `0${String(at).padStart(4, '0')}00`)
      .map((seven) => seven + String(gs1CheckDigit(seven)))
      .find((one) => kinds(one).length === 2)
    expect(kinds(both ?? '')).toEqual(['ean8', 'upc_e'])
    expect(kinds(`]E4${both ?? ''}`)).toEqual(['ean8'])
    expect(kinds(`]E0${both ?? ''}`)).toEqual(['upc_e'])
    expect(kinds(`]C0${both ?? ''}`)).toEqual(['ean8'])
    expect(kinds('21234558')).toEqual([])
  })

  it('reads ten bare digits as an ISBN only if their check digit is right and no carrier’s format matches', () => {
    expect(kinds('0306406153')).toEqual([])
    // an ISBN that is also a waybill of DHL Express, because its last digit equals the number that its first nine
    // digits form, modulo 7
    const claimed = Array.from({ length: 500 }, (_, at) => `03064${String(at).padStart(4, '0')}`)
      .map((nine) => nine + String(Number(nine) % 7))
      .find((ten) => kinds(`ISBN ${ten}`).length > 0)
    expect(kinds(claimed ?? '')).toEqual([])
    expect(kinds(`ISBN ${claimed ?? ''}`)).toEqual(['isbn10'])
  })

  it('returns the ISBN-10 of a book as a further code of the article', () => {
    expect(read('9780306406157').articles).toEqual(['9780306406157', '09780306406157', '0306406152'])
    expect(read('9791034567895').articles).not.toContain('1034567895')
  })

  it('returns the SSCC of a transport unit with and without the identifier 00', () => {
    expect(read(`]C100${sscc}`).parcels).toEqual([`00${sscc}`, sscc])
    expect(read(sscc).parcels).toEqual([sscc, `00${sscc}`])
    expect(read(`00${sscc}`).parcels).toEqual([`00${sscc}`, sscc])
    expect(kinds(sscc)).toEqual(['sscc'])
    expect(read('003404341234567890').parcels).toEqual(['003404341234567890'])
  })

  it('reports a number with a wrong check digit as misread, unless it has the form of a carrier’s number', () => {
    expect(['8712345678905', '96385075', '012345678902'].map((text) => read(text).isMisread)).toEqual([
      true,
      true,
      true,
    ])
    expect(['8712345678906', 'A-1', '986578788855', '01234558'].map((text) => read(text).isMisread)).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  it('returns the GTIN of GS1 data, and otherwise the text itself, as the first code of an article', () => {
    expect(read(']C1010871234567890610LOT').articles).toEqual(['08712345678906'])
    expect(read('01234558').articles[0]).toBe('01234558')
  })

  it.each([
    ['NL-10980', ['#NL-10980'], ['NL-10980', '#NL-10980']],
    ['#NL-10980', ['NL-10980'], ['#NL-10980', 'NL-10980']],
    ['nl-10980', ['#NL-10980'], ['nl-10980']],
    ['#NL-10980.R', ['NL-10980.R'], ['#NL-10980.R', 'NL-10980.R']],
    // a text of another kind, such as the number of an article, is not the reference of an order, so `orders` contains
    // only the text itself, and no spelling with # added or removed
    ['8712345678906', ['#8712345678906'], ['8712345678906']],
    ['SHP00000000412', ['#SHP00000000412'], ['SHP00000000412']],
    ['a b', [], ['a b']],
    ['#', [], ['#']],
  ])('returns for the order reference %j the spellings with # added or removed: %j', (text, near, orders) => {
    expect(read(text)).toMatchObject({ nearParcels: near, orders })
  })

  it.each([
    ['https://sendung.bergfink.example/?nr=34043412345', ['34043412345']],
    ['HTTPS://VOLGEN.POLDERPOST.EXAMPLE/PPABC123456', ['PPABC123456']],
    ['www.marlpit.example/track/MC%20123%20456/', ['MC123456']],
    [']Q1https://shop.example/orders/%23NL-10980?lang=nl#top', ['#NL-10980']],
    ['https://post.example/#/parcel?code=XY-99881123&zip=1234', ['XY-99881123', '99881123']],
    ['https://post.example/track-and-trace/AB12345678-NL-1011AB', ['AB12345678-NL-1011AB', 'AB12345678']],
    ['https://post.example/%E0%A4%A?id=77', ['%E0%A4%A']],
  ])('finds possible parcel codes in %j', (text, codes) => {
    expect(read(text).nearParcels).toEqual(expect.arrayContaining(codes))
    expect(read(text).orders).toEqual(codes.slice(0, 1))
  })

  it.each([
    'https://shop.example/',
    'https://shop.example/returns/12',
    'https://shop123456.example/help?p=1',
  ])('finds no possible parcel code in %j', (text) => {
    expect(read(text)).toMatchObject({ nearParcels: [], orders: [text] })
  })

  it('returns at most 24 possible parcel codes for a long web address', () => {
    const address = `https://post.example/?${Array.from({ length: 500 }, (_, at) => `a=${String(at)}00000`).join('&')}`
    expect(read(address).nearParcels.length).toBeLessThanOrEqual(24)
  })

  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        '\u001D',
        ']C1',
        ']E0',
        '01',
        '00',
        '3S',
        '1Z',
        '%',
        'ISBN',
        '-',
        'X',
        'JVGL',
        'UPSN',
        'https://',
        '/?a=',
        '(01)',
        '#',
        '420',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.stringMatching(/^\d{1,34}$/),
    ),
    { maxLength: 30 },
  )

  it('never throws, and returns the meanings of a text in the same order every time', () => {
    fc.assert(
      fc.property(pieces, (all) => {
        const text = all.join('')
        const one = read(text)
        expect(read(text)).toEqual(one)
        expect(one.articles.length).toBeGreaterThan(0)
        expect(one.parcels.length).toBeLessThanOrEqual(9)
        expect(new Set(one.parcels).size).toBe(one.parcels.length)
        const near = new Set([...one.parcels, ...one.nearParcels])
        expect(near.size).toBe(one.parcels.length + one.nearParcels.length)
        expect(one.nearParcels.length).toBeLessThanOrEqual(24)
        expect([1, 2]).toContain(one.orders.length)
      }),
      { seed, numRuns: count(500, 50_000) },
    )
  })

  it('needs a number of steps in proportion to the length of the text', () => {
    const unit = [
      '0108712345678906',
      '10ABC\u001D',
      '1Z',
      ' - ',
      '978',
      '%',
      '\u001D',
      '/01/',
      'X0',
      '(10)',
      '/a?b=1',
    ]
    const first = ['', 'https://a.example/', '(01)08712345678906']
    for (const [head, part] of first.flatMap((one) => unit.map((other) => [one, other] as const))) {
      const work = (times: number): number => charactersLookedAt(() => void read(head + part.repeat(times)))
      const [once, tenfold] = [work(400), work(4_000)]
      expect(tenfold, part).toBeLessThan(once * 14 + 20_000)
    }
  })
})

describe('charactersLookedAt()', () => {
  it('detects work that grows with the square of the length', () => {
    const work = (length: number): number => {
      const text = 'a'.repeat(length)
      return charactersLookedAt(() => {
        for (let at = 0; at < length; at++) text.slice(at)
      })
    }
    expect(work(1_000)).toBeGreaterThan(work(100) * 90)
  })
})
