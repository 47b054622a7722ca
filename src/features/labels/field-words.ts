import { m } from '#messages/messages.js'
import type { FieldFault } from './sender-fields.ts'

/** What is wrong with a field, in as few words as stand beside its name. */
export function faultWords(fault: FieldFault): string {
  switch (fault.kind) {
    case 'missing':
      return m.form_missing()
    case 'too_long':
      return m.form_too_long({ count: fault.by })
    case 'country':
      return m.form_country_wrong()
    case 'refused':
      return m.form_refused()
  }
}
