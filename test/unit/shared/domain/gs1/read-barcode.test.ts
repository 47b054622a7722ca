import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gs1CheckDigit } from '#shared/domain/gtin.ts'
import { specOf } from '#shared/domain/gs1/ai-table.ts'
import { fullYear } from '#shared/domain/gs1/dates.ts'
import { readAs, readBarcode } from '#shared/domain/gs1/read-barcode.ts'
import { count, seed } from '#support/counts.ts'
import { digitalLinkOf } from '#support/digital-link-of.ts'

const year = 2026
const gtin = '08712345678906'
const sscc = `08712345000000001${String(gs1CheckDigit('08712345000000001'))}`

describe('readBarcode()', () => {
  it.each([
    [']E08712345678906', { reading: 'gtin', gtin, symbology: ']E0' }],
    ['8712345678906', { reading: 'gtin', gtin, symbology: null }],
    ['8712345678907', { reading: 'text', gtin: null }],
    [`]C101${gtin}10LOT-7`, { reading: 'elements', gtin, lot: 'LOT-7' }],
    [`]d201${gtin}17261200\u001D10A1\u001D21S-9`, { gtin, expiry: '2026-12-31', lot: 'A1', serial: 'S-9' }],
    [`01${gtin}15270229`, { reading: 'text' }],
    [`01${gtin}15270228`, { reading: 'elements', gtin, expiry: '2027-02-28' }],
    [`\u001D01${gtin}`, { reading: 'elements', gtin }],
    [`]C100${sscc}`, { reading: 'elements', sscc }],
    [`https://id.gs1.org/01/${gtin}/10/LOT-7?17=261231`, { reading: 'link', gtin, lot: 'LOT-7' }],
    [`]Q1https://shop.example/01/${gtin}`, { reading: 'link', gtin }],
    ['https://shop.example/returns/12', { reading: 'text', gtin: null }],
    ['3SABCD1234567890', { reading: 'text' }],
    [']C03SABCD1234567890', { reading: 'text', text: '3SABCD1234567890', symbology: ']C0' }],
    ['', { reading: 'text', text: '' }],
  ] as const)('reads %j without a problem', (scanned, expected) => {
    expect(readBarcode(scanned, year)).toMatchObject({ problems: [], ...expected })
  })

  it.each([
    [']E08712345678907', ['check_digit']],
    [']E0871234567890', ['check_digit', 'length']],
    [`]C101${gtin.slice(0, 13)}7`, ['check_digit']],
    [`]C10A01${gtin}`, ['unknown_ai']],
    [']C110LOT-7', ['required']],
    [`]C101${gtin}10${'A'.repeat(21)}`, ['length']],
    [`]C101${gtin}17260230`, ['date']],
    [`]C101${gtin}\u001D10A\u001D10B`, ['repeated']],
    [`]C101${gtin}3712`, ['excluded', 'required']],
    [`]e0\u001D01${gtin}`, ['separator']],
    [`]C101${gtin}10a€b`, ['characters']],
    [']C1', ['empty']],
    [`]d1https://id.gs1.org/01/${gtin}?10=A`, ['link']],
  ])('reports for the barcode %j the problems %j', (scanned, codes) => {
    const read = readBarcode(scanned, year)
    expect(read.problems.map(({ code }) => code).toSorted()).toEqual(codes.toSorted())
  })

  it.each([
    [`(01)${gtin}(10)LOT-7`, { gtin, lot: 'LOT-7' }],
    [` (01) ${gtin} (17) 261200 (10) A1 (21) S-9 `, { gtin, expiry: '2026-12-31', lot: 'A1', serial: 'S-9' }],
    [`(01)${gtin}(10)A(1)B)(`, { gtin, lot: 'A(1)B)(' }],
    [`(01)${gtin}(10)A\\(21)B`, { gtin, lot: 'A(21)B', serial: null }],
    [`(00)${sscc}`, { sscc }],
    [`]C0(01)${gtin}(10)A1`, { gtin, lot: 'A1', symbology: ']C0' }],
  ])('reads %j as GS1 data with its identifiers in brackets', (scanned, expected) => {
    expect(readBarcode(scanned, year)).toMatchObject({ reading: 'bracketed', problems: [], ...expected })
  })

  it.each([
    `(01)${gtin.slice(0, 13)}7(10)LOT-7`,
    `(01)${gtin}1(10)LOT-7`,
    `(01)${gtin}(17)260230`,
    `(01)${gtin}(10)`,
    `(99)LOT-7`,
    `(05)${gtin}`,
    `x(01)${gtin}`,
    '(01)',
    '()',
  ])('reads no GS1 data from %j', (scanned) => {
    expect(readBarcode(scanned, year)).toMatchObject({ reading: 'text', gtin: null, elements: [] })
  })

  it('returns the readable elements of faulty GS1 data', () => {
    expect(readBarcode(`]C101${gtin}17260230\u001D10A1`, year)).toMatchObject({
      gtin,
      lot: 'A1',
      expiry: null,
    })
  })

  it('never throws, and never returns more elements than the text has characters', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '\u001D',
        ']C1',
        ']d2',
        '01',
        '10',
        '17',
        '8200',
        '3103',
        'https://',
        '/01/',
        '?',
        '&',
        '%',
        '(01)',
        '(10)',
        '\\(',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.stringMatching(/^\d{1,20}$/),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const read = readBarcode(pieces.join(''), year)
        expect(read.elements.length).toBeLessThanOrEqual(pieces.join('').length / 2)
        expect(digitalLinkOf(read.elements) ?? 'https://').toMatch(/^https:\/\//)
      }),
      { seed, numRuns: count(500, 50_000) },
    )
  })
})

