import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { count } from '#support/counts.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { makeSmallWorld, smallId } from '#support/small-world.ts'

/**
 * These tests are about the search for stock by a part of a code or of the name. The server uses an index to search for
 * texts of three or more characters.
 */
const stock = z.array(z.object({ article_code: z.string() }))

const names = [
  ...[
    'Crème Brûlée',
    'CRÈME BRÛLÉE',
    'creme brulee',
    'Straße 7',
    'STRASSE 7',
    'ΣΊΣΥΦΟΣ',
    'σίσυφος',
    'İstanbul I ı',
  ],
  ...[
    '100% wool',
    '100 wool',
    'under_score',
    'underXscore',
    String.raw`back\slash`,
    'back/slash',
    'say "hi"',
    "it's",
  ],
  ...[
    'a',
    'ab',
    'abc',
    'ABCD',
    'a b c',
    '日本語の本',
    '日本',
    '👟 shoe 👟',
    'e\u0301clair',
    'éclair',
    'near',
    'end',
  ],
  ...[
    'star*',
    'NOT a',
    'a OR b',
    '(paren)',
    'col:on',
    '^caret',
    '+plus',
    '-minus',
    'a--b',
    '  two  spaces  ',
  ],
  // These texts contain the parts of other texts of this list in another sequence.
  ...[
    'aab aaaa',
    'the quick brown fox jumps over the lazy dog',
    'dog the lazy over jumps fox brown quick the',
  ],
]

interface Texts {
  readonly code: string
  readonly ean: string
  readonly sku: string
  name: string
}

const goods: Texts[] = names.map((name, index) => ({
  ...{ code: `W-${index}`, ean: `87${String(index * 7).padStart(4, '0')}`, sku: `s${index}_%x`, name },
}))

let server: TestServer
beforeAll(async () => {
  const world = makeSmallWorld()
  const [pattern] = world.variants
  if (pattern === undefined) throw new Error('The small world has variants')
  const variants = goods.map(({ code, ean, sku, name }, index) => ({
    ...{ ...pattern, id: smallId(1000 + index), articleCode: code, ean, sku, name },
  }))
  const alike = Array.from({ length: 600 }, (_, index) => ({
    ...{ ...pattern, id: smallId(2000 + index), articleCode: `E-${index}-alike`, ean: null, sku: null },
    name: `${index} of many`,
  }))
  server = await startTestServer({
    world: { ...world, variants: [...world.variants, ...variants, ...alike] },
  })
})
afterAll(() => server.close())

/** Returns the article codes of the variants that the search finds. */
async function codesFound(search: string): Promise<string[]> {
  const reply = await server.call(
    `/wms/stock/?limit=1000&sort=articleCode&search=${encodeURIComponent(search)}`,
  )
  expect(reply.status).toBe(200)
  return stock.parse(reply.body).map(({ article_code: code }) => code)
}

/** Returns the codes of those `goods` that the search finds. Other variants of the customer are left out. */
async function found(search: string): Promise<string[]> {
  return (await codesFound(search)).filter((code) => code.startsWith('W-'))
}

/**
 * Returns the codes of the goods that match by the rule of API.md: one of their texts contains the searched part,
 * regardless of the case of ASCII letters.
 */
function expected(search: string): string[] {
  const fold = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const matching = goods.filter((each) =>
    [each.code, each.ean, each.sku, each.name].some((text) => fold(text).includes(fold(search))),
  )
  return matching.map(({ code }) => code).toSorted()
}

describe('the search for stock', () => {
  it.each([
    ...['brûlée', 'BRÛLÉE', 'BRûLéE', 'brulee', 'straße', 'STRASSE', 'σίσυφος', 'istanbul', 'İSTANBUL'],
    ...[
      '%',
      '_',
      '0%',
      '0% ',
      '100%',
      '%%%',
      '___',
      'r_s',
      'under_',
      'ER_SC',
      String.raw`k\s`,
      '\\',
      '"',
      '"hi"',
      "t's",
    ],
    ...[
      'a',
      'A',
      'ab',
      'AB',
      'abc',
      'ABC',
      'abcd',
      'abcde',
      'b c',
      '日本',
      '日本語',
      '本語の',
      '👟',
      '👟 s',
      'e\u0301c',
      'éc',
    ],
    ...[
      'a--',
      '--',
      '---',
      'NOT',
      ' or ',
      'a OR',
      '*',
      'ar*',
      '(pa',
      'n)',
      'l:o',
      '^ca',
      '+pl',
      '-mi',
      '  t',
      'o  s',
    ],
    ...[
      'aaaab',
      'aaaaab',
      'aab',
      'quick brown fox jumps over',
      'quick brown fax jumps over',
      'a'.repeat(2000),
    ],
    ...['W-1', 'w-1', '8700', 's1_%', '_%X', '%X', 'words', 'searched', '\0', 'ab\0'],
  ])('finds the texts that contain %j, regardless of the case of ASCII letters', async (search) => {
    expect(await found(search)).toEqual(expected(search))
  })

  it('finds nothing for a text that begins in one column and ends in the next column', async () => {
    for (const search of ['W-1\n87', '\ns1_', 'x\nab', 'w-1870', '%xabc'])
      expect(await found(search)).toEqual([])
  })

  it('finds a record by any part of its code, EAN, SKU or name', async () => {
    const parts = fc
      .tuple(
        fc.constantFrom(...goods),
        fc.constantFrom('code', 'ean', 'sku', 'name'),
        fc.nat(30),
        fc.integer({ min: 1, max: 12 }),
      )
      .map(([each, column, start, length]) => {
        const letters = Array.from(each[column as keyof Texts])
        const from = start % letters.length
        return letters.slice(from, from + length).join('')
      })
      .filter((part) => part.trim() !== '')
    await fc.assert(
      fc.asyncProperty(parts, async (part) => {
        expect(await found(part)).toEqual(expected(part))
      }),
      { numRuns: count(60, 600), seed: 3 },
    )
  })

  it('finds exactly the codes that contain a text, among hundreds of codes with the same end', async () => {
    expect(await codesFound('e-317-alike')).toEqual(['E-317-alike'])
    expect(await codesFound('e-31-alike')).toEqual(['E-31-alike'])
    expect(await codesFound('17-alike')).toEqual([
      'E-117-alike',
      'E-17-alike',
      'E-217-alike',
      'E-317-alike',
      'E-417-alike',
      'E-517-alike',
    ])
    expect(await codesFound('x-317-alike')).toEqual([])
    expect(await codesFound('-alike')).toHaveLength(600)
    expect(await codesFound('12 of many')).toHaveLength(6)
  })

  it('finds a variant by its changed name, and not by its old name', async () => {
    const [first] = goods
    if (first === undefined) throw new Error('There are goods')
    for (const name of ['Crumble pie', 'CRUMBLE pie', 'Tarte tatin']) {
      const reply = await server.call(`/wms/variants/${smallId(1000)}/`, { method: 'PATCH', body: { name } })
      expect(reply.status).toBe(200)
      first.name = name
      for (const search of ['crumble', 'tarte', 'crème'])
        expect(await found(search)).toEqual(expected(search))
    }
  })

  it('finds no variants of other customers', async () => {
    const reply = await server.call('/wms/stock/?search=brulee', { customer: 'BIRCH' })
    expect(reply.body).toEqual([])
  })
})
