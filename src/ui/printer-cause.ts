import { m } from '#messages/messages.js'
import type { Failure } from '#shared/errors/catalogue.ts'

/** What keeps a printer from printing, by what it said of itself or what the network said of it. */
const causes: Partial<Record<string, () => string>> = {
  paper_out: m.cause_paper_out,
  cover_open: m.cause_cover_open,
  ribbon_out: m.cause_ribbon_out,
  paused: m.cause_paused,
  busy: m.cause_busy,
  error: m.cause_fault,
  offline: m.cause_offline,
  connect_timeout: m.cause_unreachable,
  ECONNREFUSED: m.cause_unreachable,
  EHOSTUNREACH: m.cause_unreachable,
  ENETUNREACH: m.cause_unreachable,
  ENOTFOUND: m.cause_unreachable,
  EAI_AGAIN: m.cause_unreachable,
}

/** Why a printer refused, in one sentence; null where it did not say. */
export function printerCause({ code, params }: Failure): string | null {
  if (code !== 'printer.refused') return null
  return causes[String(params['cause'] ?? '')]?.() ?? null
}
