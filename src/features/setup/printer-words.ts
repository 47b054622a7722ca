import { m } from '#messages/messages.js'
import type { PrinterSettings, PrinterTest } from '#shared/bridge/views.ts'
import { failureText } from '#ui/failure-text.ts'
import type { Outcome } from '#ui/outcome.ts'

/** Why a printer refuses, by what it said of itself or what the network said of it (printer.refused, cause). */
const causes: Partial<Record<string, () => string>> = {
  paper_out: m.printer_paper_out,
  cover_open: m.printer_cover_open,
  ribbon_out: m.printer_ribbon_out,
  paused: m.printer_paused,
  busy: m.printer_busy,
  error: m.printer_fault,
  offline: m.printer_offline,
  ENOTFOUND: m.printer_no_name,
  EAI_AGAIN: m.printer_no_name,
  ECONNREFUSED: m.printer_no_port,
}

/** How a test ended: its sign, and one sentence that says what to do. */
export function testWords(
  test: PrinterTest,
  kind: PrinterSettings['kind'],
): { outcome: Outcome; text: string } {
  if (test.state === 'ready')
    return { outcome: 'done', text: kind === 'folder' ? m.printer_ready_folder() : m.printer_ready() }
  // many printers of labels say nothing while they lack paper
  if (test.state === 'unknown')
    return { outcome: 'look', text: kind === 'zpl' ? m.printer_silent_zpl() : m.printer_silent() }
  if (kind === 'folder') return { outcome: 'stop', text: m.printer_folder_refused() }
  const cause = causes[String(test.failure?.params['cause'] ?? '')]
  if (cause) return { outcome: 'stop', text: cause() }
  if (!test.failure || test.failure.code === 'printer.refused')
    return { outcome: 'stop', text: m.printer_unreachable() }
  const { happened, next } = failureText(test.failure)
  return { outcome: 'stop', text: `${happened} ${next}` }
}

export function settingsWords(settings: PrinterSettings): string {
  if (settings.kind === 'folder') return m.printer_kind_folder()
  const { host, dpi } = settings
  const port = String(settings.port)
  return settings.kind === 'zpl'
    ? m.printer_in_use_zpl({ host, port, width: settings.widthMm, dpi })
    : m.printer_in_use_escpos({ host, port, paper: settings.paperMm, dpi })
}
