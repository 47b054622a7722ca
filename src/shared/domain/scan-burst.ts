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
  /** Another code stands before it in what the same scanner sent without a silence of `handPauseMs`. */
  readonly inBurst: boolean
}

/** When a scan began and ended, in milliseconds of one clock. */
export interface ScanSpan {
  readonly beganMs: number
  readonly endedMs: number
}

/**
 * Follows the bursts of one scanner, byte by byte or key by key: only silence ends a burst, whatever a barcode holds between
 * two codes. Keyboard scanners of one computer count as one.
 */
export class BurstWatch {
  #heardMs = Number.NEGATIVE_INFINITY
  #hasCode = false

  /** Anything that the scanner sent. */
  heard(atMs: number): void {
    if (atMs - this.#heardMs > handPauseMs) this.#hasCode = false
    this.#heardMs = Math.max(this.#heardMs, atMs)
  }

  /** The beginning of what may be a code: whether something of another code stands before it in the same burst. */
  begin(atMs: number): boolean {
    this.heard(atMs)
    const inBurst = this.#hasCode
    this.#hasCode = true
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
