import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keepLoaded, onFurtherStart, openToolsByKey } from '../../../electron/main/window.ts'

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

describe('keepLoaded()', () => {
  const minute = 60_000
  let window: { webContents: EventEmitter; isDestroyed: () => boolean }
  /** The times at which the page was loaded, in milliseconds. */
  let loads: number[]
  /** The times at which the dialog about crashes opened and closed, in milliseconds. */
  let dialogs: { opened: number; closed: number | null }[]
  let isDestroyed: boolean
  /** Called at each load of the page. A function that does nothing stands for a load that succeeds. */
  let loading: () => Promise<void>

  const crash = (): void =>
    void window.webContents.emit('render-process-gone', {}, { reason: 'oom', exitCode: 5 })
  const keep = (): Promise<void> =>
    keepLoaded(window as unknown as Parameters<typeof keepLoaded>[0], {
      load: () => {
        loads.push(Date.now())
        return loading()
      },
      ticks: () => Date.now(),
      tell: (signal) => {
        const dialog: (typeof dialogs)[number] = { opened: Date.now(), closed: null }
        dialogs.push(dialog)
        signal.addEventListener('abort', () => (dialog.closed = Date.now()))
        return Promise.resolve()
      },
      logger: { error: vi.fn() },
    })

  beforeEach(() => {
    vi.useFakeTimers({ now: 0 })
    loads = []
    dialogs = []
    isDestroyed = false
    loading = () => Promise.resolve()
    window = { webContents: new EventEmitter(), isDestroyed: () => isDestroyed }
  })
  afterEach(() => vi.useRealTimers())

  it('loads the page again after its process has ended', async () => {
    await keep()
    crash()
    await vi.advanceTimersByTimeAsync(1)
    expect(loads).toHaveLength(2)
    expect(dialogs).toEqual([])
  })

  it.each(['before', 'after'])(
    'loads the page again if its process ends during the first load and is reported %s the failure of the load',
    async (order) => {
      loading = () => {
        loading = () => Promise.resolve()
        if (order === 'before') crash()
        else queueMicrotask(() => queueMicrotask(crash))
        return Promise.reject(new Error('ERR_FAILED'))
      }
      const kept = expect(keep()).resolves.toBeUndefined()
      await vi.advanceTimersByTimeAsync(minute)
      await kept
      expect(loads).toHaveLength(2)
    },
  )

  it('rejects if the first load fails while the process of the page runs', async () => {
    loading = () => Promise.reject(new Error('ERR_CONNECTION_REFUSED'))
    const kept = expect(keep()).rejects.toThrow('ERR_CONNECTION_REFUSED')
    await vi.advanceTimersByTimeAsync(minute)
    await kept
    expect(loads).toHaveLength(1)
  })

  it('after the first load, loads a page that always crashes at most three times a minute', async () => {
    await keep()
    let crashes = 0
    for (let second = 0; second < 300; second++) {
      if (crashes < loads.length) {
        crash()
        crashes++
      }
      await vi.advanceTimersByTimeAsync(1_000)
    }
    const further = loads.slice(1)
    for (const at of further)
      expect(further.filter((other) => other >= at && other < at + minute).length).toBeLessThanOrEqual(3)
    expect(further.length).toBeGreaterThan(9)
  })

  it('tells the operator about repeated crashes until the page loads again', async () => {
    await keep()
    for (let second = 0; second < 4; second++) {
      crash()
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(dialogs).toEqual([{ opened: 3_000, closed: null }])
    await vi.advanceTimersByTimeAsync(minute)
    expect(dialogs).toEqual([{ opened: 3_000, closed: loads.at(-1) }])
    expect(loads).toHaveLength(5)
  })

  it('does not load the page again after the window is closed', async () => {
    await keep()
    crash()
    isDestroyed = true
    await vi.advanceTimersByTimeAsync(minute)
    expect(loads).toHaveLength(1)
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
