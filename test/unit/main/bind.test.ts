import { performance } from 'node:perf_hooks'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import type { ScanOutcome } from '#shared/bridge/scan-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { callLogInto, type KeptLine } from '#support/call-log.ts'
import { pcSettings } from '#support/pc-settings.ts'
import { Stations } from '../../../electron/main/stations.ts'

type Handler = (event: unknown, args?: unknown) => Promise<Result<unknown>> | Result<unknown>

const handlers = new Map<string, Handler>()
vi.mock('electron', () => ({
  ipcMain: { handle: (channel: string, handler: Handler) => void handlers.set(channel, handler) },
}))
// the modules are loaded again, because test files of one worker share modules and this file has its own electron mock
vi.resetModules()
const { bindDomain } = await import('../../../electron/main/ipc/bind.ts')
const { deskHandlers } = await import('../../../electron/main/ipc/desk.ipc.ts')

const ownFrame = { senderFrame: { parent: null, url: 'app://desk/index.html' } }
const call = async (channel: string, args?: unknown): Promise<Result<unknown>> => {
  const handler = handlers.get(channel)
  if (!handler) throw new Error(`nothing is bound to ${channel}`)
  return handler(ownFrame, args)
}

let logged: KeptLine[]
/** Functions that end the ten seconds in which a repeated failure is counted. */
let ends: (() => void)[]
/** Lets every waiting call to the fake desk return. Later calls do not wait. */
let release: () => void
let begun: number
/** The calls that began, in their order: what was called, and the number of the turn of the event loop. */
let starts: { readonly of: string; readonly turn: number }[]
let imports: number

beforeEach(() => {
  logged = []
  begun = 0
  starts = []
  imports = 0
  const held = Promise.withResolvers<undefined>()
  release = () => held.resolve(undefined)
  ends = []
  const log = callLogInto(
    logged,
    () => 0,
    (_, action) => ends.push(action),
  )
  const started = (of: string): void => {
    starts.push({ of, turn: performance.nodeTiming.uvMetricsInfo.loopCount })
  }
  const later = async <T>(value: T): Promise<T> => {
    begun++
    await held.promise
    return value
  }
  const outcome: ScanOutcome = {
    ...{ scanId: 's', raw: 'A', at: '2026-01-01T00:00:00.000Z', kind: 'failed' },
    failure: failure('network.offline'),
  }
  const desk = {
    article: {
      stock: () => later(fail('article.stock_not_kept')),
      search: ({ text }: { text: string }) => {
        started(text)
        return { articles: [], more: false, complete: true, asOf: null }
      },
    },
    scan: {
      submit: ({ raw }: { raw: string }) => {
        started(raw)
        return later(outcome)
      },
    },
    location: {
      import: () => (imports++, ok({ added: 1, changed: 0, unchanged: 0, skipped: [], locations: [] })),
    },
  } as unknown as Desk
  const domains = deskHandlers({
    host: { desk: () => Promise.resolve(desk) },
    settings: { update: () => undefined },
    stations: new Stations(pcSettings()),
  })
  bindDomain('article', domains.article, log)
  bindDomain('location', domains.location, log)
  bindDomain('scan', domains.scan, log)
})

/** Waits until `count` calls have begun to wait for `release`. */
const untilBegun = async (count: number): Promise<void> => {
  while (begun < count) await new Promise((resolve) => setImmediate(resolve))
}

const variantId = '3f2b8c1a-9d4e-4f6a-8b7c-000000000001'
const stock = (): Promise<Result<unknown>> => call('article:stock', { variantId })
const scan = (): Promise<Result<unknown>> => call('scan:submit', { raw: 'A', expect: 'anything' })

