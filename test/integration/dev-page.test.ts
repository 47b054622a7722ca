import { EventEmitter } from 'node:events'
import { join, sep } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DeskHost } from '../../electron/main/desk-host.ts'
import type { Logger } from '#kit/logger.ts'
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
const { bindArticle } = await import('../../electron/main/ipc/article.ipc.ts')

/** Whether the window may go there by itself. */
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

/** What a call from a page at this address gets. */
const callFrom = (url: string): unknown =>
  handlers.get('article:search')?.({ senderFrame: { parent: null, url } }, { text: 'a', limit: 5 })

beforeEach(() => {
  const desk = { articles: { search: () => ({ articles: [], more: false, complete: true, asOf: null }) } }
  bindArticle(
    { desk: () => Promise.resolve(desk) } as unknown as DeskHost,
    { error: console.error } as unknown as Logger,
  )
})
afterEach(() => trustDevServer(null))

describe('the page of a development server', () => {
  it('is somebody else’s unless main trusts it', async () => {
    expect(isAppUrl(`${server}/index.html`)).toBe(false)
    expect(mayNavigate(`${server}/index.html`)).toBe(false)
    expect(await callFrom(`${server}/index.html`)).toEqual(fail('bridge.forbidden_sender'))
  })

  it('may call main and be shown once main trusts it, and no other address may', async () => {
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

  it('is never answered with a file of the app', () => {
    trustDevServer(server)
    expect(fileFor(join(sep, 'built'), 'GET', `${server}/index.html`)).toBeNull()
    expect(fileFor(join(sep, 'built'), 'GET', 'app://desk/index.html')).not.toBeNull()
  })
})
