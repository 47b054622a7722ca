import type { KyselyPlugin } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readingAtMost } from '#middleware/data/engine/reading-limit.ts'
import { createArticles } from '#middleware/services/goods/articles.ts'
import { createTransfer } from '#middleware/services/moves/transfers.ts'
import { startWarehouseBench, type WarehouseBench } from '#support/warehouse-bench.ts'

let bench: WarehouseBench
beforeEach(async () => {
  bench = await startWarehouseBench()
})
afterEach(() => bench.close())

type Variant = { readonly article_code: string; readonly name: string; readonly ean?: string }

/** Creates articles with one variant each, for the source or for the destination. */
async function make(owner: 'alder' | 'birch', articles: readonly { name: string; variant: Variant }[]) {
  const inputs = articles.map(({ name, variant }) => ({ name, variants: [variant], place: '' as const }))
  await createArticles(bench.context, bench[owner], inputs)
}

function numbered(prefix: string, count: number, name: (index: number) => string) {
  return Array.from({ length: count }, (_, index) => ({
    name: name(index),
    variant: { article_code: `${prefix}-${index}`, name: 'x' },
  }))
}

const transfer = (codes: readonly string[], context = bench.context): Promise<string> =>
  createTransfer(context, bench.alder, [bench.alder.id, bench.birch.id], {
    fromCustomerId: bench.alder.id,
    toCustomerId: bench.birch.id,
    externalReference: 'T',
    lines: codes.map((code) => ({ code, quantity: 1 })),
  })

/** Returns the number of statements that the creation of a transfer runs. */
async function statementsOf(codes: readonly string[]): Promise<number> {
  let statements = 0
  const count: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements += 1
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  await transfer(codes, { ...bench.context, database: bench.context.database.withPlugin(count) })
  return statements
}

describe('a transfer of variants that the receiving customer does not have', () => {
  it('needs the same number of database statements for 400 lines as for 2', async () => {
    await make(
      'alder',
      numbered('S', 402, (index) => `S${index}`),
    )
    const codes = Array.from({ length: 402 }, (_, index) => `S-${index}`)
    const few = await statementsOf(codes.slice(0, 2))
    expect(await statementsOf(codes.slice(2))).toBe(few)
    expect(
      await bench.rows(
        `select count(*) as copies, count(distinct article_id) as articles from variants
         where customer_id = '${bench.birch.id}' and article_code like 'S-%'`,
      ),
    ).toEqual([{ copies: 402, articles: 402 }])
  })

  it('adds the variants to the oldest article with their name, and does not read thousands of newer articles', async () => {
    await make(
      'birch',
      numbered('D', 3000, () => 'Same'),
    )
    const oldest = `update articles set created_at = '2020' where id =
      (select article_id from variants where article_code = 'D-2345')`
    await bench.rows(`${oldest} returning id`)
    await make(
      'alder',
      numbered('S', 10, () => 'Same'),
    )
    await readingAtMost(40_000, () => transfer(Array.from({ length: 10 }, (_, index) => `S-${index}`)))
    expect(
      await bench.rows(
        `select distinct article_id = (select article_id from variants where article_code = 'D-2345') as oldest
         from variants where customer_id = '${bench.birch.id}' and article_code like 'S-%'`,
      ),
    ).toEqual([{ oldest: 1 }])
  })

  it('is refused if the article that gets the variants would have more than 1000 variants', async () => {
    const variants = Array.from({ length: 999 }, (_, index) => ({ article_code: `D-${index}` }))
    await createArticles(bench.context, bench.birch, [{ name: 'Same', variants, place: '' }])
    await make(
      'alder',
      numbered('S', 2, () => 'Same'),
    )
    await expect(transfer(['S-0', 'S-1'])).rejects.toMatchObject({
      kind: 'invalid',
      fields: {
        customer_to_customer_transfer_lines: ['An article may have 1000 variants at most.'],
      },
    })
    await transfer(['S-0'])
  })

  it('creates only one copy of a variant for several lines with the same EAN', async () => {
    const ean = '8700000000001'
    const variants = ['E-1', 'E-2', 'E-3'].map((code) => ({ article_code: code, name: 'x', ean }))
    await make(
      'alder',
      variants.map((variant) => ({ name: 'E', variant })),
    )
    const id = await transfer(['E-1', 'E-2', 'E-3'])
    const copies = `select id from variants where customer_id = '${bench.birch.id}' and ean = '${ean}'`
    const [copy, ...others] = await bench.rows(copies)
    expect(others).toEqual([])
    expect(
      await bench.rows(`select distinct to_variant_id as id from transfer_lines where transfer_id = '${id}'`),
    ).toEqual([copy])
    expect(await bench.rows(`select count(*) as made from articles where name = 'E'`)).toEqual([{ made: 4 }])
  })
})
