/** A scanner releases a key at once; a hand holds it longer. */
const heldMs = 50
/** Longer than the pauses inside a scan: nothing may follow. */
const quietMs = 300

/**
 * For `{@attach}`: single letters or digits as answers to a question. A barcode may begin with any of them, so one counts
 * only when a hand held it and nothing was typed behind it.
 */
export function answerKeys(
  answers: Partial<Record<string, () => void>>,
  window: Pick<Window, 'addEventListener' | 'removeEventListener'> = globalThis.window,
): () => () => void {
  return () => {
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
      if (answer && event.timeStamp - pressed.at >= heldMs) timer = setTimeout(answer, quietMs)
    }
    // on its way down: a button's own listener may stop it. Keys that the capture of scans takes never come here
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
  // a box to tick is an input too, and no key is written into it
  return !('type' in target && target.type === 'checkbox')
}
