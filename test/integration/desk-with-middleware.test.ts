import type { LabelId } from '#shared/domain/ids.ts'
import { readFile } from 'node:fs/promises'
import { createServer, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import { createLogger } from '#kit/logger.ts'
import { systemClock } from '#kit/clock.ts'
import { type RunningMiddleware, startMiddleware } from '#middleware/start-middleware.ts'
import { testConnection } from '#remote/connection-test.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { ShipmentView } from '#shared/bridge/scan-views.ts'
import { looksLikePdf } from '#shared/domain/pdf-magic.ts'
import { sandbox } from '#shared/domain/sandbox.ts'
import { embeddedBaseUrl, type Scope } from '#shared/domain/scope.ts'
import { DeskBench, eventually } from '#support/desk-bench.ts'
import { byShipment } from '#support/label-wishes.ts'

/** Tests the whole path with the real parts: a desk and a listening middleware with the demo data. */
describe('a desk at the middleware', () => {
  let middleware: RunningMiddleware | null = null
  let bench: DeskBench
  let desk: Desk
  let first: ShipmentView
  const url = (): string | null => middleware?.invitation.url ?? null
  const scope = { baseUrl: embeddedBaseUrl, wmsCode: sandbox.wmsCode, customerCode: sandbox.customerCode }
  // These are the standard time limits, because the real carriers take some time to draw a label.
  const options = { scope, timeouts: {} }

  const viewOf = (id: LabelId): ReturnLabelView => {
    const got = desk.returnLabel.get({ id })
    if (!got.ok) throw new Error(got.error.code)
    return got.value
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
  })

  afterAll(async () => {
    await bench.dispose()
    await middleware?.stop()
  })

  it('refuses a login with a wrong password, an unknown customer or an unknown WMS with the matching error', async () => {
    const wrong = await desk.session.login({ username: sandbox.username, password: 'no' })
    expect(wrong).toMatchObject({ ok: false, error: { code: 'session.invalid_credentials' } })
    const bench2 = await DeskBench.create()
    const elsewhere = async (change: Partial<Scope>): Promise<string> => {
      const other = await bench2.open(url, { ...options, scope: { ...scope, ...change } })
      const login = await other.session.login(sandbox)
      await bench2.close(other)
      return login.ok ? 'ok' : login.error.code
    }
    expect(await elsewhere({ customerCode: 'NOBODY' })).toBe('session.unknown_customer')
    expect(await elsewhere({ wmsCode: 'NOWHERE' })).toBe('session.unknown_wms')
    await bench2.dispose()
  })

  it('passes the connection test with correct settings, and fails it with an unknown WMS or a wrong path', async () => {
    const draft = {
      name: 'n',
      baseUrl: url() ?? '',
      wmsCode: scope.wmsCode,
      customerCode: scope.customerCode,
      documentHosts: '',
    }
    expect(await testConnection(draft)).toMatchObject({
      steps: { service: 'passed', wms: 'passed', customer: 'at_login' },
      problem: null,
    })
    expect(await testConnection({ ...draft, wmsCode: 'NOWHERE' })).toMatchObject({
      steps: { service: 'passed', wms: 'failed', customer: 'not_reached' },
      problem: { code: 'wms_unknown' },
      environment: null,
    })
    // Only the login refuses an unknown customer, so the connection test must not report the customer code as correct.
    expect(await testConnection({ ...draft, customerCode: 'NOBODY' })).toMatchObject({
      steps: { customer: 'at_login' },
      problem: null,
    })
    for (const path of ['/foo', '/wms'])
      expect(await testConnection({ ...draft, baseUrl: `${draft.baseUrl}${path}` })).toMatchObject({
        steps: { service: 'failed' },
        problem: { code: 'no_service_at_path', params: { origin: draft.baseUrl } },
      })
  })

  it('passes the connection test and logs in through a gateway with its own path', async () => {
    const gateway = createServer((incoming, outgoing) => {
      const path = /^\/eu(\/.*)$/.exec(incoming.url ?? '')?.[1]
      if (path === undefined) return void outgoing.writeHead(404).end()
      const { method, headers } = incoming
      const onward = ask(new URL(path, url() ?? ''), { method, headers }, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 0, reply.headers)
        reply.pipe(outgoing)
      })
      incoming.pipe(onward)
    })
    await new Promise<void>((listening) => gateway.listen(0, '127.0.0.1', listening))
    const baseUrl = `http://127.0.0.1:${String((gateway.address() as AddressInfo).port)}/eu`
    const draft = { name: 'n', documentHosts: '', ...scope, baseUrl }
    expect(await testConnection(draft)).toMatchObject({ problem: null, steps: { wms: 'passed' } })
    const other = await DeskBench.create()
    const below = await other.open(() => null, { ...options, scope: { ...scope, baseUrl } })
    expect(await below.session.login(sandbox)).toMatchObject({ ok: true, value: { state: 'signed_in' } })
    await other.close(below)
    await other.dispose()
    gateway.closeAllConnections()
    await new Promise((closed) => gateway.close(closed))
  })

  it('logs in and fills its index', async () => {
    const login = await desk.session.login(sandbox)
    expect(login).toMatchObject({ ok: true, value: { state: 'signed_in', customer: { code: 'ZILVER' } } })
    expect(login.ok && login.value.customer?.name).not.toBe('ZILVER')
    expect(login.ok && login.value.roles.length).toBeGreaterThan(5)
    const index = await eventually(() => {
      const { index } = desk.status()
      return !index.syncing && index.syncedAt !== null && index
    })
    expect(index.shipments).toBeGreaterThan(100)
  })

  it('finds a shipment by its order reference, its reference and its tracking code', async () => {
    const some = await desk.scan.submit({ raw: 'SHP00000000001', expect: 'anything' })
    if (some.kind !== 'shipment') throw new Error(some.kind)
    first = some.shipment
    expect(first.lines[0]?.name).not.toBe('')
    expect(first.recipient?.name).not.toBe('')
    expect(first.carrier).not.toBeNull()
    for (const code of [
      first.orderReference ?? '',
      first.trackingCodes[0] ?? '',
      first.reference.toLowerCase(),
    ])
      expect(await desk.scan.submit({ raw: code, expect: 'anything' }), code).toMatchObject({
        kind: 'shipment',
        shipment: { id: first.id },
      })
  })

  it('makes a label and finds it again by the codes on it', async () => {
    const made = await desk.returnLabel.make({ mode: byShipment(first.id), request: true, seen: null })
    if (!made.ok) throw new Error(made.error.code)
    const file = await eventually(() => {
      const view = viewOf(made.value.id)
      if (view.failure && view.failure.code !== 'return_label.no_document') throw new Error(view.failure.code)
      return view.print?.file
    })
    expect(looksLikePdf(await readFile(file))).toBe(true)
    const view = viewOf(made.value.id)
    expect(view).toMatchObject({
      create: 'done',
      request: 'done',
      stored: true,
      print: { state: 'confirmed' },
    })
    for (const code of [view.trackingCode ?? '', view.externalReference ?? ''])
      expect(await desk.scan.submit({ raw: code, expect: 'anything' }), code).toMatchObject({
        kind: 'return_label',
        label: { id: view.id },
      })
    expect(await desk.scan.submit({ raw: first.orderReference ?? '', expect: 'anything' })).toMatchObject({
      kind: 'shipment',
    })
  })

  it('finds a shipment and reprints its label even if it restarts while the middleware is stopped', async () => {
    await middleware?.stop()
    middleware = null
    await bench.close(desk)
    desk = await bench.open(url, options)
    expect(desk.session.state().state).toBe('signed_in')
    const scan = await desk.scan.submit({ raw: first.trackingCodes[0] ?? '', expect: 'anything' })
    if (scan.kind !== 'shipment' || !scan.label) throw new Error(scan.kind)
    await desk.returnLabel.reprint({ id: scan.label.id, reason: null })
    const { id } = scan.label
    await eventually(() => viewOf(id).print?.isReprint === true && viewOf(id).print?.state === 'confirmed')
    expect(desk.status().line.state).toBe('offline')
    const next = await desk.returnLabel.make({ mode: byShipment(first.id), request: true, seen: null })
    expect(next.ok && next.value).toMatchObject({ create: 'queued', request: 'queued' })
  })
})
