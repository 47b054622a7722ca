import { m } from '#messages/messages.js'
import type { ArticleSaid } from '#shared/bridge/scan-views.ts'
import type { VariantView } from '#shared/bridge/stock-views.ts'
import { formatDay } from '#ui/format.ts'

/**
 * What a booking says of the piece beside its article: the lot of goods that expire, the number of goods that bear one.
 * The service takes neither with a line (api.md, Modification), so it stands in the note. Undefined: nothing to say.
 */
export function remarkOf(
  { articleCode: article, expirable, usingSerialNumbers }: VariantView,
  said: ArticleSaid | undefined,
): string | undefined {
  const { lot = null, expiry = null, serial = null } = said ?? {}
  const parts = [
    ...(expirable && lot !== null ? [lotText(lot, article, expiry)] : []),
    ...(usingSerialNumbers && serial !== null ? [m.note_serial({ serial, article })] : []),
  ]
  return parts.length === 0 ? undefined : parts.join('; ')
}

function lotText(lot: string, article: string, expiry: string | null): string {
  return expiry === null
    ? m.note_lot({ lot, article })
    : m.note_lot_expiry({ lot, article, day: formatDay(expiry) })
}
