import { m } from '#messages/messages.js'
import type { PrinterKind, standardFolderTitle, PaperOutcome } from '#shared/bridge/printer-views.ts'
import type { ReprintReason } from '#shared/domain/print-job.ts'
import type { Outcome } from '#ui/outcome.ts'
import { printerCause } from './failure-text.ts'

/**
 * With this type, the compiler reports an error if this title differs from `standardFolderTitle`. Only the type is
 * imported, because an import of the value would add zod to the bundle.
 */
const folderTitle: typeof standardFolderTitle = 'Label folder'

/** Names of the kinds of printers. */
export const printerKindName: Readonly<Record<PrinterKind, () => string>> = {
  folder: m.printer_kind_folder,
  escpos: m.printer_kind_escpos,
  zpl: m.printer_kind_zpl,
  ipp: m.printer_kind_ipp,
  windows: m.printer_kind_windows,
}

/** Returns a printer's title. The title of the label folder is in the language of the screen. */
export function printerName(name: string, inFolder: boolean): string {
  // if the label folder is not set up any more, main sends its id `folder` as its title, so this title is translated
  // too
  return inFolder && (name === folderTitle || name === 'folder') ? m.printer_folder() : name
}

/**
 * Returns the title of a printer for the screen. The label folder of a new computer has a standard name, which is shown
 * in the language of the screen.
 */
export function shownTitle(title: string): string {
  return title === folderTitle ? m.printer_folder() : title
}

/**
 * Returns the title to save for a printer. The standard name of the label folder is always saved in one language, so
 * that each screen can translate it.
 */
export function savedTitle(typed: string): string {
  const title = typed.trim()
  return title === m.printer_folder() ? folderTitle : title
}

/** The reasons for printing a label again, as texts for a button and for the details of a print. */
export const reprintWords: Record<ReprintReason, () => string> = {
  damaged: m.reprint_damaged,
  lost: m.reprint_lost,
  misprint: m.reprint_misprint,
  not_out: m.reprint_not_out,
  other: m.reprint_other,
}

/** Returns the sentence that tells the operator the result of printing a test page or a sheet. */
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
