import { describe, expect, it } from 'vitest'
import { readLocations } from '#place/location-book.ts'
import type { LocationView } from '#shared/bridge/stock-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'

const all = Array.from({ length: 4_000 }, (_, n): LocationView => {
  const code = n < 3_000 ? `A-${n}` : null
  return { id: `id ${n}`, code, source: 'import', seenAt: '2026-01-05T08:00:00Z' }
})

type List = Parameters<typeof readLocations>[0]['list']

describe('readLocations', () => {
  it('reads 2,000 locations with each call until a call returns fewer', async () => {
    const calls: (string | null)[] = []
    const list: List = ({ after }) => {
      calls.push(after?.id ?? null)
      const from = after ? all.findIndex(({ id }) => id === after.id) + 1 : 0
      return Promise.resolve(ok(all.slice(from, from + 2_000)))
    }
    expect(await readLocations({ list })).toEqual(ok(all))
    expect(calls).toEqual([null, 'id 1999', 'id 3999'])
  })

  it('returns a location once if its name changes between two calls', async () => {
    const renamed = { ...all[0], code: 'Z-1' } as LocationView
    const list: List = ({ after }) => Promise.resolve(ok(after ? [renamed] : all.slice(0, 2_000)))
    const found = await readLocations({ list })
    expect(found).toEqual(ok([renamed, ...all.slice(1, 2_000)]))
  })

  it('fails if one of the calls fails', async () => {
    const list: List = ({ after }): Promise<Result<LocationView[]>> =>
      Promise.resolve(after ? fail('store.unavailable') : ok(all.slice(0, 2_000)))
    expect(await readLocations({ list })).toEqual(fail('store.unavailable'))
  })
})
