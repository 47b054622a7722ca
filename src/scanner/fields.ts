/** What letters change: a text field, or a list whose options are picked by them. */
export type TypedInto = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** What a field held, and where its cursor was, before a scan ran into it. */
export interface FieldSnapshot {
  readonly element: TypedInto
  readonly value: string
  readonly start: number | null
  readonly end: number | null
}

const textTypes = new Set(['text', 'search', 'url', 'tel', 'email', 'number', 'password', 'date', 'time'])

/** The text field that keys would land in, or null. */
export function focusedField(document: Document): HTMLInputElement | HTMLTextAreaElement | null {
  const element = document.activeElement
  if (element instanceof HTMLTextAreaElement) return element
  return element instanceof HTMLInputElement && textTypes.has(element.type) ? element : null
}

/** What keys would change, or null: for all else a letter is nothing. */
export function focusedTarget(document: Document): TypedInto | null {
  const element = document.activeElement
  return element instanceof HTMLSelectElement ? element : focusedField(document)
}

/** @param pending - what a hand typed before, and the field does not have yet. */
export function takeSnapshot(document: Document, pending: string): FieldSnapshot | null {
  const element = focusedTarget(document)
  if (!element) return null
  if (element instanceof HTMLSelectElement) return { element, value: element.value, start: null, end: null }
  const { value, selectionStart: start, selectionEnd: end } = element
  if (pending === '' || start === null || end === null) return { element, value, start, end }
  const caret = start + pending.length
  return { element, value: value.slice(0, start) + pending + value.slice(end), start: caret, end: caret }
}

/** Takes what a scan left in a field out of it again: value, selection, and what undo would bring back. */
export function restoreSnapshot(snapshot: FieldSnapshot): void {
  const { element, value, start, end } = snapshot
  if (!element.isConnected) return
  if (element instanceof HTMLSelectElement) {
    const index = Array.from(element.options).findIndex((option) => option.value === value)
    if (element.value !== value && index >= 0) choose(element, index)
    return
  }
  const page = element.ownerDocument
  const isFocused = page.activeElement === element
  // the scan is one step or a few of the field's own history
  for (let i = 0; isFocused && element.value !== value && i < maxSteps; i++) {
    if (!undoTyping(page)) break
  }
  if (element.value !== value) {
    element.value = value
    element.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
  // number and date fields have no selection to put back
  if (start !== null && end !== null) element.setSelectionRange(start, end)
}

const maxSteps = 40

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

/** Editing that a field's own undo history has; the standard that retires it knows no other way yet. */
interface EditCommands {
  execCommand: (command: 'insertText' | 'undo', ui?: boolean, text?: string) => boolean
}

/** Types into the field that has the focus. False: the field takes no text now. */
export function typeText(page: EditCommands, text: string): boolean {
  return page.execCommand('insertText', false, text)
}

/** One step back in the field that has the focus. False: there is none. */
export function undoTyping(page: EditCommands): boolean {
  return page.execCommand('undo')
}
