import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hearsKeys, watchFocus } from '../../../src/scanner/window-focus.ts'

/** The parts of a window that the focus detection reads. */
class FakeWindow extends EventTarget {
  isFocused = true
  active: { readonly tagName: string } | null = { tagName: 'BODY' }
  readonly document = this.#document()
  readonly setTimeout = (act: () => void, ms: number): unknown => setTimeout(act, ms)
  readonly setInterval = (act: () => void, ms: number): unknown => setInterval(act, ms)
  readonly clearInterval = (timer: NodeJS.Timeout): void => {
    clearInterval(timer)
  }

  #document(): Parameters<typeof hearsKeys>[0] {
    const isFocused = (): boolean => this.isFocused
    const active = (): FakeWindow['active'] => this.active
    return {
      hasFocus: isFocused,
      get activeElement() {
        return active()
      },
    }
  }
}

let fake: FakeWindow
let changes: boolean[]
let stop: () => void

beforeEach(() => {
  vi.useFakeTimers()
  fake = new FakeWindow()
  changes = []
  stop = watchFocus(fake as unknown as Window, () => changes.push(hearsKeys(fake.document)))
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

describe('hearsKeys()', () => {
  it('returns true while any part of the window has the focus', () => {
    expect(hearsKeys(fake.document)).toBe(true)
    fake.active = { tagName: 'INPUT' }
    expect(hearsKeys(fake.document)).toBe(true)
    fake.active = null
    expect(hearsKeys(fake.document)).toBe(true)
  })

  it.each(['IFRAME', 'webview', 'OBJECT', 'EMBED'])(
    'returns false while a %s in the window has the focus',
    (tagName) => {
      fake.active = { tagName }
      expect(hearsKeys(fake.document)).toBe(false)
    },
  )
})

describe('a change of focus', () => {
  it('is reported at once when the window sends an event', () => {
    fake.isFocused = false
    fake.dispatchEvent(new Event('blur'))
    fake.isFocused = true
    fake.dispatchEvent(new Event('focus'))
    expect(changes).toEqual([false, true])
  })

  it('into a frame is detected even if the frame becomes the active element only after the event', () => {
    fake.dispatchEvent(new Event('blur'))
    fake.active = { tagName: 'IFRAME' }
    expect(changes).toEqual([])
    vi.advanceTimersByTime(0)
    expect(changes).toEqual([false])
  })

  it('without an event is detected within five seconds, and reported once', () => {
    fake.isFocused = false
    vi.advanceTimersByTime(5000)
    expect(changes).toEqual([false])
  })

  it('is not detected after the listener has stopped', () => {
    stop()
    fake.isFocused = false
    fake.dispatchEvent(new Event('blur'))
    vi.advanceTimersByTime(5000)
    expect(changes).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})
