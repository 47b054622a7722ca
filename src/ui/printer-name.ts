import { m } from '#messages/messages.js'

/** How the desk calls a printer on the network, before its address. */
const networkPrefix = 'escpos '

/** What an operator calls the printer: neither a folder of PDFs nor an address is a name. */
export function printerName(name: string, inFolder: boolean): string {
  if (inFolder) return m.printer_folder()
  return name.startsWith(networkPrefix) ? m.printer_kind_escpos() : name
}
