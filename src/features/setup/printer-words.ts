import { m } from '#messages/messages.js'
import type { PrinterSettings, PrinterTest } from '#shared/bridge/printer-views.ts'
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
  ENOENT: m.printer_no_device,
  ENODEV: m.printer_no_device,
  ENXIO: m.printer_no_device,
  EACCES: m.printer_device_denied,
  EBUSY: m.printer_device_busy,
  not_a_device: m.printer_not_a_device,
}

/** The same of a queue or a printer that speaks IPP, where more can be wrong or other words are right. */
const ippCauses: typeof causes = {
  ribbon_out: m.printer_supply_out,
  jammed: m.printer_jammed,
  paused: m.printer_queue_paused,
  stopped: m.printer_queue_paused,
  offline: m.printer_device_off,
  not_accepting: m.printer_not_accepting,
  media_unsupported: m.printer_media_unsupported,
  format_unsupported: m.printer_format_unsupported,
  not_allowed: m.printer_not_allowed,
  no_queue: m.printer_no_queue,
  not_ipp: m.printer_not_ipp,
  needs_tls: m.printer_needs_tls,
  certificate: m.printer_certificate,
  silent: m.printer_no_answer,
  bad_address: m.printer_uri_wrong,
  ECONNREFUSED: m.printer_no_service,
}

/** What an operator calls a paper. */
export function paperWords(media: Extract<PrinterSettings, { kind: 'ipp' }>['media']): string {
  if (typeof media !== 'string') return `${String(media.widthMm)} × ${String(media.heightMm)} mm`
  if (media === 'na_index-4x6_4x6in') return m.printer_paper_4x6()
  return /^iso_(a\d)_/.exec(media)?.[1]?.toUpperCase() ?? media
}

/** How a test ended: its sign, and one sentence that says what to do. */
export function testWords(
  test: PrinterTest,
  kind: PrinterSettings['kind'],
): { outcome: Outcome; text: string } {
  if (test.state === 'ready' && test.failure) {
    const { happened, next } = failureText(test.failure)
    return { outcome: 'look', text: `${m.printer_ready()} ${happened} ${next}` }
  }
  if (test.state === 'ready')
    return { outcome: 'done', text: kind === 'folder' ? m.printer_ready_folder() : m.printer_ready() }
  // many printers of labels say nothing while they lack paper
  if (test.state === 'unknown')
    return { outcome: 'look', text: kind === 'zpl' ? m.printer_silent_zpl() : m.printer_silent() }
  if (kind === 'folder') return { outcome: 'stop', text: m.printer_folder_refused() }
  const name = String(test.failure?.params['cause'] ?? '')
  const cause = (kind === 'ipp' ? ippCauses[name] : undefined) ?? causes[name]
  if (cause) return { outcome: 'stop', text: cause() }
  if (!test.failure || test.failure.code === 'printer.refused')
    return { outcome: 'stop', text: m.printer_unreachable() }
  const { happened, next } = failureText(test.failure)
  return { outcome: 'stop', text: `${happened} ${next}` }
}

export function settingsWords(settings: PrinterSettings): string {
  if (settings.kind === 'folder') return m.printer_kind_folder()
  if (settings.kind === 'ipp') {
    const { uri, media, dpi } = settings
    return m.printer_in_use_ipp({ uri, paper: paperWords(media), dpi })
  }
  if (settings.kind === 'windows') return settings.queue
  const { host, dpi, device } = settings
  const port = String(settings.port)
  if (device !== undefined)
    return settings.kind === 'zpl'
      ? m.printer_in_use_zpl_device({ device, width: settings.widthMm, dpi })
      : m.printer_in_use_escpos_device({ device, paper: settings.paperMm, dpi })
  return settings.kind === 'zpl'
    ? m.printer_in_use_zpl({ host, port, width: settings.widthMm, dpi })
    : m.printer_in_use_escpos({ host, port, paper: settings.paperMm, dpi })
}
