import { markedParts } from '#shared/domain/control-marks.ts'

/** What came from where: a serial scanner of the list by its id, another by its name. */
export interface Arrival {
  readonly number: number
  readonly scannerId: string
  readonly parts: ReturnType<typeof markedParts>
  readonly characters: number
}

/** As many as are shown: the newest first. */
const most = 4

/** The test of the scanner page: while it is open, what is scanned is shown, and nothing is done with it. */
export class ScannerTestState {
  #openCount = 0
  #arrivals = $state.raw<readonly Arrival[]>([])

  get arrivals(): readonly Arrival[] {
    return this.#arrivals
  }

  /** Scans come here until the returned function is called. */
  opened(): () => void {
    this.#openCount += 1
    return () => {
      this.#openCount -= 1
      this.#arrivals = []
    }
  }

  /** Answers whether it was for the test. */
  take({ scannerId, raw }: { readonly scannerId: string; readonly raw: string }): boolean {
    if (this.#openCount === 0) return false
    const number = (this.#arrivals[0]?.number ?? 0) + 1
    const arrival = { number, scannerId, parts: markedParts(raw), characters: Array.from(raw).length }
    this.#arrivals = [arrival, ...this.#arrivals].slice(0, most)
    return true
  }
}
