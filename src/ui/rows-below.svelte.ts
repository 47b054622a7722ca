/** A row counts as below the visible area if more than this height of the row, in pixels, is hidden. */
const tolerancePx = 8

/** Counts the rows of a scrolling list that are below its visible area, so that the list can show the number. */
export class RowsBelow {
  #count = $state(0)
  readonly #rows: string

  /** @param rows - selector that matches a row of the list. */
  constructor(rows: string) {
    this.#rows = rows
  }

  get count(): number {
    return this.#count
  }

  /**
   * An attachment for `{@attach}` on the scrolling element. It counts the rows again when the element scrolls, when its
   * size changes, or when its rows change.
   */
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
