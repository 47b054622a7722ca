import type { SkippedRow } from '../ports/api.ts'
import type { Listed } from './index-pass.ts'

export interface SeenSkippedRow extends SkippedRow {
  /** When the service last returned the row, in milliseconds since 1970. */
  readonly seenAt: number
}

/** Maximum number of unreadable rows that are kept. */
const mostKept = 100

/**
 * The rows of one list that the desk could not read since its start. A row that becomes readable is removed, because it
 * was corrected at the service. Rows without a readable id count as one row if their problem is the same.
 */
export class SkippedRows {
  readonly #rows = new Map<string, SeenSkippedRow>()
  /** Whether rows were removed because there were more than `mostKept`. */
  #isCut = false

  /** Adds the rows that were left out of a page. Returns those that were not known. */
  add(skipped: readonly SkippedRow[], seenAt: number): SkippedRow[] {
    const unknown = skipped.filter((row) => !this.#rows.has(keyOf(row)))
    for (const row of skipped) {
      this.#rows.delete(keyOf(row))
      this.#rows.set(keyOf(row), { ...row, seenAt })
    }
    for (const key of [...this.#rows.keys()].slice(0, -mostKept)) {
      this.#rows.delete(key)
      this.#isCut = true
    }
    return unknown
  }

  /** Removes these rows from the unreadable rows, because the desk has now read them. */
  readable(rows: readonly Listed[]): void {
    if (this.#rows.size > 0) for (const { id } of rows) this.#rows.delete(String(id))
  }

  /** Returns the newest hundred rows, newest first. */
  list(): SeenSkippedRow[] {
    return [...this.#rows.values()].reverse()
  }

  /** Returns the number of rows that were left out; `some`: their number is unknown. */
  count(): number | 'some' {
    const isUncertain = this.#isCut || this.list().some(({ id }) => id === null)
    return isUncertain && this.#rows.size > 0 ? 'some' : this.#rows.size
  }
}

function keyOf({ id, problem }: SkippedRow): string {
  return id ?? problem
}
