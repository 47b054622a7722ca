import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ExpiringState } from '#features/expiring/expiring.state.svelte.ts'
import type { SessionView } from '#shared/bridge/views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { sampleLots, sampleVariants } from '#support/memory-desk/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { signedIn, signedOut } from '#support/memory-desk/station.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')

let desk: MemoryDesk
let session: SessionView
let shown: string[]
let codes: string[]
let expiring: ExpiringState

beforeEach(() => {
  desk = new MemoryDesk({
    ...memoryWorld(() => nowMs),
    variants: sampleVariants(nowMs),
    lots: { 'va-1': sampleLots(nowMs) },
  })
  session = signedIn
  shown = []
  codes = []
  expiring = new ExpiringState({
    bridge: desk.bridge,
    session: () => session,
    onShow: ({ id }) => shown.push(id),
    onCode: (code) => codes.push(code),
  })
})

function quantities(): number[] | undefined {
  return expiring.list?.lots.map(({ lot }) => lot.quantity)
}

describe('the list of expiring lots', () => {
  it('contains at first the lots that have expired or that expire within thirty days', async () => {
    await expiring.load()
    expect(quantities()).toEqual([6, 24])
  })

  it('contains the lots that have expired or that expire within the number of days that the operator chose', async () => {
    await expiring.within(7)
    expect(quantities()).toEqual([6])
    await expiring.within(90)
    expect(quantities()).toEqual([6, 24])
    expect(expiring.days).toBe(90)
  })

  it('shows the lots for the last chosen number of days, even if the response to an earlier choice arrives after the response to the last one', async () => {
    const slow = { ...desk.bridge.article }
    const { article } = desk.bridge
    expiring = new ExpiringState({
      bridge: {
        ...desk.bridge,
        article: {
          ...slow,
          expiring: async (args) => {
            const answer = await article.expiring(args)
            await new Promise((resolve) => setTimeout(resolve, args.withinDays === 90 ? 10 : 0))
            return answer
          },
        },
      },
      session: () => session,
      onShow: () => undefined,
      onCode: () => undefined,
    })
    await Promise.all([expiring.within(90), expiring.within(7)])
    expect(quantities()).toEqual([6])
  })

  it('is not requested when the login lacks the role for lots', async () => {
    session = { ...signedIn, roles: [] }
    await expiring.load()
    expect(expiring.mayRead).toBe(false)
    expect([expiring.list, desk.calls]).toEqual([null, []])
  })

  it('is shown even if the login has expired, because the desk has stored the lots', async () => {
    session = { ...signedOut, state: 'expired' }
    await expiring.load()
    expect(quantities()).toEqual([6, 24])
  })

  it('shows the reason in place of the lots when the lots cannot be read', async () => {
    desk.world.failures['article:expiring'] = failure('store.unavailable')
    await expiring.load()
    expect([expiring.list, expiring.failure?.code]).toEqual([null, 'store.unavailable'])
  })
})

describe('opening an expiring lot', () => {
  it('shows the card of the article of this lot, without a look-up by code', async () => {
    await expiring.load()
    const [first] = expiring.list?.lots ?? []
    if (first) await expiring.open(first)
    expect([shown, codes]).toEqual([['va-1'], []])
  })

  it('looks up the EAN of the lot if its article is not stored, even if the code of a stored article begins with the code of this article', async () => {
    await expiring.load()
    const [first] = expiring.list?.lots ?? []
    desk.world.variants = desk.world.variants.map((one) => ({
      ...one,
      id: `other-${one.id}`,
      articleCode: 'BAR-HZ-12-B',
    }))
    if (first) await expiring.open(first)
    expect([shown, codes]).toEqual([[], ['8712345678906']])
  })
})

describe('the selected expiring lot', () => {
  it('is the next lot after NEXT, even if NEXT is scanned before the list has loaded, and PRIMARY opens its article', async () => {
    expect(expiring.run('PRIMARY')).toBe(false)
    expect(expiring.run('NEXT')).toBe(true)
    await expiring.load()
    const ids = expiring.list?.lots.map(({ lot }) => lot.id) ?? []
    expect(expiring.cursor.key).toBe(ids[0])
    expiring.run('NEXT')
    expect(expiring.cursor.key).toBe(ids[1])
    expiring.run('NEXT')
    expect(expiring.cursor.key).toBe(ids[0])
    expect(expiring.run('PRIMARY')).toBe(true)
    await vi.waitFor(() => {
      expect(shown).toEqual(['va-1'])
    })
  })

  it('is unset after the operator chooses another number of days', async () => {
    await expiring.load()
    expiring.run('NEXT')
    await expiring.within(7)
    expect(expiring.cursor.key).toBeNull()
    desk.world.lots = {}
    await expiring.load()
    expect(expiring.run('NEXT')).toBe(false)
  })
})
