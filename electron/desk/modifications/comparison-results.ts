import type { Milliseconds } from '#shared/domain/instants.ts'

/** Maximum number of comparisons of two bookings whose result is remembered. */
const mostResults = 20_000
/** If a check of a booking did not continue for this time, its results may be dropped. */
const unusedMs: Milliseconds = 3600_000

interface Results {
  /** Hashes (`idHash`) of the ids of the bookings that do not match the checked booking. */
  readonly different: Set<string>
  /** When the last comparison was made, on the monotonic clock. */
  usedTicks: number
  hasEnded: boolean
}

const none: ReadonlySet<string> = new Set()

/**
 * Remembers for each checked booking which other bookings do not match it, so that a check with many comparisons can
 * continue later. If the memory is full, first drops the results of the checks that have ended or did not continue for
 * an hour, and then those of the check that began last. Therefore the check that began first always continues.
 */
export class ComparisonResults {
  readonly #ticks: () => number
  /** The results by the id of the checked booking. The check that began first is the first entry. */
  readonly #results = new Map<string, Results>()
  #count = 0

  /** `ticks`: returns the time of the monotonic clock, in milliseconds. */
  constructor(ticks: () => number) {
    this.#ticks = ticks
  }

  /** Returns hashes of the ids of the bookings that do not match the booking with this id. */
  differentFrom(id: string): ReadonlySet<string> {
    return this.#results.get(id)?.different ?? none
  }

  /**
   * Notes that another booking does not match the booking with the id `id`. `hash`: hash of the id of the other
   * booking. Has no effect if the memory is full of results of checks that began earlier.
   */
  add(id: string, hash: string): void {
    const usedTicks = this.#ticks()
    const known = this.#results.get(id)
    if (known) Object.assign(known, { usedTicks, hasEnded: false })
    if (known?.different.has(hash) || !this.#makeRoom(id)) return
    const results = known ?? { different: new Set(), usedTicks, hasEnded: false }
    this.#results.set(id, results)
    results.different.add(hash)
    this.#count++
  }

  /** Notes that the check of the booking with this id has ended. Its results stay until the memory is full. */
  ended(id: string): void {
    const results = this.#results.get(id)
    if (results) results.hasEnded = true
  }

  /** Makes room for one result of the booking with this id. Returns false if there is no room. */
  #makeRoom(id: string): boolean {
    if (this.#count < mostResults) return true
    const unusedSince = this.#ticks() - unusedMs
    for (const [other, { hasEnded, usedTicks }] of this.#results)
      if (other !== id && (hasEnded || usedTicks < unusedSince)) this.#drop(other)
    if (this.#count < mostResults) return true
    const last = [...this.#results.keys()].at(-1)
    if (last === undefined || last === id || !this.#results.has(id)) return false
    this.#drop(last)
    return true
  }

  #drop(id: string): void {
    this.#count -= this.#results.get(id)?.different.size ?? 0
    this.#results.delete(id)
  }
}
