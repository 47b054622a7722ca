import { undoTyping } from './edit-commands.ts'
import { choose } from './option-typing.ts'

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
