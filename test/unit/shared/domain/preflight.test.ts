import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgeLabel, type LabelPage } from '#shared/domain/preflight.ts'
import { count, seed } from '#support/counts.ts'

const gs = '\u001d'
const nobody = (): null => null
const page = (...texts: string[]): LabelPage => ({ texts, hasUnreadBars: false })
const own = (expected: string[], ...pages: LabelPage[]): string =>
  judgeLabel({ pages, expected, known: nobody }).kind

describe('judgeLabel() returns match', () => {
  it.each([
    ['its tracking code', 'TB123456785NL', 'TB123456785NL'],
    ['whatever its case and groups', 'TB 1234 5678 5 NL', 'tb-1234-5678-5-nl'],
    ['dashes of any sort', 'TB–1234‑5678', 'TB 12345678'],
    ['behind an AIM identifier', ']C1TB123456785NL', 'TB123456785NL'],
    ['as an SSCC', '00006141411234567890', '006141411234567890'],
    [
      'between the fields of a 2D code',
      `[)>\u001e01${gs}025048${gs}840${gs}TB123456785NL${gs}UPSN`,
      'TB123456785NL',
    ],
    ['behind the postal code that sorters read', '42050482920190012345678901234', '920190012345678901234'],
    ['in a link', 'https://track.example/r?code=TB123456785NL&lang=nl', 'TB123456785NL'],
    ['a short label code that stands alone', 'ab-12', 'AB12'],
    ['a short label code that is a field', `400${gs}AB12${gs}77`, 'AB12'],
    ['a short label code that is a part of a link', 'https://l.example/AB12', 'ab12'],
  ])('for the code of the label in this form: %s', (_, text, code) => {
    expect(own([code], page(text))).toBe('match')
  })

  it('for any code of the label on any page', () => {
    const codes = ['TB123456785NL', 'TB123456799NL']
    expect(own(codes, page('5048AB'), page('99999'), page('TB123456799NL', '1'))).toBe('match')
  })

  it('if one page has the code of the label and another page has no barcode, such as a form', () => {
    expect(own(['TB123456785NL'], page('TB123456785NL'), page())).toBe('match')
  })
})

describe('judgeLabel() holds a label', () => {
  const expected = ['TB123456785NL']
  const known = (code: string): string | null => (code === 'TB999999990NL' ? 'SHP00000000007' : null)

  it('if no barcode can be read on any page', () => {
    for (const pages of [[], [page()], [page(''), page()]])
      expect(judgeLabel({ pages, expected, known })).toEqual({
        kind: 'held',
        why: 'nothing_readable',
        page: null,
      })
  })

  it('if a page has bars that cannot be read, even if all codes that can be read match', () => {
    const pages = [page(...expected), { texts: expected, hasUnreadBars: true }]
    expect(judgeLabel({ pages, expected, known })).toEqual({ kind: 'held', why: 'nothing_readable', page: 1 })
  })

  it.each([
    'TB999999990NL',
    'tb 9999 9999 0 nl',
    ']C1TB999999990NL',
    `0195048${gs}TB999999990NL`,
    'https://track.example/TB999999990NL',
  ])('if %j is the code of another label, even if the code of the label itself is also found', (text) => {
    const pages = [page(...expected), page('12345', text, ...expected)]
    expect(judgeLabel({ pages, expected, known })).toEqual({
      kind: 'held',
      why: 'another_label',
      page: 1,
      text,
      reference: 'SHP00000000007',
    })
  })

  it('with the reason another_label, not nothing_readable, if both apply', () => {
    const pages = [{ texts: [], hasUnreadBars: true }, page('TB999999990NL')]
    expect(judgeLabel({ pages, expected, known })).toMatchObject({ why: 'another_label', page: 1 })
  })

  it('with the reason another_label if the page has a code of another label, even if that code begins with the expected code', () => {
    const longer = (code: string): string | null => (code === 'TB123456785NL01' ? 'other' : null)
    expect(judgeLabel({ pages: [page('TB123456785NL01')], expected, known: longer })).toMatchObject({
      why: 'another_label',
    })
  })
})

