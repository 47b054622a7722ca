import { m } from '#messages/messages.js'
import type { PrinterKind, standardFolderTitle } from '#shared/bridge/printer-views.ts'

/** The compiler compares it; its module brings zod along. */
const folderTitle: typeof standardFolderTitle = 'Label folder'

/** What an operator calls each kind of printer. */
export const printerKindName: Readonly<Record<PrinterKind, () => string>> = {
  folder: m.printer_kind_folder,
  escpos: m.printer_kind_escpos,
  zpl: m.printer_kind_zpl,
  ipp: m.printer_kind_ipp,
  windows: m.printer_kind_windows,
}

/** What an operator calls the printer: by its title, and the label folder in the screen's own language. */
export function printerName(name: string, inFolder: boolean): string {
  // `folder`: its id, where it was removed and has no title
  return inFolder && (name === folderTitle || name === 'folder') ? m.printer_folder() : name
}

/** The title of an entry as it is shown: the folder of a new computer has its name in the language of the screen. */
export function shownTitle(title: string): string {
  return title === folderTitle ? m.printer_folder() : title
}

/** The title to keep: the folder's own name stays one for every language. */
export function savedTitle(typed: string): string {
  const title = typed.trim()
  return title === m.printer_folder() ? folderTitle : title
}
