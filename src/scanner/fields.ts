/** An element whose value changes when letters are typed: a text field, or a list in which letters select an option. */
export type TypedInto = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** The content and the cursor of a field before a scan was typed into it. */
export interface FieldSnapshot {
  readonly element: TypedInto
  readonly value: string
  readonly start: number | null
  readonly end: number | null
}

const textTypes = new Set(['text', 'search', 'url', 'tel', 'email', 'number', 'password', 'date', 'time'])

/** Whether the element is an input in which an operator types text. */
export function isTextInput(element: Element | null): element is HTMLInputElement {
  return element instanceof HTMLInputElement && textTypes.has(element.type)
}

/** Returns the focused text field, which would receive typed keys, or null. */
export function focusedField(document: Document): HTMLInputElement | HTMLTextAreaElement | null {
  const element = document.activeElement
  if (element instanceof HTMLTextAreaElement) return element
  return isTextInput(element) ? element : null
}

/** Returns the focused text field or list, which typed letters would change, or null. */
export function focusedTarget(document: Document): TypedInto | null {
  const element = document.activeElement
  return element instanceof HTMLSelectElement ? element : focusedField(document)
}

/** @param pending - text that the operator typed before the scan and that the field has not received yet. */
export function takeSnapshot(document: Document, pending: string): FieldSnapshot | null {
  const element = focusedTarget(document)
  if (!element) return null
  if (element instanceof HTMLSelectElement) return { element, value: element.value, start: null, end: null }
  const { value, selectionStart: start, selectionEnd: end } = element
  if (pending === '' || start === null || end === null) return { element, value, start, end }
  const caret = start + pending.length
  return { element, value: value.slice(0, start) + pending + value.slice(end), start: caret, end: caret }
}

/**
 * Removes from a field the text that a scan typed into it: restores the value and the selection, and sends one input
 * event. The steps that the operator can undo stay, also in other fields, and they do not contain the scan.
 */
export function restoreSnapshot(snapshot: FieldSnapshot): void {
  const { element, value, start, end } = snapshot
  if (!element.isConnected) return
  if (element instanceof HTMLSelectElement) {
    const index = Array.from(element.options).findIndex((option) => option.value === value)
    if (element.value !== value && index >= 0) choose(element, index)
    return
  }
  if (element.value !== value) {
    if (element.ownerDocument.activeElement === element) undoScan(element, value)
    if (element.value !== value) element.value = value
    element.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
  // number and date fields have no text selection to restore
  if (start !== null && end !== null) element.setSelectionRange(start, end)
}

/**
 * Undoes what a scan typed into the focused field. The undo history belongs to the page, so a second undo might change
 * another field. Chromium joins the scan and the text that the operator typed before it into one step, so the undo may
 * also remove text of the operator; `value` is then typed again. The listeners of the page get no events about the
 * intermediate values.
 */
function undoScan(element: HTMLInputElement | HTMLTextAreaElement, value: string): void {
  const page = element.ownerDocument
  let undone: EventTarget | null = element
  const onInput = (event: Event): void => {
    undone = event.target
    event.stopImmediatePropagation()
  }
  page.addEventListener('input', onInput, { capture: true })
  edit(page, 'undo')
  if (undone !== element) {
    // The undo changed another field, so it is reverted. The undo history had no step of the scan, because the field
    // got the keys while it lost the focus.
    edit(page, 'redo')
    element.focus()
  } else if (element.value !== value) {
    element.select()
    if (value === '') edit(page, 'delete')
    else typeText(page, value)
  }
  page.removeEventListener('input', onInput, { capture: true })
}

/**
 * Milliseconds after which a letter begins a new word instead of continuing the previous one. Chromium waits for one
 * second, too.
 */
const pauseMs = 1_000

/**
 * Selects the option of a list by typed letters, as the browser does. The browser cannot select it here, because the
 * keys are held back before the browser handles them.
 */
export class OptionTyping {
  #list: HTMLSelectElement | null = null
  #typed = ''
  #lastMs = Number.NEGATIVE_INFINITY

  /**
   * Whether a key with this time stamp continues the typed word. A space that continues the word belongs to the word.
   * Any other space opens the list.
   */
  isUnderWay(list: HTMLSelectElement, timeStampMs: number): boolean {
    return list === this.#list && timeStampMs - this.#lastMs <= pauseMs
  }

  /** @param timeStampMs - time stamp of the key event of the last letter. */
  type(list: HTMLSelectElement, text: string, timeStampMs: number): void {
    this.#typed = this.isUnderWay(list, timeStampMs) ? this.#typed + text : text
    this.#list = list
    this.#lastMs = timeStampMs
    const labels = Array.from(list.options, ({ label, disabled }) => (disabled ? null : label))
    const index = optionFor(labels, list.selectedIndex, this.#typed)
    if (index !== null && index !== list.selectedIndex) choose(list, index)
  }
}

/** Selects an option and sends the same events as a selection by the operator. */
export function choose(list: HTMLSelectElement, index: number): void {
  list.selectedIndex = index
  for (const type of ['input', 'change']) list.dispatchEvent(new Event(type, { bubbles: true }))
}

/**
 * Returns the index of the option that begins with the typed letters, or null. The search begins at the selected option
 * and continues at the start of the list. If the same letter is typed repeatedly, each repetition selects the next
 * option that begins with it. `labels` contains null for a disabled option.
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

/**
 * The browser function that edits the focused field and adds the edit to the field's undo history. The function is
 * deprecated, but the standard has no replacement yet.
 */
interface EditCommands {
  execCommand: (command: 'insertText' | 'delete' | 'undo' | 'redo', ui?: boolean, text?: string) => boolean
}

/** Types into the focused field. Returns false if the field takes no text now. */
export function typeText(page: EditCommands, text: string): boolean {
  return page.execCommand('insertText', false, text)
}

/** Edits the page as the operator does: deletes the selected text, or undoes or redoes one step of any field. */
function edit(page: EditCommands, command: 'delete' | 'undo' | 'redo'): void {
  page.execCommand(command)
}
