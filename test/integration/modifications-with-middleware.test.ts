import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Desk } from '#desk/desk.ts'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { type RunningMiddleware, startMiddleware } from '#middleware/start-middleware.ts'
import type { LocationView, ModificationView } from '#shared/bridge/stock-views.ts'
import type { Result } from '#shared/errors/result.ts'
import { sandbox } from '#shared/domain/sandbox.ts'
import { embeddedBaseUrl } from '#shared/domain/scope.ts'
import { modification } from '#shared/wire/modification.ts'
import { variant, type Variant } from '#shared/wire/variant.ts'
import { DeskBench, eventually } from '#support/desk-bench.ts'
import { connect, type ServiceClient } from '#support/service-client.ts'

/** Tests the path from a scan to the record at the service with the real parts. */
describe('modifications at the middleware', () => {
  let middleware: RunningMiddleware
  let bench: DeskBench
  let desk: Desk
  let client: ServiceClient
  let variants: Variant[]
  let shelf: LocationView & { code: string }
  const scope = { baseUrl: embeddedBaseUrl, wmsCode: sandbox.wmsCode, customerCode: sandbox.customerCode }

  const value = <T>(result: Result<T>): T => {
    if (!result.ok) throw new Error(result.error.code)
    return result.value
  }
  const scanArticle = async (code: string): Promise<void> => {
    const scanned = await desk.scan.submit({ raw: code, expect: 'stock' })
    if (scanned.kind !== 'article') throw new Error(`${code}: ${scanned.kind}`)
    value(desk.modification.change({ kind: 'add', variantId: scanned.variant.id }))
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
    client = await connect(middleware.invitation.url)
    variants = (await client.read('/wms/variants/?limit=50', z.array(variant))).filter(
      ({ ean }) => ean !== null,
    )
    bench = await DeskBench.create()
    desk = await bench.open(() => middleware.invitation.url, { scope, timeouts: {} })
    value(await desk.session.login(sandbox))
  })
  afterAll(async () => {
    await bench.dispose()
    await middleware.stop()
  })

  it('make the codes of their locations known to a desk that created none of the modifications', async () => {
    const named = await eventually(() => desk.location.list().find(({ code }) => code !== null))
    shelf = { ...named, code: named.code ?? '' }
    expect(named.source).toBe('modification')
    expect(await desk.scan.submit({ raw: shelf.code.toLowerCase(), expect: 'stock' })).toMatchObject({
      kind: 'location',
      location: { id: shelf.id },
    })
  })

  it('have lines with exactly the quantities that the operator scanned or typed', async () => {
    const [first, second] = variants
    if (!first || !second) throw new Error('no articles')
    desk.modification.change({ kind: 'reason', reason: 'DEFECTIVE' })
    desk.modification.change({ kind: 'location', locationId: shelf.id })
    await scanArticle(first.ean ?? '')
    await scanArticle(second.article_code)
    await scanArticle(first.ean ?? '')
    desk.modification.change({ kind: 'quantity', variantId: second.id, quantity: -5 })
    desk.modification.change({ kind: 'note', note: 'wet — 40 %' })
    const { id } = value(desk.modification.book())
    const now = (): ModificationView => value(desk.modification.get({ id }))
    await eventually(() => now().create === 'done')
    const view = now()
    expect(view).toMatchObject({ status: 'created', note: 'wet — 40 %', failure: null })
    expect(view.reference).toMatch(/^MOD\d{11}$/)
    const record = await client.read(`/wms/modifications/${view.serverId ?? ''}/`, modification)
    expect(record).toMatchObject({ reason: 'DEFECTIVE', reference: view.reference })
    expect(record.note).toMatch(/^wet — 40 % #[0-9a-f]{20}$/)
    const lines = record.modification_lines?.map((line) => [
      line.variant.id,
      line.location?.id,
      line.quantity,
    ])
    expect(lines?.toSorted()).toEqual(
      [
        [first.id, shelf.id, -2],
        [second.id, shelf.id, -5],
      ].sort(),
    )
    expect(await desk.scan.submit({ raw: view.reference ?? '', expect: 'anything' })).toMatchObject({
      kind: 'modification',
      modification: { id },
    })
  })

  it('can be moved back to the draft, with all lines, if the middleware refuses them because of an unknown location', async () => {
    const nowhere = '11111111-1111-4111-8111-111111111111'
    const scanned = await desk.scan.submit({ raw: `LOC|X-99|${nowhere}`, expect: 'stock' })
    expect(scanned).toMatchObject({ kind: 'location', isNew: true, location: { id: nowhere, code: 'X-99' } })
    desk.modification.change({ kind: 'reason', reason: 'CORRECTION' })
    desk.modification.change({ kind: 'location', locationId: nowhere })
    await scanArticle(variants[0]?.ean ?? '')
    const { id } = value(desk.modification.book())
    await eventually(() => value(desk.modification.get({ id })).create === 'rejected')
    expect(value(desk.modification.get({ id })).failure).not.toBeNull()
    const draft = value(desk.modification.takeBack({ id }))
    expect(draft).toMatchObject({ missing: [], location: { id: nowhere } })
    expect(draft.lines).toMatchObject([{ variant: { id: variants[0]?.id }, quantity: 1 }])
  })
})
