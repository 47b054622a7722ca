import { m } from '#messages/messages.js'
import type { Role } from '#shared/wire/roles.ts'

const lacks: Partial<Record<Role, () => string>> = {
  RETURN_LABELS_REQUEST: m.lacks_request,
  RETURN_LABELS_UPDATE: m.lacks_update,
  RETURN_LABELS_CANCEL: m.lacks_cancel,
}

/** What the operator's login lacks for what a label needs next; empty where nothing is missing. */
export function lacksText(missing: readonly Role[]): string {
  return missing.map((role) => lacks[role]?.() ?? m.lacks_create()).join(' ')
}
