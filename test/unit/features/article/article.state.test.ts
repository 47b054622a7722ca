import { beforeEach, describe, expect, it } from 'vitest'
import { stockReason } from '#features/article/article-text.ts'
import { ArticleState } from '#features/article/article.state.svelte.ts'
import { m } from '#messages/messages.js'
import type { SessionView } from '#shared/bridge/views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { wireRole } from '#shared/wire/roles.ts'
import { sampleLots, sampleStock } from '#support/memory-desk/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { signedIn } from '#support/memory-desk/station.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')
let desk: MemoryDesk
let session: SessionView
let article: ArticleState

beforeEach(() => {
  desk = new MemoryDesk({ ...memoryWorld(() => nowMs), lots: { 'va-1': sampleLots(nowMs) } })
  session = signedIn
  article = new ArticleState({ bridge: desk.bridge, session: () => session })
})

describe('the lots of an article', () => {
  it('are requested when the article opens, and the number of pieces of all lots is calculated', async () => {
    const opened = article.open('va-1')
    expect(article.loading).toBe(true)
    expect(article.pieces).toBeNull()
    await opened
    expect(article.loading).toBe(false)
    expect(article.lots?.lots).toHaveLength(5)
    expect(article.pieces).toBe(1473)
  })

  it('are replaced by the reason when they cannot be read, and are requested again by retry()', async () => {
    await article.open('va-2')
    expect(article.failure?.code).toBe('article.lots_not_kept')
    desk.world.lots['va-2'] = { ...sampleLots(nowMs), variantId: 'va-2', source: 'kept' }
    await article.retry()
    expect(article.failure).toBeNull()
    expect(article.lots?.source).toBe('kept')
  })

  it('are no longer shown when another article opens', async () => {
    await article.open('va-1')
    desk.world.hanging.add('article:lots')
    void article.open('va-2')
    expect(article.lots).toBeNull()
  })

  it('are dropped when they arrive after another article was opened', async () => {
    const { lots } = desk.bridge.article
    let answer = (): void => undefined
    const bridge = {
      ...desk.bridge,
      article: {
        ...desk.bridge.article,
        lots: async (args: { variantId: string }) => {
          if (args.variantId === 'slow') await new Promise<void>((resolve) => (answer = resolve))
          return lots(args)
        },
      },
    }
    desk.world.lots['slow'] = { ...sampleLots(nowMs), variantId: 'slow', lots: [] }
    article = new ArticleState({ bridge, session: () => session })
    const slow = article.open('slow')
    await article.open('va-1')
    answer()
    await slow
    expect(article.lots?.variantId).toBe('va-1')
  })

  it('are not requested when the login lacks the role for lots', async () => {
    session = { ...signedIn, roles: [wireRole('ARTICLES_READ')] }
    await article.open('va-1')
    expect(desk.calls).not.toContain('article:lots')
    expect([article.mayRead, article.mayBook, article.lots]).toEqual([false, false, null])
  })

  it('are requested even if the login has expired, because main may have stored lots', async () => {
    session = { ...signedIn, roles: [], state: 'expired' }
    desk.world.failures['article:lots'] = failure('session.expired')
    await article.open('va-1')
    expect(article.failure?.code).toBe('session.expired')
  })
})

describe('the stock figures of an article', () => {
  it('do not delay the lots, and are removed when another article opens', async () => {
    desk.world.stock['va-1'] = sampleStock(nowMs)
    await article.open('va-1')
    expect(article.stock).toMatchObject({ salable: 1449, quarantine: 24 })
    desk.world.hanging.add('article:stock')
    desk.world.lots['va-2'] = { ...sampleLots(nowMs), variantId: 'va-2' }
    void article.open('va-2')
    expect(article.stock).toBeNull()
    await expect.poll(() => article.lots?.variantId).toBe('va-2')
    expect(article.loading).toBe(false)
    expect(article.stock).toBeNull()
  })

  it('are replaced by the reason when the login lacks the role for stock figures', async () => {
    await article.open('va-1')
    expect(stockReason(article)).toBe(m.stock_not_kept())
    session = { ...signedIn, roles: [wireRole('BATCH_READ')] }
    desk.world.stock['va-1'] = sampleStock(nowMs)
    await article.open('va-1')
    expect(article.stock).toBeNull()
    expect(stockReason(article)).toBe(m.stock_role())
  })
})