describe('GS1 elements', () => {
  const text82 = fc.stringMatching(/^[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]{1,20}$/)
  const number = fc.stringMatching(/^[1-9]\d{12}$/).map((digits) => digits + String(gs1CheckDigit(digits)))

  it('are the same after they were written as a link and read again', () => {
    fc.assert(
      fc.property(number, text82, text82, (article, lot, serial) => {
        const read = readAs('elements', `01${article}10${lot}\u001D21${serial}`, year)
        expect(read).toMatchObject({ problems: [], gtin: article, lot, serial })
        const link = readAs('link', digitalLinkOf(read.elements) ?? '', year)
        expect(link).toMatchObject({ problems: [], gtin: article, lot, serial, elements: read.elements })
      }),
      { seed, numRuns: count(200, 20_000) },
    )
  })

  /** Elements of a few application identifiers, with values that the table of identifiers allows. */
  const element = fc.oneof(
    number.map((value) => ({ ai: '01', value })),
    fc
      .constantFrom('10', '21', '22', '240', '241', '710', '90', '99')
      .chain((ai) => text82.map((value) => ({ ai, value }))),
    fc
      .constantFrom('11', '15', '17')
      .chain((ai) => fc.constantFrom('260131', '270200', '991231').map((value) => ({ ai, value }))),
    fc
      .constantFrom('3103', '3922', '30')
      .chain((ai) => fc.stringMatching(/^\d{6}$/).map((value) => ({ ai, value }))),
  )

  it('are read the same in brackets as with separators, whether they are valid or not', () => {
    fc.assert(
      fc.property(fc.array(element, { minLength: 1, maxLength: 6 }), (elements) => {
        const separated = elements
          .map(({ ai, value }) => `${ai}${value}\u001D`)
          .join('')
          .slice(0, -1)
        const inBrackets = elements.map(({ ai, value }) => `(${ai})${value.replaceAll('(', '\\(')}`).join('')
        const expected = readAs('elements', separated, year)
        const read = readAs('bracketed', inBrackets, year)
        expect(read.elements).toEqual(elements)
        expect({ ...read, text: '', reading: '' }).toEqual({ ...expected, text: '', reading: '' })
        const isKnown = expected.gtin !== null && expected.problems.length === 0
        expect(readBarcode(inBrackets, year).gtin).toBe(isKnown ? expected.gtin : null)
      }),
      { seed, numRuns: count(500, 50_000) },
    )
  })

  it('in brackets are not read as GS1 data if a check digit is wrong', () => {
    fc.assert(
      fc.property(number, text82, fc.integer({ min: 1, max: 9 }), (article, lot, by) => {
        const wrong = article.slice(0, 13) + String((Number(article[13]) + by) % 10)
        const read = readAs('bracketed', `(01)${wrong}(10)${lot.replaceAll('(', '\\(')}`, year)
        expect(read.problems).toEqual([{ code: 'check_digit', ai: '01' }])
        expect(readBarcode(`(01)${wrong}`, year)).toMatchObject({ reading: 'text', gtin: null })
      }),
      { seed, numRuns: count(200, 20_000) },
    )
  })

  it('yield the same GTIN and lot in both orders, with or without a separator after the GTIN', () => {
    fc.assert(
      fc.property(number, text82, fc.boolean(), (article, lot, isSeparated) => {
        const first = readAs('elements', `01${article}${isSeparated ? '\u001D' : ''}10${lot}`, year)
        const last = readAs('elements', `10${lot}\u001D01${article}${isSeparated ? '\u001D' : ''}`, year)
        expect(last).toMatchObject({ problems: [], gtin: first.gtin, lot: first.lot })
      }),
      { seed, numRuns: count(200, 20_000) },
    )
  })
})

describe('the rules for GS1 data', () => {
  it('contain defined identifiers of two to four digits, and no undefined identifier', () => {
    expect(['00', '253', '3105', '3943', '99'].map((ai) => specOf(ai)?.ai)).toEqual([
      '00',
      '253',
      '3105',
      '3943',
      '99',
    ])
    expect(['05', '3106', '3944', '100', ''].map(specOf)).toEqual([null, null, null, null, null])
  })

  it('complete the two digits of a year to the nearest year', () => {
    expect([26, 76, 77, 0, 99].map((digits) => fullYear(digits, year))).toEqual([
      2026, 2076, 1977, 2000, 1999,
    ])
    expect([0, 40, 41, 99].map((digits) => fullYear(digits, 2090))).toEqual([2100, 2140, 2041, 2099])
  })
})
