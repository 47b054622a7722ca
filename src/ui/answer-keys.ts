/**
 * A key that is held at least this long, in milliseconds, was pressed by an operator, because a scanner releases a key
 * sooner.
 */
const heldMs = 50
/**
 * An answer counts only if no other key follows within this time, in milliseconds, which is longer than a pause inside
 * a scan.
 */
const quietMs = 300

/** The part of a question's DOM element that this file uses. Tests pass only this part, because they have no DOM. */
interface Question {
  readonly ownerDocument: { querySelector(selector: string): object | null }
}

/**
 * Creates an attachment for `{@attach}`. With the attachment, single letters or digits answer a question. A barcode may
 * begin with any of these characters. A key therefore counts only if the operator held it and no other key followed. No
 * key counts while a modal dialog covers the question. If a second question can replace the question in the same
 * element, the element must be inside `{#key}` with the question. A key that was pressed for the first question then
 * does not answer the second one.
 */
export function answerKeys(
  answers: Partial<Record<string, () => void>>,
  window: Pick<Window, 'addEventListener' | 'removeEventListener'> = globalThis.window,
): (question: Question) => () => void {
  return (question) => {
    let down: { readonly key: string; readonly at: number } | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    const onDown = (event: KeyboardEvent): void => {
      clearTimeout(timer)
      const chord = event.ctrlKey || event.altKey || event.metaKey
      if (chord || takesText(event.target) || event.isComposing) down = null
      else if (!event.repeat) down = { key: event.key.toUpperCase(), at: event.timeStamp }
    }
    const onUp = (event: KeyboardEvent): void => {
      const pressed = down
      if (pressed?.key !== event.key.toUpperCase()) return
      down = null
      const answer = answers[pressed.key]
      if (!answer || event.timeStamp - pressed.at < heldMs) return
      timer = setTimeout(() => {
        if (!question.ownerDocument.querySelector('dialog:modal')) answer()
      }, quietMs)
    }
    // The listener runs in the capture phase, because a button's own listener may stop the event. Keys that belong to a
    // scan never arrive here.
    window.addEventListener('keydown', onDown, { capture: true })
    window.addEventListener('keyup', onUp, { capture: true })
    return () => {
      clearTimeout(timer)
      window.removeEventListener('keydown', onDown, { capture: true })
      window.removeEventListener('keyup', onUp, { capture: true })
    }
  }
}

function takesText(target: EventTarget | null): boolean {
  if (target === null || !('selectionStart' in target)) return false
  // a checkbox is an input element too, but it takes no text, so the keys also work while it has the focus
  return !('type' in target && target.type === 'checkbox')
}
