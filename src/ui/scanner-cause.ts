import { m } from '#messages/messages.js'
import type { Failure } from '#shared/errors/catalogue.ts'

/** Why the port of a scanner cannot be used, what to do about it, and both in a word or two where there is no room. */
interface CauseText {
  readonly happened: string
  readonly next: string
  readonly short: string
}

/** By the cause that electron/scanner found. */
const causes: Partial<Record<string, () => string>> = {
  denied: m.scanner_cause_denied,
  held: m.scanner_cause_held,
  not_a_port: m.scanner_cause_not_a_port,
  settings: m.scanner_cause_settings,
  no_driver: m.scanner_cause_no_driver,
  fault: m.scanner_cause_fault,
}

/** Null where no cause is known, and for everything that is no scanner's. */
export function scannerCause({ code, params }: Failure): CauseText | null {
  if (code !== 'scanner.refused') return null
  const [happened, next = '', short = ''] = causes[String(params['cause'])]?.().split('\n') ?? []
  return happened === undefined ? null : { happened, next, short }
}
