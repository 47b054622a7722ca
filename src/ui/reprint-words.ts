import { m } from '#messages/messages.js'
import type { ReprintReason } from '#shared/domain/print-hold.ts'

/** Why a label is printed once more, in the words of a button and of a fact. */
export const reprintWords: Record<ReprintReason, () => string> = {
  damaged: m.reprint_damaged,
  lost: m.reprint_lost,
  misprint: m.reprint_misprint,
  not_out: m.reprint_not_out,
  other: m.reprint_other,
}
