/**
 * A queue that takes items from the owners in turn, so that an owner with many items does not delay an owner with few.
 */
export class FairQueue<Item> {
  /**
   * The waiting items, by owner. The owners are in the order in which items are taken from them. An owner without an
   * item has no entry.
   */
  readonly #waiting = new Map<string, Set<Item>>()

  /** Number of waiting items of an owner. */
  count(owner: string): number {
    return this.#waiting.get(owner)?.size ?? 0
  }

  add(owner: string, item: Item): void {
    const items = this.#waiting.get(owner)
    if (items === undefined) this.#waiting.set(owner, new Set([item]))
    else items.add(item)
  }

  /** Adds an item to the queue, before the other items of the same owner. */
  addFirst(owner: string, item: Item): void {
    const items = this.#waiting.get(owner)
    this.#waiting.set(owner, new Set([item, ...(items ?? [])]))
  }

  remove(owner: string, item: Item): void {
    const items = this.#waiting.get(owner)
    items?.delete(item)
    if (items?.size === 0) this.#waiting.delete(owner)
  }

  /**
   * Removes and returns the last item of the owner with the most items. Returns null if no owner has more than `least`
   * items.
   */
  takeFromLargest(least: number): Item | null {
    let largest: string | null = null
    let most = least
    for (const [owner, { size }] of this.#waiting)
      if (size > most) {
        largest = owner
        most = size
      }
    const last = largest === null ? undefined : [...(this.#waiting.get(largest) ?? [])].at(-1)
    if (largest === null || last === undefined) return null
    this.remove(largest, last)
    return last
  }

  /**
   * Finds the first owner that `mayTake` accepts, removes and returns the first item of this owner, and moves the owner
   * to the end of the order. Returns null if `mayTake` accepts no owner.
   */
  take(mayTake: (owner: string) => boolean = () => true): Item | null {
    for (const [owner, items] of this.#waiting) {
      if (!mayTake(owner)) continue
      for (const item of items) {
        this.#waiting.delete(owner)
        items.delete(item)
        if (items.size > 0) this.#waiting.set(owner, items)
        return item
      }
    }
    return null
  }
}

/** Maximum numbers of tasks that run at the same time: of all owners together, and of one owner. */
export interface GateLimits {
  readonly inAll: number
  readonly ofOneOwner: number
}

/** Runs a limited number of tasks at the same time. Further tasks wait, and their owners take turns. */
export class FairGate {
  readonly #limits: GateLimits
  readonly #waiting = new FairQueue<() => void>()
  /** Number of running tasks of each owner. */
  readonly #running = new Map<string, number>()
  #count = 0

  constructor(limits: GateLimits) {
    this.#limits = limits
  }

  /**
   * Runs `work` as soon as the limits allow it. `work` must not call this method of the same object. Throws the errors
   * of `work`.
   */
  async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    if (!this.#begin(owner)) await new Promise<void>((resolve) => this.#waiting.add(owner, resolve))
    try {
      return await work()
    } finally {
      this.#end(owner)
    }
  }

  #begin(owner: string): boolean {
    const ofOwner = this.#running.get(owner) ?? 0
    if (this.#count >= this.#limits.inAll || ofOwner >= this.#limits.ofOneOwner) return false
    this.#count += 1
    this.#running.set(owner, ofOwner + 1)
    return true
  }

  #end(owner: string): void {
    const left = (this.#running.get(owner) ?? 1) - 1
    if (left === 0) this.#running.delete(owner)
    else this.#running.set(owner, left)
    this.#count -= 1
    this.#waiting.take((next) => this.#begin(next))?.()
  }
}
