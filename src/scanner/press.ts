import { isTextInput } from './fields.ts'

/** For Enter and the space: the elements on which the browser acts if this key is pressed alone. */
const acting = new Map([
  ['Enter', 'button, summary, a[href], input, select'],
  [' ', 'button, summary, input, select'],
])

/** The inputs that Enter presses like a button. On every other input and on a list, Enter submits the form. */
const pressedInput = '[type=file], [type=button], [type=submit], [type=reset], [type=image], [type=color]'

/** The keydown events that `press` sends. They are no keys of an operator or a scanner. */
const repeated = new WeakSet<Event>()

/** Whether `press` sent this event. ScannerCapture ignores such an event. */
export function isRepeated(event: Event): boolean {
  return repeated.has(event)
}

/**
 * Returns the focused element on which the browser acts if this key is pressed alone: it presses a control, submits the
 * form of a field, or opens a list. Returns null if there is no such element, and during a composition.
 */
export function actsOn({ key, isComposing }: KeyboardEvent, { activeElement }: Document): HTMLElement | null {
  const selector = acting.get(key)
  const acts = selector !== undefined && !isComposing && activeElement?.matches(selector)
  return acts && activeElement instanceof HTMLElement ? activeElement : null
}

/** Does what the browser would have done with this stopped keydown event of Enter or the space on this element. */
export function press(element: HTMLElement, event: KeyboardEvent): void {
  const isSpace = event.key === ' '
  if (element instanceof HTMLSelectElement && isSpace) element.showPicker()
  else if (element instanceof HTMLSelectElement) enter(element, event)
  else if (element instanceof HTMLInputElement && !isSpace && !element.matches(pressedInput))
    enter(element, event)
  else element.click()
}

/** Sends the Enter to the listeners of the field. Then submits the form of the field, unless a listener prevents it. */
function enter(field: HTMLInputElement | HTMLSelectElement, event: KeyboardEvent): void {
  const again = new KeyboardEvent('keydown', event)
  repeated.add(again)
  if (!field.dispatchEvent(again) || event.ctrlKey || event.altKey || event.metaKey) return
  // the browser reports a typed text as changed before it submits the form; a page cannot read whether it has changed
  if (isTextInput(field)) field.dispatchEvent(new Event('change', { bubbles: true }))
  if (field.form) submit(field.form)
}

/**
 * Submits a form by its first submit button, which may be disabled. A form without such a button is submitted only if
 * it has at most one text field (HTML, "implicit submission").
 */
function submit(form: HTMLFormElement): void {
  const parts = Array.from(form.elements)
  const button = parts.find((part) => part.matches('button:not([type]), [type=submit]'))
  if (button instanceof HTMLElement) button.click()
  else if (parts.filter(isTextInput).length <= 1) form.requestSubmit()
}
