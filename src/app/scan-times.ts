import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import { mostSamples, type SpeedSample } from '#shared/bridge/speed-views.ts'
import { durationBetween, type Moment } from '#shared/domain/durations.ts'

/**
 * Time in milliseconds for which the measured times of scans are collected. They are then sent to the main process in
 * one call, so that no scan needs a call of its own.
 */
const sendAfterMs = 2_000

/**
 * The clock of the window, and a function that reports when the next frame was drawn. The times of scans are measured
 * with both.
 */
export interface WindowClock {
  readonly now: () => Moment
  /**
   * Calls `drawn` after the next frame was drawn. If the window is hidden before that frame, `drawn` is never called.
   */
  readonly afterFrame: (drawn: () => void) => void
}

/**
 * Measures the scans of this window: from the arrival of a scan until its sound has started, and until the frame with
 * its card was drawn. No scan waits for the measurement. The samples are sent to main in batches; a reload of the
 * window loses the last batch.
 */
export class ScanTimes {
  readonly #bridge: Pick<ScandeskBridge, 'speed'>
  readonly #clock: WindowClock
  #sounded: Moment | null = null
  /** Arrival time of the newest scan whose card was shown, in milliseconds of the window's clock. */
  #shownTicksMs = Number.NEGATIVE_INFINITY
  #samples: SpeedSample[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(bridge: Pick<ScandeskBridge, 'speed'>, clock: WindowClock = browserClock) {
    this.#bridge = bridge
    this.#clock = clock
  }

  /**
   * Returns the arrival of a scan from the time stamp of its last event: a key, or a report of a HID scanner. A program
   * that sends keys can set a time stamp ahead of the clock; such a time stamp counts as now.
   */
  arrivalOf(timeStampMs: number): Moment {
    const { ticksMs, wallMs } = this.#clock.now()
    const ageMs = Math.max(0, ticksMs - timeStampMs)
    return { ticksMs: ticksMs - ageMs, wallMs: wallMs - ageMs }
  }

  /** Returns the arrival of a scan. `iso`: when the main process read the last byte of the scan. */
  arrivalAt(iso: string): Moment {
    const { ticksMs, wallMs } = this.#clock.now()
    const atMs = Date.parse(iso)
    return { ticksMs: ticksMs - (wallMs - atMs), wallMs: atMs }
  }

  /** Records that a sound has just started. */
  sounded(): void {
    this.#sounded = this.#clock.now()
  }

  /**
   * Records that a scan has just been handled. The last sound belongs to this scan, unless the sound is older than the
   * scan. The next frame shows the card of the scan. `hasCard` is false for a command, because a command shows no card
   * of its own.
   */
  handled(arrived: Moment, hasCard: boolean): void {
    const { ticksMs } = arrived
    // if the last sound is older than the scan, the scan had no sound
    if (this.#sounded !== null && this.#sounded.ticksMs >= ticksMs) this.#add('sound', arrived, this.#sounded)
    // if the card of a later scan is already shown, the card of this scan is not drawn
    if (!hasCard || ticksMs < this.#shownTicksMs) return
    this.#shownTicksMs = ticksMs
    this.#clock.afterFrame(() => {
      this.#add('card', arrived, this.#clock.now())
    })
  }

  #add(kind: SpeedSample['kind'], from: Moment, to: Moment): void {
    const ms = durationBetween(from, to)
    if (ms === null || this.#samples.length >= mostSamples) return
    this.#samples.push({ kind, ms })
    this.#timer ??= setTimeout(() => {
      this.#send()
    }, sendAfterMs)
  }

  #send(): void {
    const samples = this.#samples
    this.#samples = []
    this.#timer = undefined
    void this.#bridge.speed.add({ samples })
  }
}

const browserClock: WindowClock = {
  now: () => ({ ticksMs: performance.now(), wallMs: Date.now() }),
  afterFrame: (drawn) => {
    if (document.hidden) return
    const hidden = new AbortController()
    const frame = requestAnimationFrame(() => {
      hidden.abort()
      // the callback of requestAnimationFrame runs before the frame is drawn, so the task after the callback marks the
      // end of drawing
      setTimeout(drawn)
    })
    const options = { once: true, signal: hidden.signal }
    // a hidden window draws its next frame only when it is shown again, so the measurement would include the time for
    // which the window was hidden
    document.addEventListener('visibilitychange', () => cancelAnimationFrame(frame), options)
  },
}
