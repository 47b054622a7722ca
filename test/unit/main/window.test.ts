import { describe, expect, it, vi } from 'vitest'
import { showAgain } from '../../../electron/main/window.ts'

vi.mock('electron', () => ({ BrowserWindow: {} }))

describe('a second start', () => {
  const windowThat = (state: { destroyed: boolean; minimized: boolean }) => {
    const calls: string[] = []
    /** Electron throws at every call on a window that is gone. */
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

  it('brings the window to the front', () => {
    const window = windowThat({ destroyed: false, minimized: true })
    showAgain(window)
    expect(window.calls).toEqual(['isMinimized', 'restore', 'show', 'focus'])
  })

  it('does nothing to a window that was closed while the desk still finishes', () => {
    expect(() => showAgain(windowThat({ destroyed: true, minimized: false }))).not.toThrow()
  })
})
