/** Number of rows by which Page Up and Page Down move. */
const pageRows = 5

/**
 * Returns the index of the row to which a key moves the focus from row `at` of `count` rows. The result -1 stands for
 * the element above the first row. Returns null for a key that does not move the focus among rows.
 */
export function rowAfter(key: string, at: number, count: number): number | null {
  const last = count - 1
  const goals: Partial<Record<string, number>> = {
    ArrowUp: at - 1,
    ArrowDown: Math.min(at + 1, last),
    PageUp: Math.max(at - pageRows, 0),
    PageDown: Math.min(at + pageRows, last),
    Home: 0,
    End: last,
  }
  return goals[key] ?? null
}

/** Focuses the first row of a list. */
export function focusFirstRow(list: HTMLElement | undefined): void {
  list?.querySelector('button')?.focus()
}

/** Focuses the selected row, if there is one. */
export function focusCurrentRow(list: HTMLElement | undefined): void {
  list?.querySelector<HTMLElement>('[aria-current]')?.focus()
}

/**
 * Creates an attachment for `{@attach}` on a list. The arrow keys, Home, End, Page Up and Page Down move the focus
 * among the rows of the list. `rows` is a selector that matches each row. `above` returns the element to which Arrow Up
 * moves the focus from the first row. If `above` returns undefined, the focus stays on the first row.
 */
export function rowKeys(
  rows = 'button',
  above: () => HTMLElement | undefined = () => undefined,
): (list: HTMLElement) => () => void {
  return (list) => {
    const onKey = (event: KeyboardEvent): void => {
      const all = [...list.querySelectorAll<HTMLElement>(rows)]
      const at = all.findIndex((row) => row === event.target)
      const goal = at < 0 ? null : rowAfter(event.key, at, all.length)
      if (goal === null) return
      event.preventDefault()
      const row = goal < 0 ? above() : all[goal]
      row?.focus()
    }
    list.addEventListener('keydown', onKey)
    return () => {
      list.removeEventListener('keydown', onKey)
    }
  }
}
