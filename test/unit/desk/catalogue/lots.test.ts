import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Lots, toStoredLot } from '#desk/catalogue/lots.ts'
import type { ApiOutcome, RowPage } from '#desk/ports/api.ts'
import type { KeptLots, LotsStore } from '#desk/ports/recent-store.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { Batch } from '#shared/wire/batch.ts'
import { count, seed } from '#support/counts.ts'
import { fakeClock } from '#support/desk-fakes.ts'
import { goodsVariant } from '#support/goods-service.ts'
import { smallId } from '#support/small-world.ts'

const variant = goodsVariant(1)

function lot(number: number, rest: Partial<Batch> = {}): Batch {
  return {
    id: smallId(500 + number),
    expiration_date: null,
    quantity: number,
    variant: { id: variant.id },
    inbound: null,
    ...rest,
  }
}

type Answer = ApiOutcome<RowPage<Batch>>

function desk(answer: (page: number) => Answer | Promise<Answer>, isOffline = false) {
  const clock = fakeClock()
  const kept = new Map<string, KeptLots>()
  const store: LotsStore = {
    kept: (id) => kept.get(id) ?? null,
    keep: (id, lots, asOf) => Promise.resolve(void kept.set(id, { lots, asOf })),
    variantOf: () => null,
    expiring: () => ({ lots: [], isCut: false }),
  }
  const lots = new Lots({
    api: { listBatches: (_access, _code, page) => Promise.resolve(answer(page)) },
    session: { isSignedIn: true, withAccess: (call) => call('token') },
    line: { isOffline: () => isOffline },
    clock,
    catalogue: { variant: (id) => (id === variant.id ? { variant, asOf: 1 } : null) },
    store,
    askMs: 100,
  })
  return { lots, clock, kept }
}

const page = (rows: readonly Batch[], serverDate: number | null = 5_000): Answer => ({
  kind: 'answer',
  status: 200,
  value: { rows, skipped: [] },
  serverDate,
})

