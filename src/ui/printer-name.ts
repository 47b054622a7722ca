import { m } from '#messages/messages.js'
import type { standardFolderTitle } from '#shared/bridge/printer-views.ts'

/** The compiler compares it; its module brings zod along. */
const folderTitle: typeof standardFolderTitle = 'Label folder'

/** What an operator calls the printer: by its title, and the label folder in the screen's own language. */
export function printerName(name: string, inFolder: boolean): string {
  if (inFolder && (name === folderTitle || name === 'folder')) return m.printer_folder()
  // a printer that stands here no more has no title: jobs name it by its language and its address
  if (name.startsWith('ipp ')) return m.printer_kind_ipp()
  if (name.startsWith('escpos ')) return m.printer_kind_escpos()
  return name.startsWith('zpl ') ? m.printer_kind_zpl() : name
}
