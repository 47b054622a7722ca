import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import type { Logger } from '#kit/logger.ts'
import type { ScanOutcome } from '#shared/bridge/scan-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { pcSettings } from '#support/pc-settings.ts'
import { Stations } from '../../../electron/main/stations.ts'

type Handler = (event: unknown, args?: unknown) => Promise<Result<unknown>> | Result<unknown>

const handlers = new Map<string, Handler>()
vi.mock('electron', () => ({
  ipcMain: { handle: (channel: string, handler: Handler) => void handlers.set(channel, handler) },
}))
// test files of one worker share modules, and each has an electron of its own
vi.resetModules()
const { bindDomain } = await import('../../../electron/main/ipc/bind.ts')
const { deskHandlers } = await import('../../../electron/main/ipc/desk.ipc.ts')

const ownFrame = { senderFrame: { parent: null, url: 'app://desk/index.html' } }
const call = async (channel: string, args?: unknown): Promise<Result<unknown>> => {
  const handler = handlers.get(channel)
  if (!handler) throw new Error(`nothing is bound to ${channel}`)
  return handler(ownFrame, args)
}

let logged: unknown[]
/** Ends every call of the service that is under way. */
let release: () => void
let begun: number
let imports: number

beforeEach(() => {
  logged = []
  begun = 0
  imports = 0
  const held = Promise.withResolvers<undefined>()
  release = () => held.resolve(undefined)
  const logger = { error: (facts: unknown) => void logged.push(facts) } as unknown as Logger
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
      search: () => ({ articles: [], more: false, complete: true }),
    },
    scan: { submit: () => later(outcome) },
    location: {
      import: () => (imports++, ok({ added: 1, changed: 0, unchanged: 0, skipped: [], locations: [] })),
    },
  } as unknown as Desk
  const domains = deskHandlers({
    host: { desk: () => Promise.resolve(desk) },
    settings: { update: () => undefined },
    stations: new Stations(pcSettings()),
  })
  bindDomain('article', domains.article, logger)
  bindDomain('location', domains.location, logger)
  bindDomain('scan', domains.scan, logger)
})

/** Lets what was called come as far as it gets. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const variantId = '3f2b8c1a-9d4e-4f6a-8b7c-000000000001'
const stock = (): Promise<Result<unknown>> => call('article:stock', { variantId })
const scan = (): Promise<Result<unknown>> => call('scan:submit', { raw: 'A', expect: 'anything' })

describe('calls of the window', () => {
  it('are refused beyond 64 at once, in all domains together, and taken again once one has ended', async () => {
    const first = Array.from({ length: 64 }, stock)
    await turn()
    const more = await Promise.all([...Array.from({ length: 1_000 }, stock), call('scan:recent')])
    expect(new Set(more.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify(fail('bridge.too_many_calls'))]),
    )
    expect([begun, logged]).toEqual([64, [{ channel: 'article:stock' }]])
    release()
    await Promise.all(first)
    expect(await stock()).toEqual(fail('article.stock_not_kept'))
  })

  it('never cost a scan, however many there are', async () => {
    const others = Array.from({ length: 1_000 }, stock)
    await turn()
    const scans = Array.from({ length: 100 }, scan)
    await turn()
    release()
    expect((await Promise.all(scans)).every(({ ok: isTaken }) => isTaken)).toBe(true)
    await Promise.all(others)
  })

  it('submit 256 scans at once at most, more than any scanner has under way', async () => {
    const all = Array.from({ length: 1_000 }, scan)
    await turn()
    expect(begun).toBe(256)
    release()
    const refused = (await Promise.all(all)).filter(({ ok: isTaken }) => !isTaken)
    expect(refused).toHaveLength(744)
  })
})

it('reads one file of locations at a time, and the next once that is done', async () => {
  const text = `A-1;${variantId}\n`
  const all = await Promise.all(Array.from({ length: 20 }, () => call('location:import', { text })))
  expect(all.filter((one) => !one.ok)).toEqual(
    Array.from({ length: 19 }, () => fail('location.import_under_way')),
  )
  expect(imports).toBe(1)
  expect((await call('location:import', { text: 'no list' })).ok).toBe(false)
  expect(await call('location:import', { text })).toMatchObject({ ok: true })
})
