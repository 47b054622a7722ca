/**
 * One barcode may contain a command behind another code, with a carriage return between them: the scanner sends both in
 * one burst. A command counts only if an operator can have triggered a separate scan for it.
 */

/**
 * A command that begins sooner than this after the end of a scan of the same scanner belongs to the same barcode.
 * Within one barcode a wireless scanner may pause for up to a quarter of a second. An operator who aims at another
 * barcode and triggers again needs longer, and so does a scanner in presentation mode.
 */
export const handPauseMs = 300

/** A scan as the window receives it. */
export interface HeardScan {
  readonly raw: string
  /** Whether it began within `handPauseMs` of the previous input of the same scanner. */
  readonly inBurst: boolean
}

/** When a scan began and ended, in milliseconds of one clock. */
export interface ScanSpan {
  readonly beganMs: number
  readonly endedMs: number
}

/** Watches the pauses between the scans of one scanner. Keyboard scanners of one computer count as one. */
export class BurstWatch {
  #heardMs = Number.NEGATIVE_INFINITY
  #hasCode = false

  /** Whether this scan belongs to the burst of the previous one. Expects the scans in their order. */
  take({ beganMs, endedMs }: ScanSpan): boolean {
    const inBurst = beganMs - this.#endedMs <= handPauseMs
    this.#endedMs = Math.max(this.#endedMs, endedMs)
    return inBurst
  }
}

/**
 * Maximum number of scans that may follow each other without a pause: more than an operator triggers while this PC
 * hangs for seconds, and more than most scanners store. One barcode with carriage returns in it is sent as thousands of
 * scans; a scanner that sends stored scans leaves a pause of `storedPauseMs` between two (electron/scanner/README.md).
 */
const mostWithoutPause = 100
const storedPauseMs = 20

/** Counts the scans of one scanner that follow each other without a pause. */
export class BurstLimit {
  #endedMs = Number.NEGATIVE_INFINITY
  #count = 0

  /** `refused`: the first scan above the limit; `more`: a further one behind it. Expects the scans in their order. */
  take({ beganMs, endedMs }: ScanSpan): 'taken' | 'refused' | 'more' {
    this.#count = beganMs - this.#endedMs < storedPauseMs ? this.#count + 1 : 1
    this.#endedMs = Math.max(this.#endedMs, endedMs)
    if (this.#count <= mostWithoutPause) return 'taken'
    return this.#count === mostWithoutPause + 1 ? 'refused' : 'more'
  }
}
