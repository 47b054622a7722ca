import { EventEmitter } from 'node:events'
import { join, sep } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { callLogInto } from '#support/call-log.ts'
import type { BridgeHandlers } from '../../electron/main/ipc/bind.ts'
import { channels } from '#shared/bridge/channels.ts'
import { fail, ok } from '#shared/errors/result.ts'

type Handler = (event: unknown, args?: unknown) => unknown

const handlers = new Map<string, Handler>()
vi.mock('electron', () => ({
  app: {},
  ipcMain: { handle: (channel: string, handler: Handler) => void handlers.set(channel, handler) },
}))

const server = 'http://127.0.0.1:5173'
const foreign = [
  'http://127.0.0.1:5174/',
  'http://localhost:5173/',
  'https://127.0.0.1:5173/',
  'ws://127.0.0.1:5173/',
  'http://u@127.0.0.1:5173/',
  'http://127.0.0.1:51730/',
  `${server}\\@evil/`,
  `${server}.evil/`,
]

const { fileFor, isAppUrl, trustDevServer } = await import('../../electron/main/app-files.ts')
const { hardenContents } = await import('../../electron/main/hardening.ts')
const { bindDomain } = await import('../../electron/main/ipc/bind.ts')

/** Whether the window may navigate to the URL. */
function mayNavigate(url: string): boolean {
  const contents = Object.assign(new EventEmitter(), {
    setWindowOpenHandler: vi.fn(),
    setWebRTCIPHandlingPolicy: vi.fn(),
  })
  hardenContents(contents as unknown as Parameters<typeof hardenContents>[0])
  const preventDefault = vi.fn()
  contents.emit('will-navigate', { url, preventDefault })
  return preventDefault.mock.calls.length === 0
}

/** Returns the result of a call from a page at this address. */
const callFrom = (url: string): unknown =>
  handlers.get('article:search')?.({ senderFrame: { parent: null, url } }, { text: 'a', limit: 5 })

beforeEach(() => {
  const found = { articles: [], more: false, complete: true, asOf: null }
  const handler = (): unknown => Promise.resolve(ok(found))
  const article = Object.fromEntries(channels.article.map((method) => [method, handler]))
  bindDomain('article', article as unknown as BridgeHandlers['article'], callLogInto())
})
afterEach(() => trustDevServer(null))

describe('the page of a development server', () => {
  it('is refused unless main trusts it', async () => {
    expect(isAppUrl(`${server}/index.html`)).toBe(false)
    expect(mayNavigate(`${server}/index.html`)).toBe(false)
    expect(await callFrom(`${server}/index.html`)).toEqual(fail('bridge.forbidden_sender'))
  })

  it('can be shown and can call main if main trusts its address; pages of other servers can do neither', async () => {
    trustDevServer(server)
    for (const url of [server, `${server}/`, `${server}/index.html?x#y`, 'app://desk/']) {
      expect(isAppUrl(url), url).toBe(true)
      expect(mayNavigate(url), url).toBe(true)
      expect(await callFrom(url), url).toEqual(ok(expect.anything()))
    }
    for (const url of foreign) {
      expect(isAppUrl(url), url).toBe(false)
      expect(mayNavigate(url), url).toBe(false)
      expect(await callFrom(url), url).toEqual(fail('bridge.forbidden_sender'))
    }
  })

  it('receives no file of the built app', () => {
    trustDevServer(server)
    expect(fileFor(join(sep, 'built'), 'GET', `${server}/index.html`)).toBeNull()
    expect(fileFor(join(sep, 'built'), 'GET', 'app://desk/index.html')).not.toBeNull()
  })
})
