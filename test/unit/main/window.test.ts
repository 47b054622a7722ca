import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { onFurtherStart, openToolsByKey, reloadAfterCrash } from '../../../electron/main/window.ts'

vi.mock('electron', () => ({ BrowserWindow: {} }))

describe('a further start of the app', () => {
  const windowThat = (state: { destroyed: boolean; minimized: boolean }) => {
    const calls: string[] = []
    /** Throws if the window is destroyed, as a method of an Electron window does. */
    const call = (name: string) => (): void => {
      if (state.destroyed) throw new TypeError('Object has been destroyed')
      calls.push(name)
    }
    return {
      calls,
      isDestroyed: () => state.destroyed,
      isMinimized: () => (call('isMinimized')(), state.minimized),
      restore: call('restore'),
      show: call('show'),
      focus: call('focus'),
    }
  }

  it('brings the open window to the front', () => {
    const window = windowThat({ destroyed: false, minimized: true })
    onFurtherStart(window, () => window.calls.push('relaunch'))()
    expect(window.calls).toEqual(['isMinimized', 'restore', 'show', 'focus'])
  })

  it('starts the app again once after its end, if the window is closed already', () => {
    const window = windowThat({ destroyed: true, minimized: false })
    const listener = onFurtherStart(window, () => window.calls.push('relaunch'))
    listener()
    listener()
    expect(window.calls).toEqual(['relaunch'])
  })
})

describe('reloadAfterCrash()', () => {
  const minute = 60_000
  let window: { webContents: EventEmitter; isDestroyed: () => boolean }
  /** The times at which the page was loaded, in milliseconds. */
  let loads: number[]
  let isDestroyed: boolean

  const crash = (): void =>
    void window.webContents.emit('render-process-gone', {}, { reason: 'oom', exitCode: 5 })

  beforeEach(() => {
    vi.useFakeTimers({ now: 0 })
    loads = []
    isDestroyed = false
    window = { webContents: new EventEmitter(), isDestroyed: () => isDestroyed }
    const load = (): Promise<void> => {
      loads.push(Date.now())
      return Promise.resolve()
    }
    reloadAfterCrash(window as unknown as Parameters<typeof reloadAfterCrash>[0], {
      load,
      ticks: () => Date.now(),
      logger: { error: vi.fn() },
    })
  })
  afterEach(() => vi.useRealTimers())

  it('loads the page after its process has ended', async () => {
    crash()
    await vi.advanceTimersByTimeAsync(1)
    expect(loads).toHaveLength(1)
  })

  it('loads a page that always crashes at most three times a minute', async () => {
    let crashes = 0
    for (let second = 0; second < 300; second++) {
      if (crashes === loads.length) {
        crash()
        crashes++
      }
      await vi.advanceTimersByTimeAsync(1_000)
    }
    for (const at of loads)
      expect(loads.filter((other) => other >= at && other < at + minute).length).toBeLessThanOrEqual(3)
    expect(loads.length).toBeGreaterThan(9)
  })

  it('does nothing after the window is closed', async () => {
    crash()
    isDestroyed = true
    await vi.advanceTimersByTimeAsync(minute)
    expect(loads).toEqual([])
  })
})

describe('the developer tools', () => {
  it('open with the key F12 only, and the page does not receive this key', () => {
    const toggleDevTools = vi.fn()
    const webContents = Object.assign(new EventEmitter(), { toggleDevTools })
    openToolsByKey({ webContents } as unknown as Parameters<typeof openToolsByKey>[0])
    const press = (type: string, key: string): boolean => {
      const preventDefault = vi.fn()
      webContents.emit('before-input-event', { preventDefault }, { type, key })
      return preventDefault.mock.calls.length > 0
    }
    expect([press('keyDown', 'F11'), press('keyUp', 'F12'), press('keyDown', 'I')]).toEqual([
      false,
      false,
      false,
    ])
    expect(toggleDevTools).not.toHaveBeenCalled()
    expect(press('keyDown', 'F12')).toBe(true)
    expect(toggleDevTools).toHaveBeenCalledOnce()
  })
})
