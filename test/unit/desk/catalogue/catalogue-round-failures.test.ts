import { describe, expect, it } from 'vitest'
import { readCatalogue, type RoundParts } from '#desk/catalogue/catalogue-round.ts'
import type { ApiOutcome } from '#desk/ports/api.ts'
import type { LotsNews, SyncProgress } from '#desk/ports/catalogue-store.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { MemoryFiles, partsOf, World } from '#support/catalogue-bench.ts'

const hourMs = 3600_000
const unavailable = failure('api.unavailable', { status: 500 })
const broken: ApiOutcome<never> = { kind: 'ambiguous', status: 500, failure: unavailable }
const timeout: ApiOutcome<never> = { kind: 'ambiguous', status: null, failure: failure('network.timeout') }
const malformed: ApiOutcome<never> = {
  kind: 'ambiguous',
  status: 200,
  failure: failure('api.malformed_answer'),
}
const offline: ApiOutcome<never> = { kind: 'not_sent', failure: failure('network.offline', { host: 'h' }) }

type Query = Parameters<RoundParts['api']['listVariants']>[1]

/** A service with a hundred articles and five lots, and files without a copy of them. */
function filled() {
  const world = new World()
  const files = new MemoryFiles()
  world.cap = 10
  for (let n = 0; n < 100; n++) world.make()
  for (let n = 0; n < 5; n++) world.makeLot()
  return { world, files, parts: partsOf(world, files) }
}

/** Like `filled`, but with a complete copy, after which one article and one lot were added at the service. */
async function copied() {
  const { world, files, parts } = filled()
  await readCatalogue(parts)
  world.make()
  world.makeLot()
  return { world, files, parts }
}

const missingIn = (world: World, files: MemoryFiles): number[] => [
  [...world.rows.keys()].filter((id) => !files.current.has(id)).length,
  world.lots.filter(({ id }) => !files.lots.current.has(id)).length,
]

/** Returns `parts` with the outcome `bad` for the queries of variants that `isBad` selects. */
function withVariants(
  parts: RoundParts,
  isBad: (query: Query) => boolean,
  bad: ApiOutcome<never>,
): RoundParts {
  const { api } = parts
  const listVariants: typeof api.listVariants = (token, query) =>
    isBad(query) ? Promise.resolve(bad) : api.listVariants(token, query)
  return { ...parts, api: { ...api, listVariants } }
}

const isFull = ({ sort }: Query): boolean => sort === 'createdAt'

describe('a catalogue round in which the service does not return one list', () => {
  it.each([
    ['the service fails', broken],
    ['the call times out', timeout],
    ['the response is malformed', malformed],
  ])(
    'reads the articles and lots if %s for the list of shipping methods and the list of location types, and reports both failures',
    async (_what, bad) => {
      const { world, files, parts } = filled()
      const listLocationTypes = (): Promise<ApiOutcome<never>> => Promise.resolve(bad)
      const api = { ...parts.api, listLocationTypes, listShippingMethods: listLocationTypes }
      const end = await readCatalogue({ ...parts, api })
      expect(missingIn(world, files)).toEqual([0, 0])
      const cause = 'failure' in bad && bad.failure
      expect(end).toEqual({
        kind: 'failed',
        failure: cause,
        lists: { variants: null, fullRead: null, shippingmethods: cause, locationtypes: cause },
      })
    },
  )

  it('keeps the copy up to date while a page of the daily complete read always fails', async () => {
    const { world, files, parts } = await copied()
    world.now += 25 * hourMs
    const bad = withVariants(
      parts,
      (query) => isFull(query) && query.page === 5 && query.limit === 10,
      broken,
    )
    for (let hour = 0; hour < 24; hour++) {
      world.make()
      world.makeLot()
      world.now += 7 * hourMs
      const end = await readCatalogue(bad)
      expect(missingIn(world, files)).toEqual([0, 0])
      expect(world.now - (files.watermark ?? 0)).toBeLessThan(hourMs)
      expect(end).toMatchObject({ kind: 'failed', lists: { variants: null, fullRead: unavailable } })
    }
    await readCatalogue(parts)
    expect(await readCatalogue(parts)).toEqual({ kind: 'done' })
  })

  it('reads the lots, and reports the failure of the articles, while the first complete read of the articles fails', async () => {
    const { world, files, parts } = filled()
    const told: (SyncProgress | null)[] = []
    const progress = (one: SyncProgress | null): void => void told.push(one)
    const isBad = (query: Query): boolean => query.page === 5 && query.limit === 10
    const bad = { ...withVariants(parts, isBad, broken), listener: { ...parts.listener, progress } }
    const heard: unknown[] = []
    const lots = (): void => void heard.push(told.at(-1))
    const end = await readCatalogue({ ...bad, listener: { ...bad.listener, lots } })
    expect(end).toMatchObject({ kind: 'failed', failure: unavailable, lists: { variants: unavailable } })
    expect(missingIn(world, files)).toEqual([100, 0])
    // the progress of the failed read is not shown while the lots are read
    expect(new Set(heard)).toEqual(new Set([null]))
  })

  it('replaces a failing read of the changes by a complete read if a complete read is due; otherwise reads the lots', async () => {
    const { world, files, parts } = await copied()
    world.now += 7 * hourMs
    const bad = withVariants(parts, (query) => !isFull(query) && query.limit === 10, broken)
    expect(await readCatalogue(bad)).toMatchObject({ kind: 'failed', lists: { variants: unavailable } })
    expect(missingIn(world, files)).toEqual([1, 0])
    world.now += 18 * hourMs
    let changes = 0
    const onceBad = withVariants(parts, (query) => !isFull(query) && changes++ === 0, broken)
    expect(await readCatalogue(onceBad)).toEqual({ kind: 'done' })
    expect(missingIn(world, files)).toEqual([0, 0])
  })

  it('ends at a call that does not reach the service, because the other calls would not reach it either', async () => {
    const { files, parts } = filled()
    const news: LotsNews[] = []
    const api = { ...parts.api, listShippingMethods: () => Promise.resolve(offline) }
    const lots = (one: LotsNews): void => void news.push(one)
    const end = await readCatalogue({ ...parts, api, listener: { ...parts.listener, lots } })
    expect(end).toEqual({ kind: 'failed', failure: offline.failure })
    expect([files.current.size, news]).toEqual([0, []])
  })

  it('removes the unfinished file of a complete read of a list that is too long', async () => {
    const { files, parts } = await copied()
    let drops = 0
    const next = { ...files.next, drop: () => void drops++ }
    const everywhere: RoundParts['api']['listVariants'] = (token, query) =>
      parts.api.listVariants(token, isFull(query) ? { ...query, page: 1 } : query)
    const mortal: RoundParts['files'] = Object.assign(Object.create(files) as MemoryFiles, { next })
    files.fullReadAt = null
    const end = await readCatalogue({
      ...parts,
      files: mortal,
      api: { ...parts.api, listVariants: everywhere },
    })
    expect(end).toMatchObject({ kind: 'failed', failure: { code: 'catalogue.too_large' } })
    expect(drops).toBe(1)
  })
})
