import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import { mostSamples, type SpeedSample } from '#shared/bridge/speed-views.ts'
import { durationBetween, type Moment } from '#shared/domain/durations.ts'

/** Samples are sent together after this time, so that no scan has a call of its own. */
const sendAfterMs = 2_000

/** The clocks and frames of the window. */
export interface WindowClock {
  readonly now: () => Moment
  /** Calls back once the next frame was drawn; never if the window is hidden until then. */
  readonly afterFrame: (drawn: () => void) => void
}

/**
 * Measures the scans of this window: from the arrival of a scan until its sound has started, and until the frame with its card
 * was drawn. Nothing in the path of a scan waits for it. The samples are sent to main in batches; a reload loses the last
 * ones.
 */
export class ScanTimes {
  readonly #bridge: Pick<ScandeskBridge, 'speed'>
  readonly #clock: WindowClock
  #sounded: Moment | null = null
  /** Arrival of the newest scan whose card was shown. */
  #shownTicksMs = Number.NEGATIVE_INFINITY
  #samples: SpeedSample[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(bridge: Pick<ScandeskBridge, 'speed'>, clock: WindowClock = browserClock) {
    this.#bridge = bridge
    this.#clock = clock
  }

  /**
   * Returns the arrival of a scan whose last event has this time stamp: a key, or a report of a HID scanner. A program that
   * makes keys may set a stamp that is ahead of the clock; it counts as now.
   */
  arrivalOf(timeStampMs: number): Moment {
    const { ticksMs, wallMs } = this.#clock.now()
    const ageMs = Math.max(0, ticksMs - timeStampMs)
    return { ticksMs: ticksMs - ageMs, wallMs: wallMs - ageMs }
  }

  /** Returns the arrival of a scan whose last byte main read at this time. */
  arrivalAt(iso: string): Moment {
    const { ticksMs, wallMs } = this.#clock.now()
    const atMs = Date.parse(iso)
    return { ticksMs: ticksMs - (wallMs - atMs), wallMs: atMs }
  }

  /** A sound has just started. */
  sounded(): void {
    this.#sounded = this.#clock.now()
  }

  /**
   * A scan has just been handled: its sound was the last one, and the next frame shows its card. `hasCard`: false for a
   * command, which opens a screen or nothing.
   */
  handled(arrived: Moment, hasCard: boolean): void {
    const { ticksMs } = arrived
    // without a sound of its own, the last sound is older than the scan
    if (this.#sounded !== null && this.#sounded.ticksMs >= ticksMs) this.#add('sound', arrived, this.#sounded)
    // the card of a later scan is shown instead
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
      // the callback runs before the frame is drawn, and the next task after it
      setTimeout(drawn)
    })
    const options = { once: true, signal: hidden.signal }
    // a hidden window gets its next frame when it is shown again
    document.addEventListener('visibilitychange', () => cancelAnimationFrame(frame), options)
  },
}
