import type { WedgeKey } from '#shared/domain/wedge/wedge-key.ts'
import { focusedTarget, type TypedInto } from './field-snapshot.ts'

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
    field: fieldKind(focusedTarget(document)),
  }
}

/** A list is typed into like a field: a quick hand that picks an option and goes on is no scanner. */
export function fieldKind(field: TypedInto | null): WedgeKey['field'] {
  if (field === null) return 'none'
  return field.type === 'password' ? 'secret' : 'text'
}
