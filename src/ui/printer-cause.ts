import { m } from '#messages/messages.js'
import type { Failure } from '#shared/errors/catalogue.ts'

/** What keeps a printer from printing, what to do about it, and both in a word or two where there is no room. */
interface CauseText {
  readonly happened: string
  readonly next: string
  readonly short: string
}

/** By what a printer said of itself, or what the network or the system said of it (electron/printing). */
const causes: Partial<Record<string, () => string>> = {
  paper_out: m.cause_paper_out,
  cover_open: m.cause_cover_open,
  ribbon_out: m.cause_ribbon_out,
  jammed: m.cause_jammed,
  too_hot: m.cause_too_hot,
  paused: m.cause_paused,
  stopped: m.cause_stopped,
  not_accepting: m.cause_stopped,
  busy: m.cause_busy,
  error: m.cause_fault,
  offline: m.cause_offline,
  silent: m.cause_silent,
  no_spooler: m.cause_no_spooler,
  ...allOf(m.cause_unreachable, 'connect_timeout', 'closed_early', 'stalled', 'timeout'),
  ...allOf(m.cause_unreachable, 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH'),
  ...allOf(m.cause_unreachable, 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE'),
  ...allOf(m.cause_unplugged, 'ENOENT', 'ENODEV', 'ENXIO', 'EIO', 'process_ended', 'not_open'),
  EBUSY: m.cause_taken,
  ...allOf(m.cause_no_access, 'EACCES', 'EPERM', 'not_allowed'),
  ...allOf(m.cause_wrong_address, 'not_a_device', 'no_queue', 'bad_address', 'not_ipp', 'needs_tls'),
  ...allOf(m.cause_unsuited, 'media_unsupported', 'format_unsupported'),
  disk_full: m.cause_disk_full,
  folder_unwritable: m.cause_folder_unwritable,
}

/** What a printer may run into with a label half out. */
const inTheMiddle = [
  ...['paper_out', 'cover_open', 'ribbon_out', 'jammed', 'too_hot', 'paused', 'stopped', 'error', 'offline'],
]

function allOf(words: () => string, ...names: readonly string[]): Record<string, () => string> {
  return Object.fromEntries(names.map((name) => [name, words]))
}

/** Why a printer refused; null where it did not say. */
export function printerCause({ code, params }: Failure): CauseText | null {
  return code === 'printer.refused' ? textOf(params['cause']) : null
}

/** What a printer ran into in the middle of a label, as far as it said so; null where it only broke off. */
export function causeInTheMiddle({ code, params }: Failure): CauseText | null {
  const cause = String(params['cause'] ?? '')
  return code === 'printer.outcome_unknown' && inTheMiddle.includes(cause) ? textOf(cause) : null
}

function textOf(cause: string | number | undefined): CauseText | null {
  const words = causes[String(cause ?? '')]?.()
  if (words === undefined) return null
  const [happened = '', next = '', short = ''] = words.split('\n')
  return { happened, next, short }
}
