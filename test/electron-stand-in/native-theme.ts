import { EventEmitter } from 'node:events'

export type ColorScheme = 'system' | 'light' | 'dark'

/**
 * Implements nativeTheme. For shouldUseDarkColors, the themeSource 'system' counts as light. Every page gets
 * themeSource as prefers-color-scheme; if it is 'system', Chromium decides.
 */
class NativeTheme extends EventEmitter {
  readonly shouldUseHighContrastColors = false
  readonly shouldUseInvertedColorScheme = false
  readonly prefersReducedTransparency = false
  readonly inForcedColorsMode = false
  readonly #followers = new EventEmitter().setMaxListeners(0)
  #source: ColorScheme = 'system'

  get themeSource(): ColorScheme {
    return this.#source
  }

  set themeSource(source: ColorScheme) {
    this.#source = source
    this.#followers.emit('scheme', source)
    this.emit('updated')
  }

  get shouldUseDarkColors(): boolean {
    return this.#source === 'dark'
  }

  onScheme(follow: (scheme: ColorScheme) => void): void {
    this.#followers.on('scheme', follow)
  }
}

export const nativeTheme = new NativeTheme()
