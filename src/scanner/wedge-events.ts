import type { WedgeKey } from '#shared/domain/wedge/wedge-key.ts'
import { focusedField } from './field-snapshot.ts'

/** A keydown of this window, as the decoder needs it. */
export function wedgeKey(event: KeyboardEvent, document: Document): WedgeKey {
  return {
    key: event.key,
    code: event.code,
    timeStampMs: event.timeStamp,
    ctrl: event.ctrlKey,
    alt: event.altKey,
    meta: event.metaKey,
    altGraph: event.getModifierState('AltGraph'),
    shift: event.shiftKey,
    capsLock: event.getModifierState('CapsLock'),
    repeat: event.repeat,
    composing: event.isComposing,
    field: fieldKind(focusedField(document)),
  }
}

export function fieldKind(field: HTMLInputElement | HTMLTextAreaElement | null): WedgeKey['field'] {
  if (field === null) return 'none'
  return field.type === 'password' ? 'secret' : 'text'
}
