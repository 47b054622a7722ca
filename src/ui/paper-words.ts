import { m } from '#messages/messages.js'
import type { PaperOutcome } from '#shared/bridge/printer-views.ts'
import type { Outcome } from './outcome.ts'
import { printerCause } from './printer-cause.ts'

/** What became of paper that is no label of a shipment, as an operator is told. */
export function paperWords({ kind, file, failure }: PaperOutcome): {
  readonly outcome: Outcome
  readonly text: string
} {
  switch (kind) {
    case 'printed':
      return { outcome: 'done', text: file === null ? m.paper_printed() : m.paper_saved({ file }) }
    case 'sent':
      return { outcome: 'look', text: m.paper_sent() }
    case 'unknown':
      return { outcome: 'decide', text: m.paper_unknown() }
    case 'refused':
      return { outcome: 'stop', text: failure === null ? m.paper_refused() : whyRefused(failure) }
  }
}

function whyRefused(failure: NonNullable<PaperOutcome['failure']>): string {
  const { code, params } = failure
  if (code === 'printer.paper_too_narrow')
    return m.paper_narrow({
      needed: String(params['neededMm'] ?? ''),
      printable: String(params['printableMm'] ?? ''),
    })
  const cause = params['cause'] === 'gone' ? m.paper_printer_gone() : printerCause(failure)?.happened
  return [cause, m.paper_refused()].filter(Boolean).join(' ')
}