describe('the lots of a variant', () => {
  it('are sorted by expiration date, with lots without a date last, whatever the order of the response', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(fc.integer({ min: 1, max: 28 })), { maxLength: 12 }),
        fc.nat(1_000),
        async (days, turn) => {
          const rows = days.map((day, n) =>
            lot(n, { expiration_date: day === null ? null : `2026-02-${String(day).padStart(2, '0')}` }),
          )
          const turned = [...rows.slice(turn % (rows.length + 1)), ...rows.slice(0, turn % (rows.length + 1))]
          const one = await desk(() => page(rows)).lots.lots(variant.id)
          const other = await desk(() => page(turned)).lots.lots(variant.id)
          expect(other).toEqual(one)
          const dates = one.ok ? one.value.lots.map((row) => row.expirationDate ?? '9999') : []
          expect(dates).toEqual([...dates].sort())
          expect(dates).toHaveLength(days.length)
        },
      ),
      { numRuns: count(60, 2_000), seed },
    )
  })

  it('are limited to the thousand lots that expire first, with a flag that the variant has more lots', async () => {
    const rows = Array.from({ length: 1_200 }, (_, n) =>
      lot(n, { expiration_date: n === 1_199 ? '2026-01-01' : null }),
    )
    const found = await desk((at) => page(at === 1 ? rows : [])).lots.lots(variant.id)
    if (!found.ok) throw new Error(found.error.code)
    expect([found.value.lots.length, found.value.more]).toEqual([1_000, true])
    expect(found.value.lots[0]?.expirationDate).toBe('2026-01-01')
    const few = await desk(() => page(rows.slice(0, 3))).lots.lots(variant.id)
    expect(few).toMatchObject({ ok: true, value: { more: false } })
  })

  it('contain the inbound reference and the date of receipt, and are returned with the time of the response', async () => {
    const inbound = {
      id: smallId(1),
      reference: 'INB00000000001',
      external_reference: null,
      is_return: false,
      status: 'completed',
      created_at: '2026-01-02T03:04:05Z',
      inbound_date: '2026-01-02',
      note: null,
    }
    const { lots } = desk(() => page([lot(1, { inbound })]))
    expect(await lots.lots(variant.id)).toMatchObject({
      ok: true,
      value: {
        source: 'service',
        asOf: '1970-01-01T00:00:05.000Z',
        lots: [{ inboundReference: 'INB00000000001', receivedAt: '2026-01-02T00:00:00.000Z' }],
      },
    })
  })

  it('are stored and shown with the first 60 characters of an inbound reference of more than 120 characters', async () => {
    const inbound = {
      id: smallId(1),
      external_reference: null,
      is_return: false,
      status: 'completed',
      created_at: '2026-01-02T03:04:05Z',
      inbound_date: null,
      note: null,
    }
    const rows = [120, 121, 2_000].map((length, n) =>
      lot(n, { inbound: { ...inbound, reference: 'R'.repeat(length) } }),
    )
    const { lots, kept } = desk(() => page(rows))
    const found = await lots.lots(variant.id)
    const shown = found.ok ? found.value.lots.map((one) => one.inboundReference) : []
    expect(shown).toEqual(['R'.repeat(120), `${'R'.repeat(60)}…`, `${'R'.repeat(60)}…`])
    expect(kept.get(variant.id)?.lots.map((one) => one.inboundReference)).toEqual(shown)
  })

  it('are requested with one call for all callers that ask for them at the same time', async () => {
    let calls = 0
    let arrive: (answer: Answer) => void = () => undefined
    const { lots } = desk(() => {
      calls++
      return new Promise((resolve) => (arrive = resolve))
    })
    const both = [lots.lots(variant.id), lots.lots(variant.id)]
    await Promise.resolve()
    arrive(page([lot(1), lot(2)]))
    const [one, other] = await Promise.all(both)
    expect([calls, one?.ok && one.value.lots.length]).toEqual([1, 2])
    expect(other).toEqual(one)
    const later = lots.lots(variant.id)
    await Promise.resolve()
    arrive(page([lot(1)]))
    expect(await later).toMatchObject({ ok: true, value: { lots: [{ quantity: 1 }] } })
    expect(calls).toBe(2)
  })

  it('are read from all pages of the service, without the lots of other variants', async () => {
    const rows = Array.from({ length: 130 }, (_, n) => lot(n, n % 2 ? {} : { variant: { id: smallId(9) } }))
    const { lots } = desk((number) => page(rows.slice((number - 1) * 60, number * 60)))
    const answer = await lots.lots(variant.id)
    expect(answer.ok && answer.value.lots).toHaveLength(65)
  })

  it('are returned once even if the service ignores the page number and repeats its first page', async () => {
    const rows = Array.from({ length: 60 }, (_, n) => lot(n))
    const answer = await desk(() => page(rows)).lots.lots(variant.id)
    expect(answer.ok && answer.value.lots).toHaveLength(60)
  })

  it('are the stored lots when the service is too slow, and the late response replaces the stored lots', async () => {
    let arrive: (answer: Answer) => void = () => undefined
    const { lots, clock, kept } = desk(() => new Promise((resolve) => (arrive = resolve)))
    kept.set(variant.id, { lots: [toStoredLot(lot(1))], asOf: 1_000 })
    const waiting = lots.lots(variant.id)
    await Promise.resolve()
    clock.advance(100)
    expect(await waiting).toMatchObject({ ok: true, value: { source: 'kept', lots: [{ quantity: 1 }] } })
    arrive(page([lot(1), lot(2)]))
    await Promise.resolve().then(() => Promise.resolve())
    await new Promise((resolve) => setImmediate(resolve))
    expect(kept.get(variant.id)?.lots).toHaveLength(2)
  })

  it('are replaced by an error if the article is unknown, if a role is missing, or if no lots are stored while the desk is offline', async () => {
    const offline = desk(() => page([]), true).lots
    expect(await offline.lots(smallId(77))).toMatchObject({ error: { code: 'article.unknown' } })
    expect(await offline.lots(variant.id)).toMatchObject({ error: { code: 'article.lots_not_kept' } })
    const refused = desk(() => ({
      kind: 'refused',
      status: 403,
      failure: failure('api.role_missing'),
      serverDate: null,
    }))
    refused.kept.set(variant.id, { lots: [toStoredLot(lot(1))], asOf: 1 })
    expect(await refused.lots.lots(variant.id)).toMatchObject({ error: { code: 'api.role_missing' } })
    const down = desk(() => ({ kind: 'not_sent', failure: failure('network.offline') }))
    down.kept.set(variant.id, { lots: [toStoredLot(lot(1))], asOf: 1 })
    expect(await down.lots.lots(variant.id)).toMatchObject({ ok: true, value: { source: 'kept' } })
  })
})
