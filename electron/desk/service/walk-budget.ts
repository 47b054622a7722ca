/** 20,000 return labels with their shipments, as their lists have them. */
const mostRead = 64 * 1024 * 1024
/** 20,000 of the same without what nobody compares. */
const mostKept = 16 * 1024 * 1024
/** What a value takes beside its text. */
const valueWeight = 8

/**
 * How much one walk through a list of the service may read, and keep of it, in characters: a number of rows bounds
 * neither, since a row may have megabytes, and several walks are under way at once.
 */
export class WalkBudget {
  #read = 0
  #kept = 0

  /** Counts what a page holds; false: the walk has read too much. */
  mayRead(rows: readonly unknown[]): boolean {
    this.#read += weightOf(rows)
    return this.#read <= mostRead
  }

  /** Counts what is kept of a page; false: the walk would keep too much, and must not keep these. */
  mayKeep(rows: readonly unknown[]): boolean {
    this.#kept += weightOf(rows)
    return this.#kept <= mostKept
  }
}

/** Characters of all texts in a value, and some for each value. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return valueWeight + value.length
  if (typeof value !== 'object' || value === null) return valueWeight
  let weight = valueWeight
  for (const inner of Object.values(value)) weight += weightOf(inner)
  return weight
}
