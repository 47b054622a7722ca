import type { FillState } from '../ports/catalogue-file.ts'
import type { SyncListener } from '../ports/catalogue-store.ts'

interface MeterParts {
  readonly listener: Pick<SyncListener, 'progress'>
  /** Monotonic milliseconds. */
  readonly ticks: () => number
}

/** How many rows came, how many are expected, how fast. */
export class CatalogueMeter {
  readonly #parts: MeterParts
  readonly #startTicks: number
  readonly #startRows: number
  readonly #expected: number
  #rows: number

  constructor(parts: MeterParts, { expected, page, limit }: FillState) {
    this.#parts = parts
    this.#startTicks = parts.ticks()
    this.#expected = expected
    // pages come from the last one down
    this.#startRows = Math.max(0, expected - (page - 1) * limit)
    this.#rows = this.#startRows
    this.#tell()
  }

  add(rows: number): void {
    this.#rows += rows
    this.#tell()
  }

  #tell(): void {
    const seconds = (this.#parts.ticks() - this.#startTicks) / 1000
    const rowsPerSecond = seconds > 0 ? (this.#rows - this.#startRows) / seconds : 0
    const expected = Math.max(this.#expected, this.#rows)
    this.#parts.listener.progress({ rows: this.#rows, expected, rowsPerSecond })
  }
}
