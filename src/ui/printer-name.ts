import { m } from '#messages/messages.js'

/** What an operator calls the printer: neither a folder of PDFs nor an address is a name. */
export function printerName(name: string, inFolder: boolean): string {
  if (inFolder) return m.printer_folder()
  // the desk names a printer by its language and its address
  if (name.startsWith('ipp ')) return m.printer_kind_ipp()
  if (name.startsWith('escpos ')) return m.printer_kind_escpos()
  return name.startsWith('zpl ') ? m.printer_kind_zpl() : name
}
