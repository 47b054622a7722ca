/** Letters further apart than that begin another word: Chromium's own second. */
const pauseMs = 1_000

/**
 * Picks the option of a list that a hand's letters mean, as the browser does by itself. It has to be done again here,
 * because what a list gets can only be held back before the browser has seen it.
 */
export class OptionTyping {
  #list: HTMLSelectElement | null = null
  #typed = ''
  #lastMs = Number.NEGATIVE_INFINITY

  /** Whether a letter of this time goes on with a word; a space is a part of it then, and else opens the list. */
  isUnderWay(list: HTMLSelectElement, timeStampMs: number): boolean {
    return list === this.#list && timeStampMs - this.#lastMs <= pauseMs
  }

  /** @param timeStampMs - of the last of these letters, by the clock of their events. */
  type(list: HTMLSelectElement, text: string, timeStampMs: number): void {
    this.#typed = this.isUnderWay(list, timeStampMs) ? this.#typed + text : text
    this.#list = list
    this.#lastMs = timeStampMs
    const labels = Array.from(list.options, ({ label, disabled }) => (disabled ? null : label))
    const index = optionFor(labels, list.selectedIndex, this.#typed)
    if (index !== null && index !== list.selectedIndex) choose(list, index)
  }
}

/** As a hand does it: whoever listens to the list hears of it. */
export function choose(list: HTMLSelectElement, index: number): void {
  list.selectedIndex = index
  for (const type of ['input', 'change']) list.dispatchEvent(new Event(type, { bubbles: true }))
}

/**
 * The option that begins with what was typed, from the chosen one on and round; one letter again and again goes from
 * each that begins with it to the next. `labels`: null where an option cannot be chosen. Null: none begins so.
 */
export function optionFor(labels: readonly (string | null)[], chosen: number, typed: string): number | null {
  const letters = typed.toLowerCase()
  const [first = ''] = letters
  const isOneLetter = letters !== '' && letters === first.repeat(letters.length)
  const wanted = isOneLetter ? first : letters
  const from = isOneLetter ? chosen + 1 : Math.max(0, chosen)
  for (let step = 0; step < labels.length; step++) {
    const index = (from + step) % labels.length
    if (labels[index]?.trimStart().toLowerCase().startsWith(wanted)) return index
  }
  return null
}
