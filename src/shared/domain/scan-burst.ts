/**
 * One barcode may hold a command behind another code, with a carriage return between them: the scanner sends both in one
 * burst. A command counts only where a hand can have triggered a scan of its own for it.
 */

/**
 * A command that begins sooner after the end of a scan of the same scanner belongs to the same barcode. Inside one barcode a
 * wireless scanner hiccups for up to a quarter of a second. A hand that triggers again, having aimed at another barcode,
 * needs longer than this, and so does a scanner in presentation mode that is shown the next one.
 */
export const handPauseMs = 300

/** A scan as the window hears it. */
export interface HeardScan {
  readonly raw: string
  /** It began within `handPauseMs` of what the same scanner sent before it. */
  readonly inBurst: boolean
}

/** When a scan began and ended, in milliseconds of one clock. */
export interface ScanSpan {
  readonly beganMs: number
  readonly endedMs: number
}

/** Watches the pauses between what one scanner sends. Keyboard scanners of one computer count as one. */
export class BurstWatch {
  #endedMs = Number.NEGATIVE_INFINITY

  /** Whether this scan came in one burst with the one before it. Takes the scans in their order. */
  take({ beganMs, endedMs }: ScanSpan): boolean {
    const inBurst = beganMs - this.#endedMs <= handPauseMs
    this.#endedMs = Math.max(this.#endedMs, endedMs)
    return inBurst
  }
}

/**
 * Most scans that may follow each other without a pause: more than a hand makes while this PC stands still for seconds, and
 * more than most scanners store. One barcode with carriage returns in it is sent as thousands of
 * scans; a scanner that sends stored scans leaves a pause of `storedPauseMs` between two (electron/scanner/README.md).
 */
const mostWithoutPause = 100
const storedPauseMs = 20

/** Counts the scans of one scanner that follow each other without a pause. */
export class BurstLimit {
  #endedMs = Number.NEGATIVE_INFINITY
  #count = 0

  /** `refused`: this is the first one too many; `more`: another one behind it. Takes the scans in their order. */
  take({ beganMs, endedMs }: ScanSpan): 'taken' | 'refused' | 'more' {
    this.#count = beganMs - this.#endedMs < storedPauseMs ? this.#count + 1 : 1
    this.#endedMs = Math.max(this.#endedMs, endedMs)
    if (this.#count <= mostWithoutPause) return 'taken'
    return this.#count === mostWithoutPause + 1 ? 'refused' : 'more'
  }
}
