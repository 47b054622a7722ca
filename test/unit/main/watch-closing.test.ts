import { EventEmitter } from 'node:events'
import type { BrowserWindow } from 'electron'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const electron = vi.hoisted(() => ({
  app: null as EventEmitter | null,
  powerMonitor: null as EventEmitter | null,
}))
vi.mock('electron', async () => {
  const { EventEmitter: Emitter } = await import('node:events')
  electron.app = Object.assign(new Emitter(), { quit: () => undefined })
  electron.powerMonitor = new Emitter()
  return electron
})

const { watchClosing } = await import('../../../electron/main/watch-closing.ts')

const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {}
let window: EventEmitter & { webContents: EventEmitter; isDestroyed: () => boolean }
let asked: number
let allowed: boolean
let answers: boolean

function watch(on: NodeJS.Platform): void {
  Object.defineProperty(process, 'platform', { ...platform, value: on })
  watchClosing(window as unknown as BrowserWindow, {
    allow: () => (allowed = true),
    mayClose() {
      asked++
      return allowed || !answers
    },
    windowAnswers: (does) => (answers = does),
  })
}

/** Emits an event and returns whether the listeners prevented it. */
function prevents(emitter: EventEmitter | null, name: string): boolean {
  let prevented = false
  emitter?.emit(name, { preventDefault: () => (prevented = true) })
  return prevented
}

beforeEach(() => {
  window = Object.assign(new EventEmitter(), { webContents: new EventEmitter(), isDestroyed: () => false })
  asked = 0
  allowed = false
  answers = true
})

afterEach(() => {
  Object.defineProperty(process, 'platform', platform)
  electron.app?.removeAllListeners()
  electron.powerMonitor?.removeAllListeners()
  process.removeAllListeners('SIGTERM')
  process.removeAllListeners('SIGHUP')
})

describe('watchClosing()', () => {
  it('asks the closing guard when an operator closes the window, but not while the page has crashed or hangs', () => {
    watch('linux')
    expect(prevents(window, 'close')).toBe(true)
    for (const [gone, back] of [
      [
        () => window.webContents.emit('render-process-gone'),
        () => window.webContents.emit('did-finish-load'),
      ],
      [() => window.emit('unresponsive'), () => window.emit('responsive')],
    ] as const) {
      gone()
      expect(prevents(window, 'close')).toBe(false)
      back()
      expect(prevents(window, 'close')).toBe(true)
    }
  })

  it.each(['linux', 'win32'] as const)(
    'allows the app to quit on %s without asking the closing guard',
    (on) => {
      watch(on)
      expect(prevents(electron.app, 'before-quit')).toBe(false)
      expect(asked).toBe(0)
      expect(prevents(window, 'close')).toBe(false)
    },
  )

  it('asks the closing guard before the app quits on macOS, except if the window is closed already', () => {
    watch('darwin')
    expect(prevents(electron.app, 'before-quit')).toBe(true)
    window.isDestroyed = () => true
    expect(prevents(electron.app, 'before-quit')).toBe(false)
  })

  it('does not delay a shutdown of the system', () => {
    watch('win32')
    window.emit('query-session-end', {})
    expect(prevents(window, 'close')).toBe(false)
    allowed = false
    watch('darwin')
    electron.powerMonitor?.emit('shutdown')
    expect(prevents(electron.app, 'before-quit')).toBe(false)
  })

  it.each(['SIGTERM', 'SIGHUP'] as const)(
    'lets the app quit without a question after the signal %s',
    (signal) => {
      watch('darwin')
      process.emit(signal)
      expect(prevents(electron.app, 'before-quit')).toBe(false)
    },
  )
})
