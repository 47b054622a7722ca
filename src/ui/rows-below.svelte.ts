/** A row of which this much is hidden was not read, in pixels. */
const tolerancePx = 8

/** How many rows of a scrolling list begin below what is seen of it, so that the list can say so. */
export class RowsBelow {
  #count = $state(0)
  readonly #rows: string

  /** `rows`: selector of one row. */
  constructor(rows: string) {
    this.#rows = rows
  }

  get count(): number {
    return this.#count
  }

  /** For `{@attach}` on the element that scrolls; counts anew when it scrolls, grows or gets other rows. */
  readonly follow = (list: HTMLElement): (() => void) => {
    const look = (): void => {
      const bottom = list.getBoundingClientRect().bottom
      const rows = [...list.querySelectorAll(this.#rows)]
      this.#count = rows.filter((row) => row.getBoundingClientRect().bottom > bottom + tolerancePx).length
    }
    const sizes = new ResizeObserver(look)
    const children = new MutationObserver(look)
    sizes.observe(list)
    children.observe(list, { childList: true, subtree: true })
    list.addEventListener('scroll', look)
    return () => {
      sizes.disconnect()
      children.disconnect()
      list.removeEventListener('scroll', look)
    }
  }
}
