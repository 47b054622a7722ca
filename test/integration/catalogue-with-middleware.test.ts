import { readdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { type RunningMiddleware, startMiddleware } from '#middleware/start-middleware.ts'
import type { VariantView } from '#shared/bridge/stock-views.ts'
import { sandbox } from '#shared/domain/sandbox.ts'
import { embeddedBaseUrl } from '#shared/domain/scope.ts'
import { article } from '#shared/wire/article.ts'
import { DeskBench, eventually } from '#support/desk-bench.ts'

/** Tests articles and lots with the real parts: a desk with its sync thread and a listening middleware. */
describe('a desk with the articles of the middleware', () => {
  let middleware: RunningMiddleware | null = null
  let bench: DeskBench
  let desk: Desk
  let first: VariantView
  const url = (): string | null => middleware?.invitation.url ?? null
  const scope = { baseUrl: embeddedBaseUrl, wmsCode: sandbox.wmsCode, customerCode: sandbox.customerCode }
  const options = { scope, timeouts: {}, catalogue: {} }

  const readArticle = (query: string): Promise<unknown> => readList(`/wms/articles/${query}`)

  async function readList(path: string): Promise<unknown> {
    const headers = { 'x-wms-code': scope.wmsCode, 'x-customer-code': scope.customerCode }
    const login = await fetch(`${url() ?? ''}/wms/auth/login/`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ username: sandbox.username, password: sandbox.password }),
    })
    const { token } = (await login.json()) as { token: string }
    const answer = await fetch(`${url() ?? ''}${path}`, {
      headers: { ...headers, authorization: `Bearer ${token}` },
    })
    return answer.json()
  }

  beforeAll(async () => {
    middleware = await startMiddleware({
      databaseFile: ':memory:',
      port: 0,
      host: '127.0.0.1',
      seed: 'demo',
      sandbox: true,
      clock: systemClock,
      logger: createLogger('middleware', { level: 'fatal' }),
    })
    bench = await DeskBench.create()
    desk = await bench.open(url, options)
    await desk.session.login(sandbox)
  })
  afterAll(async () => {
    await bench.dispose()
    await middleware?.stop()
  })

  it('fills its catalogue and reports the progress', async () => {
    const ready = await eventually(() => {
      const { catalogue } = desk.status()
      return catalogue.state === 'ready' && catalogue
    })
    expect(ready.variants).toBeGreaterThan(50)
    expect(ready.shippingMethods).toBe(desk.catalogue.methods().methods.length)
    expect(ready.locationTypes).toBe(desk.catalogue.locationTypes().types.length)
    expect(ready.locationTypes).toBeGreaterThan(0)
    expect(ready.failure).toBeNull()
  })

  it('finds an article by EAN, SKU and article code', async () => {
    const [found] = article.array().parse(await readArticle('?limit=5'))
    const variant = found?.variants.find(({ ean }) => ean !== null)
    if (!variant?.ean) throw new Error('no article with an EAN')
    for (const code of [variant.ean, variant.sku ?? variant.ean, variant.article_code.toLowerCase()]) {
      const scan = await desk.scan.submit({ raw: code, expect: 'anything' })
      if (scan.kind !== 'article') throw new Error(`${code}: ${scan.kind}`)
      expect(scan.variant).toMatchObject({ id: variant.id, name: variant.name })
      first = scan.variant
    }
  })

  it('shows the lots of an article, the earliest expiry first', async () => {
    const lots = await desk.article.lots({ variantId: first.id })
    if (!lots.ok) throw new Error(lots.error.code)
    expect(lots.value.source).toBe('service')
    const days = lots.value.lots.map(({ expirationDate }) => expirationDate ?? '9999')
    expect(days).toEqual([...days].sort())
  })

  it('finds an article by the first letters of its name, and stores every lot of the service', async () => {
    const [word = ''] = first.name.split(' ')
    const found = desk.article.search({ text: word.slice(0, 3), limit: 100 })
    expect(found).toMatchObject({ complete: true, asOf: desk.status().catalogue.asOf })
    expect(found.articles.map(({ id }) => id)).toContain(first.id)
    const { lots } = await eventually(() => {
      const overview = desk.catalogue.overview()
      return overview.lots.state === 'ready' && overview
    })
    const all = (await readList('/wms/batches/?limit=1000')) as unknown[]
    expect(lots).toMatchObject({ count: all.length, failure: null })
    expect(desk.catalogue.overview().skippedRows).toEqual([])
  })

  it('finds an article at the service while the catalogue file is damaged, and repairs the file', async () => {
    const folder = join(bench.dataDir, 'catalogue')
    const names = await readdir(folder)
    const file = join(folder, names.find((name) => /^[0-9a-f]+\.db$/.test(name)) ?? '')
    await truncate(file, 4_096)
    const scan = await desk.scan.submit({ raw: first.articleCode, expect: 'anything' })
    expect(scan).toMatchObject({ kind: 'article', variant: { id: first.id } })
    expect(desk.status().catalogue.state).not.toBe('ready')
    expect(desk.article.search({ text: first.articleCode, limit: 5 })).toMatchObject({
      complete: false,
      articles: [{ id: first.id }],
    })
    await desk.catalogue.sync()
    await eventually(() => desk.status().catalogue.state === 'ready')
    expect(desk.article.search({ text: first.articleCode, limit: 5 }).articles).toMatchObject([
      { id: first.id },
    ])
    expect(desk.article.search({ text: first.articleCode, limit: 5 }).complete).toBe(true)
  })

  it('reads the changes of articles when the operator requests a read', async () => {
    const before = desk.status().catalogue.asOf
    const synced = await desk.catalogue.sync()
    expect(synced).toMatchObject({ ok: true, value: { state: 'ready', failure: null } })
    expect(Date.parse(synced.ok ? (synced.value.asOf ?? '') : '')).toBeGreaterThanOrEqual(
      Date.parse(before ?? ''),
    )
  })

  it('keeps one catalogue for each customer, and uses the catalogue of a customer directly after a change to this customer', async () => {
    await bench.close(desk)
    const others = { ...options, scope: { ...scope, customerCode: 'RUIGPAD' } }
    const other = await bench.open(url, others)
    expect(other.article.search({ text: first.articleCode, limit: 5 }).articles).toEqual([])
    await other.session.login(sandbox)
    await eventually(() => other.catalogue.overview().lots.asOf)
    // Some articles of this customer have lots with an expiry date.
    const expiring = await other.article.expiring({ withinDays: 3_650 })
    const days = expiring.lots.map(({ lot }) => lot.expirationDate ?? '')
    expect(days.length).toBeGreaterThan(0)
    expect(days).toEqual([...days].sort())
    await bench.close(other)
    desk = await bench.open(() => null, options)
    expect(desk.status().catalogue.state).toBe('ready')
    expect(desk.article.search({ text: first.articleCode, limit: 5 }).articles).toMatchObject([
      { id: first.id },
    ])
    await bench.close(desk)
    desk = await bench.open(url, options)
  })

  it('finds an article after a restart without the middleware, and reports the date of the stored data', async () => {
    await middleware?.stop()
    middleware = null
    await bench.close(desk)
    desk = await bench.open(url, options)
    const scan = await desk.scan.submit({ raw: first.articleCode, expect: 'anything' })
    expect(scan).toMatchObject({ kind: 'article', variant: { id: first.id, name: first.name } })
    expect(await desk.article.lots({ variantId: first.id })).toMatchObject({
      ok: true,
      value: { source: 'kept' },
    })
    expect(desk.catalogue.methods().methods.length).toBeGreaterThan(0)
    expect(await desk.scan.submit({ raw: 'NO-SUCH-THING', expect: 'anything' })).toMatchObject({
      kind: 'unknown',
      askedService: false,
      articlesAsOf: desk.status().catalogue.asOf,
    })
    expect(await eventually(() => desk.status().catalogue.failure)).toMatchObject({
      code: 'station.embedded_unavailable',
    })
    expect(desk.status().catalogue.state).toBe('ready')
  })
})
