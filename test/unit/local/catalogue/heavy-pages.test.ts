import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readCatalogue, type RoundParts } from '#desk/catalogue/catalogue-round.ts'
import type { ApiOutcome } from '#desk/ports/api.ts'
import { openCatalogueFiles } from '#local/catalogue/catalogue-files.ts'
import { type CataloguePaths, cataloguePaths } from '#local/catalogue/catalogue-disk.ts'
import { openCatalogueReader } from '#local/catalogue/catalogue-reader.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { partsOf, World } from '#support/catalogue-bench.ts'
import { StoreBench } from '#support/store-bench.ts'
import { scopeKeyOf } from '../../../support/ids.ts'

let bench: StoreBench
let paths: CataloguePaths
beforeEach(async () => {
  bench = await StoreBench.create()
  paths = cataloguePaths(bench.dataDir, scopeKeyOf('scope'))
})
afterEach(() => bench.dispose())

const tooLarge: ApiOutcome<never> = {
  kind: 'ambiguous',
  status: 200,
  failure: failure('api.malformed_answer', { cause: 'TOO_LARGE' }),
}
const timeout: ApiOutcome<never> = { kind: 'ambiguous', status: null, failure: failure('network.timeout') }

type Api = RoundParts['api']

/** Runs rounds of the catalogue, each with newly opened files like a new thread, and returns the ends of the rounds. */
async function rounds(world: World, number: number, change: (api: Api) => Partial<Api>): Promise<string[]> {
  const ends: string[] = []
  for (let round = 0; round < number; round++) {
    const files = openCatalogueFiles(paths, false)
    const parts = partsOf(world, files)
    ends.push((await readCatalogue({ ...parts, api: { ...parts.api, ...change(parts.api) } })).kind)
    files.close()
    // this call takes the file of a complete read into use, as main does after each round
    openCatalogueReader(paths.goods, (error) => expect(error).toBeNull()).close()
    world.now += 60_000
  }
  return ends
}

/** Returns the number of stored lots after a complete pass over all lots; null: no pass has ended. */
function storedLots(): number | null {
  const files = openCatalogueFiles(paths, false)
  const { count } = files.lots.facts()
  files.close()
  return count
}

/** `cap`: the maximum number of rows of a page. */
function worldOf(variants: number, lots: number, cap: number): World {
  const world = new World()
  world.cap = cap
  for (let n = 0; n < variants; n++) world.make()
  for (let n = 0; n < lots; n++) world.makeLot()
  return world
}

describe('rounds with pages that the service cannot send', () => {
  it.each([
    ['the first page of all lots', 'asc', (page: number) => page === 1],
    ['the last page of all lots', 'asc', (page: number) => page >= 3],
    ['the second page of all lots', 'asc', (page: number) => page === 2],
    ['the first page of the newest lots', 'desc', (page: number) => page === 1],
  ] as const)('request shorter pages in each round if %s is too large', async (_what, direction, isLarge) => {
    const world = worldOf(1, 700, 250)
    const limits: number[] = []
    await rounds(world, 6, (api) => ({
      listAllBatches(token, query) {
        if (query.direction !== direction || query.limit <= 50 || !isLarge(query.page))
          return api.listAllBatches(token, query)
        limits.push(query.limit)
        return Promise.resolve(tooLarge)
      },
    }))
    expect(limits.slice(0, 2)).toEqual([250, 100])
    expect(limits.length).toBeLessThan(5)
    expect(storedLots()).toBe(700)
  })

  it.each([
    ['all articles', 'createdAt', 1],
    ['the changed articles', 'modifiedAt', 2],
  ] as const)(
    'request shorter pages in each round if a page of %s times out',
    async (_what, sort, before) => {
      const world = worldOf(1_500, 1, 1_000)
      // a first round with quick responses stores all articles, before 600 of them change
      if (before === 2) {
        await rounds(world, 1, () => ({}))
        world.now += 600_000
        for (let n = 0; n < 600; n++) world.change(n)
      }
      const limits: number[] = []
      const ends = await rounds(world, 4, (api) => ({
        listVariants(token, query) {
          if (query.sort !== sort || query.limit <= 250) return api.listVariants(token, query)
          limits.push(query.limit)
          return Promise.resolve(timeout)
        },
      }))
      expect(limits.slice(0, 2)).toEqual([1_000, 500])
      expect(ends).toEqual(['failed', 'failed', 'done', 'done'])
    },
  )
})
