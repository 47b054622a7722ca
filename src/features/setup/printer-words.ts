import { m } from '#messages/messages.js'
import type { PrinterView } from '#shared/bridge/print-views.ts'
import type {
  PaperKind,
  PaperSize,
  PrinterEntry,
  PrinterSettings,
  PrinterTest,
  PrintRoute,
} from '#shared/bridge/printer-views.ts'
import { failureText } from '#ui/failure-text.ts'
import type { Outcome } from '#ui/outcome.ts'
import { printerCause } from '#ui/printer-cause.ts'
import { shownTitle } from './printer-title.ts'
import { type Paper, papers } from './routes-draft.svelte.ts'

interface Routed {
  readonly entries: readonly PrinterEntry[]
  /** The first of them. */
  readonly first: PrinterEntry | null
  readonly routes: readonly PrintRoute[]
}

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
  if (test.state === 'reached') return { outcome: 'look', text: m.printer_reached() }
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

/** What it is and where, in one line. */
export function whereWords(settings: PrinterSettings): string {
  switch (settings.kind) {
    case 'folder':
      return m.printer_where_folder()
    case 'ipp': {
      const queue = /^ipps?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?\/printers\/(.+)$/.exec(
        settings.uri,
      )?.[1]
      return queue === undefined
        ? m.printer_where({ kind: m.printer_kind_ipp(), where: settings.uri.replace(/^ipps?:\/\//, '') })
        : m.printer_where({ kind: m.printer_where_here(), where: queue })
    }
    case 'windows':
      return m.printer_where({ kind: m.printer_where_here(), where: settings.queue })
    case 'zpl':
      return m.printer_where({ kind: m.printer_kind_zpl(), where: settings.device ?? settings.host })
    case 'escpos':
      return m.printer_where({
        kind: m.printer_kind_escpos(),
        where: settings.device ?? settings.host,
      })
  }
}

/** How a printer is doing now: its sign, and why it does not print where it said so. */
export function liveWords(live: PrinterView | null): { outcome: Outcome; text: string } {
  if (live?.state === 'ready') return { outcome: 'done', text: m.printer_live_ready() }
  if (live?.state !== 'refused') return { outcome: 'none', text: m.printer_live_unknown() }
  if (!live.failure) return { outcome: 'stop', text: m.cause_unknown() }
  return { outcome: 'stop', text: printerCause(live.failure)?.happened ?? failureText(live.failure).happened }
}

const kindWords: Record<PaperKind, () => string> = {
  return_label: m.paper_return_label,
  sheet: m.paper_sheet,
}

export const sizeWords: Record<PaperSize, { on: () => string; about: () => string }> = {
  label: { on: m.paper_on_label, about: m.paper_label_size },
  page: { on: m.paper_on_page, about: m.paper_page_size },
}

/** A paper as it is called everywhere on this page. */
export function paperName({ paper, size }: Paper): string {
  return `${kindWords[paper]()} ${sizeWords[size].on()}`
}

/** What comes out of a printer, and what to do where nothing does. */
export function roleWords({ first, routes }: Routed, id: string): string {
  if (first?.id === id) return m.printers_first_text()
  const here = routes.filter(({ printerId }) => printerId === id)
  if (here.length === 0) return m.printers_nothing_text()
  return m.printers_takes({ papers: here.map((route) => paperName(route)).join(', ') })
}

/** How far paper of this station is spread over the printers. */
export function routesWords({ first, routes, entries }: Routed): string {
  const others = routes.filter(({ printerId }) => printerId !== first?.id)
  const [only] = others
  if (!only) return m.routes_all({ first: shownTitle(first?.title ?? '') })
  if (others.length > 1) return m.routes_elsewhere({ count: others.length, all: papers.length })
  const title = entries.find(({ id }) => id === only.printerId)?.title ?? ''
  return m.routes_single({ paper: paperName(only), printer: shownTitle(title) })
}
