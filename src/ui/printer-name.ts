import { m } from '#messages/messages.js'

/** What an operator calls the printer: the folder of PDFs that stands in for one has no name of its own. */
export function printerName(name: string, inFolder: boolean): string {
  return inFolder ? m.printer_folder() : name
}
