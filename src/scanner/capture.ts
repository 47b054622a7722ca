import { WedgeDecoder, type WedgeKey } from '#shared/domain/wedge.ts'
import { type FieldSnapshot, focusedField, restoreSnapshot, takeSnapshot } from './field-snapshot.ts'

/**
 * Listens to the whole window before anything in it does, so that a scan reaches the desk wherever the focus is: in
 * a field, on a button, in a dialog. Answers with the function that stops it.
 */
export function startCapture(window: Window, onScan: (text: string) => void): () => void {
  const decoder = new WedgeDecoder<FieldSnapshot | null>()
  const snapshot = (): FieldSnapshot | null => takeSnapshot(window.document)
  /** Codes of keys whose keydown was swallowed: their keypress and keyup must not arrive alone. */
  const swallowed = new Set<string>()

  function swallow(event: KeyboardEvent): void {
    event.preventDefault()
    event.stopImmediatePropagation()
  }

  function onKeyDown(event: KeyboardEvent): void {
    swallowed.delete(event.code)
    const decision = decoder.feed(wedgeKey(event, window.document), snapshot)
    if (decision.kind === 'ignore') return
    if (decision.kind === 'character') {
      // a space inside a scan would press the button that has the focus
      if (!decision.burst || focusedField(window.document)) return
      swallowed.add(event.code)
      swallow(event)
      return
    }
    swallowed.add(event.code)
    swallow(event)
    if (decision.kind !== 'scan') return
    if (decision.restore) restoreSnapshot(decision.restore)
    onScan(decision.text)
  }

  function onKeyPress(event: KeyboardEvent): void {
    if (swallowed.has(event.code)) swallow(event)
  }

  function onKeyUp(event: KeyboardEvent): void {
    if (swallowed.delete(event.code)) swallow(event)
  }

  function onBlur(): void {
    decoder.reset()
    swallowed.clear()
  }

  const capture = { capture: true }
  window.addEventListener('keydown', onKeyDown, capture)
  window.addEventListener('keypress', onKeyPress, capture)
  window.addEventListener('keyup', onKeyUp, capture)
  window.addEventListener('blur', onBlur)
  return () => {
    window.removeEventListener('keydown', onKeyDown, capture)
    window.removeEventListener('keypress', onKeyPress, capture)
    window.removeEventListener('keyup', onKeyUp, capture)
    window.removeEventListener('blur', onBlur)
  }
}

function wedgeKey(event: KeyboardEvent, document: Document): WedgeKey {
  const field = focusedField(document)
  return {
    key: event.key,
    code: event.code,
    timeStampMs: event.timeStamp,
    ctrl: event.ctrlKey,
    alt: event.altKey,
    meta: event.metaKey,
    altGraph: event.getModifierState('AltGraph'),
    shift: event.shiftKey,
    repeat: event.repeat,
    composing: event.isComposing,
    field: field === null ? 'none' : field.type === 'password' ? 'secret' : 'text',
  }
}
