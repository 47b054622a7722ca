import { isTextInput } from './fields.ts'

/** For Enter and the space: the elements on which the browser acts if this key is pressed alone. */
const acting = new Map([
  ['Enter', 'button, summary, a[href], input, select'],
  [' ', 'button, summary, input, select'],
])

/** The inputs that Enter presses like a button. On every other input, Enter submits the form. */
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
  // a space in a text input presses nothing, because the browser types it
  const selector = key === ' ' && isTextInput(activeElement) ? undefined : acting.get(key)
  const acts = selector !== undefined && !isComposing && activeElement?.matches(selector)
  return acts && activeElement instanceof HTMLElement ? activeElement : null
}

/** Does what the browser would have done with this stopped keydown event of Enter or the space on this element. */
export function press(element: HTMLElement, event: KeyboardEvent, changes: TypedChanges): void {
  const isSpace = event.key === ' '
  const isList = element instanceof HTMLSelectElement
  if (isList && isSpace) open(element)
  else if (isList || (element instanceof HTMLInputElement && !isSpace && !element.matches(pressedInput)))
    enter(element, event, changes)
  else element.click()
}

/**
 * Sends the Enter to the listeners of the field. Then opens the list or submits the form of the field, unless a
 * listener prevents it.
 */
function enter(
  field: HTMLInputElement | HTMLSelectElement,
  event: KeyboardEvent,
  changes: TypedChanges,
): void {
  const again = new KeyboardEvent('keydown', event)
  repeated.add(again)
  if (!field.dispatchEvent(again) || event.ctrlKey || event.altKey || event.metaKey) return
  // in Chromium, Enter in a list submits the form on macOS only; on other systems it opens the list
  if (field instanceof HTMLSelectElement && !navigator.userAgent.includes('Macintosh')) {
    open(field)
    return
  }
  // as the browser does, reports a typed text as changed before the form is submitted
  if (isTextInput(field)) changes.report(field)
  if (field.form) submit(field.form, field)
}

function open(list: HTMLSelectElement): void {
  try {
    list.showPicker()
  } catch {
    // `showPicker` throws if the last key or click was too long ago, or if the list is disabled; the list then stays
    // closed
  }
}

/**
 * Submits a form by its first submit button, as Chromium does for Enter on this field. For Enter in a text field, a
 * disabled first button also counts, and then nothing is submitted. For Enter in another field, disabled buttons are
 * ignored. A form without a submit button is submitted only if the field is its only text field (HTML, "implicit
 * submission").
 */
function submit(form: HTMLFormElement, field: Element): void {
  const parts = Array.from(form.elements)
  const isText = isTextInput(field)
  const submits = isText ? submitButton : `:is(${submitButton}):enabled`
  const button = parts.find((part) => part.matches(submits))
  if (button instanceof HTMLElement) button.click()
  else if (isText && parts.filter(isTextInput).length === 1) form.requestSubmit()
}

const submitButton = 'button:not([type]), [type=submit]'

/**
 * Reports a typed text as changed when Enter is pressed. The browser does not know of this report. When the field loses
 * the focus, the browser therefore reports the same text a second time, and reports nothing if the text was changed
 * back to the text before the first report. This class corrects both faults.
 */
export class TypedChanges {
  /** The text of each field when the field got the focus, or was last reported as changed. */
  readonly #known = new WeakMap<HTMLInputElement, string>()
  /** The field that `report` reported since the field got the focus. */
  #reported: HTMLInputElement | null = null

  /** Starts to listen, until the signal is aborted. */
  start(window: Window, signal: AbortSignal): void {
    const first = { capture: true, signal }
    const { activeElement } = window.document
    if (isTextInput(activeElement)) this.#known.set(activeElement, activeElement.value)
    window.addEventListener('focusin', this.#onFocusIn, first)
    window.addEventListener('change', this.#onChange, first)
    window.addEventListener('focusout', this.#onFocusOut, first)
  }

  /** Sends the event `change` of a field if its text differs from the text that is known. */
  report(field: HTMLInputElement): void {
    if (this.#known.get(field) === field.value) return
    this.#reported = field
    field.dispatchEvent(new Event('change', { bubbles: true }))
  }

  readonly #onFocusIn = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement) this.#known.set(target, target.value)
  }

  readonly #onChange = (event: Event): void => {
    const { target, isTrusted } = event
    if (!(target instanceof HTMLInputElement)) return
    const isKnown = this.#known.get(target) === target.value
    if (isTrusted && isKnown && target === this.#reported) event.stopImmediatePropagation()
    this.#known.set(target, target.value)
  }

  readonly #onFocusOut = ({ target }: Event): void => {
    if (this.#reported === null || target !== this.#reported) return
    this.report(this.#reported)
    this.#reported = null
  }
}
