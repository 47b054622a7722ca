/** What a field held, and where its cursor was, before a scan ran into it. */
export interface FieldSnapshot {
  readonly element: HTMLInputElement | HTMLTextAreaElement
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

export function takeSnapshot(document: Document): FieldSnapshot | null {
  const element = focusedField(document)
  if (!element) return null
  return { element, value: element.value, start: element.selectionStart, end: element.selectionEnd }
}

/** Puts back value, selection and whatever listens to the field's input events. */
export function restoreSnapshot(snapshot: FieldSnapshot): void {
  const { element, value, start, end } = snapshot
  if (!element.isConnected) return
  if (element.value !== value) {
    element.value = value
    element.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
  // number and date fields have no selection to put back
  if (start !== null && end !== null) element.setSelectionRange(start, end)
}
