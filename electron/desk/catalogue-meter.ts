import type { SyncListener } from './ports/catalogue-store.ts'

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
  rows: number
  isStopped = false
  #expected: number | null = null

  constructor(parts: MeterParts, rows: number) {
    this.#parts = parts
    this.#startTicks = parts.ticks()
    this.#startRows = rows
    this.rows = rows
    this.#tell()
  }

  add(rows: number): void {
    this.rows += rows
    this.#tell()
  }

  expect(rows: number | null): void {
    this.#expected = rows
    if (!this.isStopped) this.#tell()
  }

  stop(): void {
    this.isStopped = true
  }

  #tell(): void {
    const seconds = (this.#parts.ticks() - this.#startTicks) / 1000
    const rowsPerSecond = seconds > 0 ? (this.rows - this.#startRows) / seconds : 0
    const expected = this.#expected === null ? null : Math.max(this.#expected, this.rows)
    this.#parts.listener.progress({ rows: this.rows, expected, rowsPerSecond })
  }
}
