import type { BrowserWindowConstructorOptions, Rectangle } from 'electron'
import { workArea } from './screen.ts'

type Mode = 'maximized' | 'minimized' | 'fullscreen'

interface WindowEffects {
  emit(event: string): void
  resize(size: { width: number; height: number }): void
}

const modeEvents: Readonly<Record<Mode, readonly [on: string, off: string]>> = {
  maximized: ['maximize', 'unmaximize'],
  minimized: ['minimize', 'restore'],
  fullscreen: ['enter-full-screen', 'leave-full-screen'],
}

/**
 * The state of a window that a window manager would keep. There is no window manager: a maximized or full-screen window
 * gets the size of the screen, the frame has no thickness, and a hidden or minimized window only reports that state.
 */
export class WindowState {
  title: string
  visible: boolean
  focused: boolean
  kiosk: boolean
  menuBarVisible = true
  minimum: { width: number; height: number }
  readonly #effects: WindowEffects
  readonly #modes = new Set<Mode>()
  #normal: Rectangle

  constructor(options: BrowserWindowConstructorOptions, appName: string, effects: WindowEffects) {
    this.#effects = effects
    this.title = options.title ?? appName
    this.visible = options.show ?? true
    this.focused = this.visible
    this.kiosk = options.kiosk ?? false
    this.minimum = { width: options.minWidth ?? 0, height: options.minHeight ?? 0 }
    const { x = 0, y = 0, width = 800, height = 600 } = options
    this.#normal = {
      x,
      y,
      width: Math.max(width, this.minimum.width),
      height: Math.max(height, this.minimum.height),
    }
    if (this.kiosk || options.fullscreen === true) this.#modes.add('fullscreen')
  }

  get bounds(): Rectangle {
    const fills = this.#modes.has('maximized') || this.#modes.has('fullscreen')
    return fills ? { ...workArea } : { ...this.#normal }
  }

  get normalBounds(): Rectangle {
    return { ...this.#normal }
  }

  is(mode: Mode): boolean {
    return this.#modes.has(mode)
  }

  setMode(mode: Mode, on: boolean): void {
    if (this.#modes.has(mode) === on) return
    if (on) this.#modes.add(mode)
    else this.#modes.delete(mode)
    this.#effects.emit(modeEvents[mode][on ? 0 : 1])
    if (mode === 'minimized') return
    this.#effects.resize(this.bounds)
    this.#effects.emit('resize')
  }

  setBounds(bounds: Partial<Rectangle>): void {
    const next = { ...this.#normal, ...bounds }
    next.width = Math.max(next.width, this.minimum.width)
    next.height = Math.max(next.height, this.minimum.height)
    const resized = next.width !== this.#normal.width || next.height !== this.#normal.height
    const moved = next.x !== this.#normal.x || next.y !== this.#normal.y
    this.#normal = next
    if (moved) this.#effects.emit('move')
    if (!resized) return
    this.#effects.resize(this.bounds)
    this.#effects.emit('resize')
  }

  show(): void {
    this.visible = true
    this.#effects.emit('show')
  }

  hide(): void {
    if (!this.visible) return
    this.visible = false
    this.setFocused(false)
    this.#effects.emit('hide')
  }

  /** Sets whether the window has the focus. @returns whether the focus changed. */
  setFocused(focused: boolean): boolean {
    if (this.focused === focused) return false
    this.focused = focused
    this.#effects.emit(focused ? 'focus' : 'blur')
    return true
  }
}
