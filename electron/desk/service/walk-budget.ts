/**
 * Maximum number of characters that one walk may read: enough for 20,000 return labels with the shipments that the list
 * contains for them.
 */
const mostRead = 64 * 1024 * 1024
/**
 * Maximum number of characters that one walk may keep: enough for 20,000 return labels without the fields that are
 * never compared.
 */
const mostKept = 16 * 1024 * 1024
/** Number of characters that is counted for each value in addition to the length of its text. */
const valueWeight = 8

/**
 * Limits how many characters one walk through a list of the service may read and keep. A maximum number of rows would
 * not limit the memory, because a row may have megabytes and several walks run at the same time.
 */
export class WalkBudget {
  #read = 0
  #kept = 0

  /** Counts the content of a page. False: the walk has read too much. */
  mayRead(rows: readonly unknown[]): boolean {
    this.#read += weightOf(rows)
    return this.#read <= mostRead
  }

  /**
   * Counts rows that the walk is about to keep. False: these rows and all rows that were counted before have too many
   * characters in total, so the caller must not keep all of them.
   */
  mayKeep(rows: readonly unknown[]): boolean {
    this.#kept += weightOf(rows)
    return this.#kept <= mostKept
  }
}

/** Returns the number of characters of all texts in a value, plus a fixed weight for each value. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return valueWeight + value.length
  if (typeof value !== 'object' || value === null) return valueWeight
  let weight = valueWeight
  for (const inner of Object.values(value)) weight += weightOf(inner)
  return weight
}
