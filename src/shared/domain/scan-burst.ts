/**
 * One barcode can contain a code, a carriage return and then a command: the scanner sends both in one burst. A command
 * counts only if the silence before the command is long enough for a separate scan by the operator.
 */

/**
 * Minimum time between the end of a scan and a command of the same scanner, in milliseconds. A command that begins
 * sooner belongs to the same barcode. Within one barcode a wireless scanner may pause for up to a quarter of a second.
 * An operator who aims at another barcode and triggers again needs more than this minimum, and so does a scanner in
 * presentation mode.
 */
export const handPauseMs = 300

/** A scan as the window receives it. */
export interface HeardScan {
  readonly raw: string
  /**
   * Whether another code precedes the scan in the same burst: the silence between them was not longer than
   * `handPauseMs`.
   */
  readonly inBurst: boolean
}

/** When a scan began and ended, in milliseconds of one clock. */
export interface ScanSpan {
  readonly beganMs: number
  readonly endedMs: number
}

/**
 * Follows the bursts of one scanner, byte by byte or key by key. Only a silence ends a burst. Characters between two
 * codes of one barcode, such as a carriage return, do not end it. All keyboard scanners of one computer count as one
 * scanner.
 */
export class BurstWatch {
  #heardMs = Number.NEGATIVE_INFINITY
  #hasCode = false

  /** Records any input of the scanner. */
  heard(atMs: number): void {
    if (atMs - this.#heardMs > handPauseMs) this.#hasCode = false
    this.#heardMs = Math.max(this.#heardMs, atMs)
  }

  /** Records the beginning of a possible code. Returns whether another code precedes this code in the same burst. */
  begin(atMs: number): boolean {
    this.heard(atMs)
    const inBurst = this.#hasCode
    this.#hasCode = true
    return inBurst
  }
}

/**
 * Maximum number of scans that may follow each other without a pause: more than an operator triggers while this PC
 * hangs for seconds, and more than most scanners store. One barcode with carriage returns in it may be sent as
 * thousands of scans. The time between two scans is a pause if it is not shorter than `storedPauseMs`. A scanner that
 * sends stored scans must be set up to pause between two scans (electron/serial-scanner/README.md).
 */
const mostWithoutPause = 100
const storedPauseMs = 20

/** Counts the scans of one scanner that follow each other without a pause. */
export class BurstLimit {
  #endedMs = Number.NEGATIVE_INFINITY
  #count = 0

  /**
   * Counts a scan. Returns `refused` for the first scan above the limit, and `more` for each scan after it. Expects the
   * scans in their order.
   */
  take({ beganMs, endedMs }: ScanSpan): 'taken' | 'refused' | 'more' {
    this.#count = beganMs - this.#endedMs < storedPauseMs ? this.#count + 1 : 1
    this.#endedMs = Math.max(this.#endedMs, endedMs)
    if (this.#count <= mostWithoutPause) return 'taken'
    return this.#count === mostWithoutPause + 1 ? 'refused' : 'more'
  }
}
