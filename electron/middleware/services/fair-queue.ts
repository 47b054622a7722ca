/**
 * A queue that takes items from the owners in turn, so that an owner with many items does not delay an owner with few.
 */
export class FairQueue<Item> {
  /** Items by owner, in the order of their turns. An owner without an item has no entry. */
  readonly #waiting = new Map<string, Set<Item>>()

  add(owner: string, item: Item): void {
    const items = this.#waiting.get(owner)
    if (items === undefined) this.#waiting.set(owner, new Set([item]))
    else items.add(item)
  }

  /** Adds an item in front of the owner's other items. */
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
   * Removes and returns the first item of the first owner that `mayTake` accepts, and moves that owner to the end of
   * the order. Returns null if there is no such item.
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
