import { describe, expect, it } from 'vitest'
import { StockFigures } from '#desk/catalogue/stock-figures.ts'
import type { ApiOutcome, RowPage } from '#desk/ports/api.ts'
import type { KeptStock } from '#desk/ports/recent-store.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { Stock } from '#shared/wire/stock.ts'
import { fakeClock } from '#support/desk-fakes.ts'
import { goodsVariant } from '#support/goods-service.ts'
import { refused } from '#support/modification-service.ts'

const variant = goodsVariant(1)
const other = goodsVariant(2)

type Answer = ApiOutcome<RowPage<Stock>>

function row(id: string, salable: number, quarantine: number): Stock {
  return {
    id,
    article_code: variant.article_code,
    ean: null,
    sku: null,
    stock_physical: salable + quarantine,
    stock_salable: salable,
    stock_available: salable,
    stock_quarantine: quarantine,
    stock_pickable: salable,
    modified_at: '2026-01-01T00:00:00Z',
  }
}

const page = (...rows: Stock[]): Answer => ({
  kind: 'answer',
  status: 200,
  value: { rows, skipped: [] },
  serverDate: 5_000,
})

function desk(answer: () => Answer | Promise<Answer>) {
  const clock = fakeClock()
  const kept = new Map<string, KeptStock>()
  const calls: string[] = []
  const state = { isOffline: false }
  const figures = new StockFigures({
    api: {
      listStock(_access, articleCode) {
        calls.push(articleCode)
        return Promise.resolve(answer())
      },
    },
    session: { isSignedIn: true, withAccess: (call) => call('token') },
    line: { isOffline: () => state.isOffline },
    clock,
    catalogue: { variant: (id) => (id === variant.id ? { variant, asOf: 1 } : null) },
    store: { kept: (id) => kept.get(id) ?? null, keep: (id, stock) => void kept.set(id, stock) },
    askMs: 100,
  })
  return { figures, clock, kept, calls, state }
}

const at = new Date(5_000).toISOString()

describe('the stock figures of a variant', () => {
  it('are the figures of this variant even if the service lists another variant before it', async () => {
    const { figures, calls } = desk(() => page(row(other.id, 1, 2), row(variant.id, 30, 4)))
    const view = { variantId: variant.id, salable: 30, quarantine: 4, asOf: at, source: 'service' }
    expect(await figures.figures(variant.id)).toEqual({ ok: true, value: view })
    expect(calls).toEqual([variant.article_code])
  })

  it('are the stored figures with their time while the desk is offline, or an error if none are stored', async () => {
    const { figures, calls, state } = desk(() => page(row(variant.id, 30, 4)))
    state.isOffline = true
    expect(await figures.figures(variant.id)).toMatchObject({ error: { code: 'article.stock_not_kept' } })
    expect(calls).toEqual([])
    state.isOffline = false
    await figures.figures(variant.id)
    state.isOffline = true
    expect(await figures.figures(variant.id)).toMatchObject({
      value: { salable: 30, asOf: at, source: 'kept' },
    })
  })

  it('are requested with one call for all callers that ask for them at the same time', async () => {
    const { figures, calls } = desk(() => page(row(variant.id, 30, 4)))
    const [one, another] = await Promise.all([figures.figures(variant.id), figures.figures(variant.id)])
    expect([calls.length, another]).toEqual([1, one])
    await figures.figures(variant.id)
    expect(calls).toHaveLength(2)
  })

  it('are awaited only for a limited time, and are stored even if they arrive after this time', async () => {
    let send = (): void => undefined
    const late = new Promise<Answer>((resolve) => {
      send = () => {
        resolve(page(row(variant.id, 30, 4)))
      }
    })
    const { figures, clock, kept } = desk(() => late)
    const asked = figures.figures(variant.id)
    await Promise.resolve()
    clock.advance(100)
    expect(await asked).toMatchObject({ error: { code: 'article.stock_not_kept' } })
    send()
    for (let i = 0; i < 10; i++) await Promise.resolve()
    expect(kept.get(variant.id)).toEqual({ salable: 30, quarantine: 4, asOf: 5_000 })
  })

  it('are not returned after a final refusal by the service, even if figures are stored; the error of the refusal is returned', async () => {
    const answers: Answer[] = [page(row(variant.id, 30, 4)), refused(403)]
    const { figures } = desk(() => answers.shift() ?? page())
    await figures.figures(variant.id)
    expect(await figures.figures(variant.id)).toEqual({ ok: false, error: failureOf(refused(403)) })
  })

  it('are replaced by an error if the service does not list the variant and no figures are stored', async () => {
    const { figures, kept } = desk(() => page(row(other.id, 1, 2)))
    expect(await figures.figures(variant.id)).toMatchObject({ error: { code: 'article.stock_not_kept' } })
    expect(kept.size).toBe(0)
    expect(await figures.figures(other.id)).toEqual({ ok: false, error: failure('article.unknown') })
  })
})

function failureOf(outcome: Answer): unknown {
  return outcome.kind === 'answer' ? null : outcome.failure
}
