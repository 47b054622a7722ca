/** Rows that the Page keys pass. */
const pageRows = 5

/** The row that a key leads to from row `at` of `count`; -1: above the first. Null: the key is not for rows. */
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

/** Puts the cursor on the first row of a list. */
export function focusFirstRow(list: HTMLElement | undefined): void {
  list?.querySelector('button')?.focus()
}

/** Puts the focus on the row that is selected, if one is. */
export function focusCurrentRow(list: HTMLElement | undefined): void {
  list?.querySelector<HTMLElement>('[aria-current]')?.focus()
}

/**
 * For `{@attach}` on a list: arrow, Home, End and Page keys move the focus among its rows. `above`: what the arrow
 * leads to from the first row; without it the first row stays. `rows`: selector of one row.
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
