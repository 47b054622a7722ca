/** Items that wait, given out by owner in turn: the many items of one owner do not hold up the few of another. */
export class FairQueue<Item> {
  /** By owner, in the order of their turns; an owner without an item has no entry. */
  readonly #waiting = new Map<string, Set<Item>>()

  add(owner: string, item: Item): void {
    const items = this.#waiting.get(owner)
    if (items === undefined) this.#waiting.set(owner, new Set([item]))
    else items.add(item)
  }

  remove(owner: string, item: Item): void {
    const items = this.#waiting.get(owner)
    items?.delete(item)
    if (items?.size === 0) this.#waiting.delete(owner)
  }

  /** Takes out the oldest item of the first owner that may have one, and puts that owner last. Null: there is none. */
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