describe('calls of the window', () => {
  it('are refused while 64 calls run, even calls of another bridge domain, and are accepted afterwards', async () => {
    const first = Array.from({ length: 64 }, stock)
    await untilBegun(64)
    const more = await Promise.all([...Array.from({ length: 1_000 }, stock), call('scan:recent')])
    expect(new Set(more.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify(fail('bridge.too_many_calls'))]),
    )
    const refused = (channel: string): KeptLine => [
      'warn',
      { channel, code: 'bridge.too_many_calls' },
      'a call failed',
    ]
    expect([begun, logged]).toEqual([64, [refused('article.stock'), refused('scan.recent')]])
    release()
    await Promise.all(first)
    expect(await stock()).toEqual(fail('article.stock_not_kept'))
  })

  it('do not block a scan, even if a thousand calls were made before it', async () => {
    const others = Array.from({ length: 1_000 }, stock)
    await untilBegun(64)
    const scans = Array.from({ length: 100 }, scan)
    await untilBegun(164)
    release()
    expect((await Promise.all(scans)).every(({ ok: isTaken }) => isTaken)).toBe(true)
    await Promise.all(others)
  })

  it('handle at most 256 scans at the same time, and a further scan is refused', async () => {
    const all = Array.from({ length: 1_000 }, scan)
    await untilBegun(256)
    release()
    const refused = (await Promise.all(all)).filter(({ ok: isTaken }) => !isTaken)
    expect([refused.length, begun]).toEqual([744, 256])
  })

  it('start in their order, each in its own turn of the event loop', async () => {
    release()
    const names = Array.from({ length: 64 }, (_, at) => `number ${at}`)
    const all = names.map((name, at) =>
      at % 3 === 0
        ? call('scan:submit', { raw: name, expect: 'anything' })
        : call('article:search', { text: name, limit: 5 }),
    )
    expect((await Promise.all(all)).every(({ ok: isDone }) => isDone)).toBe(true)
    expect(starts.map(({ of }) => of)).toEqual(names)
    expect(new Set(starts.map(({ turn }) => turn)).size).toBe(64)
  })
})

describe('location:import', () => {
  it('refuses a file while it reads an earlier file', async () => {
    const text = `A-1;${variantId}\n`
    const all = await Promise.all(Array.from({ length: 20 }, () => call('location:import', { text })))
    expect(all.filter((one) => !one.ok)).toEqual(
      Array.from({ length: 19 }, () => fail('location.import_under_way')),
    )
    expect(imports).toBe(1)
    expect((await call('location:import', { text: 'no list' })).ok).toBe(false)
    expect(await call('location:import', { text })).toMatchObject({ ok: true })
  })
})

describe('a call of the window that fails', () => {
  it('is logged with its channel, code and cause, without typed or received data', async () => {
    release()
    await stock()
    expect(logged).toEqual([
      ['info', { channel: 'article.stock', code: 'article.stock_not_kept' }, 'a call failed'],
    ])
  })

  it('is logged even if its result is ok and only the value of the result contains the failure', async () => {
    release()
    await scan()
    expect(logged).toEqual([['info', { channel: 'scan.submit', code: 'network.offline' }, 'a call failed']])
  })

  it('is logged with the schema errors of its arguments, and without the values of the arguments', async () => {
    const canary = 'Mevrouw de Vries'
    expect(await call('article:stock', { variantId: 7, [canary]: canary })).toEqual(
      fail('bridge.invalid_arguments'),
    )
    expect(await call('scan:submit', { raw: canary.repeat(10_000), expect: canary })).toMatchObject({
      ok: false,
    })
    expect(logged.map(([level, { channel, issues }]) => [level, channel, issues])).toEqual([
      ['warn', 'article.stock', 'invalid_type at variantId'],
      ['warn', 'scan.submit', 'over_limit at raw'],
    ])
    expect(JSON.stringify(logged)).not.toContain(canary)
  })

  it('is logged once, and a second line after ten seconds has the number of its repetitions', async () => {
    for (let n = 0; n < 1_000; n++) await call('article:stock', { variantId: n })
    expect(logged).toHaveLength(1)
    for (const end of ends.splice(0)) end()
    expect(logged.at(-1)).toEqual([
      'warn',
      { channel: 'article.stock', code: 'bridge.invalid_arguments', again: 999 },
      'a call failed again',
    ])
    await call('article:stock', {})
    expect(logged).toHaveLength(3)
  })
})