describe('judgeLabel() returns unlisted', () => {
  it.each([
    ['a product', ['4006381333931'], ['TB123456785NL']],
    ['a short code inside something longer', ['XXAB12YY'], ['AB12']],
    ['a part of its own code', ['TB1234567'], ['TB123456785NL']],
    ['a country', [`TB1${gs}840`], ['840']],
    ['no code to expect yet', ['TB123456785NL'], []],
    ['an empty code to expect', ['TB123456785NL'], ['', ' - ']],
  ])('if no code of the label itself is found: %s', (_, texts, expected) => {
    expect(judgeLabel({ pages: [page(...texts)], expected, known: nobody })).toEqual({
      kind: 'unlisted',
      texts,
    })
  })
})

describe('judgeLabel() for a document with many codes', () => {
  const expected = ['TB123456785NL']
  const longText = (start: number): string =>
    Array.from({ length: 800 }, (_, n) => String(10_000 + start + n)).join('/')

  it('looks up at most 1,000 codes, and returns the beginnings of at most 20 texts', () => {
    const looked: string[] = []
    const known = (text: string): null => (looked.push(text), null)
    const pages = Array.from({ length: 100 }, (_, n) => page(longText(n * 1_000), longText(n * 1_000 + 500)))
    const verdict = judgeLabel({ pages, expected, known })
    expect(looked).toHaveLength(1_000)
    expect(verdict.kind === 'unlisted' && verdict.texts.map(({ length }) => length)).toEqual(
      Array.from({ length: 6 }, () => 100),
    )
  })

  it('finds the code of the label at the end of a long text', () => {
    const pages = [page(`${longText(0)}TB123456785NL`)]
    expect(judgeLabel({ pages, expected, known: nobody }).kind).toBe('match')
  })

  it('stops looking up the codes of a text once it has found the code of another label in this text', () => {
    const looked: string[] = []
    const known = (text: string): string | null => (looked.push(text), text === '10001' ? 'other' : null)
    expect(judgeLabel({ pages: [page(longText(0))], expected, known }).kind).toBe('held')
    expect(looked.slice(1)).toEqual(['10000', '10001'])
  })
})

const code = fc.stringMatching(/^[A-Z]{2}[0-9]{9}[A-Z]{2}$/)
const around = fc.stringMatching(/^[0-9]{0,12}$/)
const runs = { seed, numRuns: count(300, 20_000) }

describe('judgeLabel() for any label', () => {
  it('returns match if a page has the code of the label, unless a page has the code of another label', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(code, { minLength: 2, maxLength: 6 }),
        around,
        around,
        fc.nat(),
        (codes, before, after, at) => {
          const [mine = '', ...others] = codes
          const known = (text: string): string | null => (others.includes(text) ? `label of ${text}` : null)
          const grouped = mine.replaceAll(/(.{4})/g, '$1 ').toLowerCase()
          const pages = [page('unheard of'), page(before + grouped + after)]
          expect(judgeLabel({ pages, expected: [mine], known }).kind).toBe('match')
          const stray = others[at % others.length] ?? ''
          expect(judgeLabel({ pages: [...pages, page(stray)], expected: [mine], known })).toEqual({
            kind: 'held',
            why: 'another_label',
            page: 2,
            text: stray,
            reference: `label of ${stray}`,
          })
          expect(judgeLabel({ pages: [page(stray)], expected: [mine], known: nobody }).kind).toBe('unlisted')
        },
      ),
      runs,
    )
  })

  it('returns the same result for any order of the codes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(code, around), { maxLength: 5 }),
        code,
        fc.boolean(),
        (texts, mine, has) => {
          const all = has ? [...texts, mine] : texts
          const known = (text: string): string | null =>
            text.startsWith('X') && text !== mine ? 'other' : null
          const forth = judgeLabel({ pages: [page(...all)], expected: [mine], known })
          const back = judgeLabel({ pages: [page(...all.toReversed())], expected: [mine], known })
          expect(back.kind).toBe(forth.kind)
        },
      ),
      runs,
    )
  })
})
