import type { Page } from '@playwright/test'

export interface ScanTimes {
  /** Milliseconds from the last key before the scanner's Enter (which the desk removes) to the first tone. */
  readonly soundMs: number
  /** Milliseconds from the last key before the scanner's Enter to the frame that shows the card. */
  readonly cardMs: number
}

/** Records the times of keys and tones by the page's clock. Call it once, before the first scan. */
export async function hearSounds(page: Page): Promise<void> {
  await page.evaluate(() => {
    const heard = { keys: [] as number[], tones: [] as number[] }
    Object.assign(window, { heard })
    window.addEventListener('keydown', () => void heard.keys.push(performance.now()), { capture: true })
    // Replaces the method of AudioContext that creates oscillators. The page creates one oscillator for each tone, so
    // each call of the method is a tone.
    Object.defineProperty(AudioContext.prototype, 'createOscillator', {
      value(this: AudioContext) {
        heard.tones.push(performance.now())
        return new OscillatorNode(this)
      },
    })
  })
}

interface Heard {
  readonly keys: number[]
  readonly tones: number[]
}

/** Measures one scan. The scan must cause a sound and show the card that the selector `card` matches. */
export async function timeScan(page: Page, card: string, scan: () => Promise<unknown>): Promise<ScanTimes> {
  const watch = await page.evaluateHandle((wanted) => {
    const { keys, tones } = (window as unknown as { heard: Heard }).heard
    keys.length = 0
    tones.length = 0
    const shown = new Promise<{ soundMs: number; cardMs: number }>((done) => {
      const look = (): void => {
        const [key, tone] = [keys.at(-1), tones[0]]
        const isShown = key !== undefined && tone !== undefined && document.querySelector(wanted)
        if (isShown) done({ soundMs: tone - key, cardMs: performance.now() - key })
        else requestAnimationFrame(look)
      }
      look()
    })
    return { shown }
  }, card)
  await scan()
  return watch.evaluate(({ shown }) => shown)
}
