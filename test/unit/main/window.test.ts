import { EventEmitter } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { openToolsByKey, showAgain } from '../../../electron/main/window.ts'

vi.mock('electron', () => ({ BrowserWindow: {} }))

describe('a second start of the app', () => {
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
    showAgain(window)
    expect(window.calls).toEqual(['isMinimized', 'restore', 'show', 'focus'])
  })

  it('causes no error if the window is closed already', () => {
    expect(() => showAgain(windowThat({ destroyed: true, minimized: false }))).not.toThrow()
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
