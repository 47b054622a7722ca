import {
  addressOfPrinter,
  deviceOfPrinter,
  plainLayout,
  type PrinterEntry,
  type PrinterSettings,
  type PrinterSetup,
  standardFolderTitle,
} from '#shared/bridge/printer-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'

const longestId = 300
const longestTitle = 60

/**
 * Creates the printer entry for printer settings that have no entry yet: the label folder of a new PC, or a printer
 * that is tested before it is saved. The title of the entry is the printer's address.
 */
export function entryOf(settings: PrinterSettings): PrinterEntry {
  const { id, address } = addressOfPrinter(settings)
  return {
    id: id.slice(0, longestId),
    title: (address === '' ? standardFolderTitle : address).slice(0, longestTitle).trim(),
    settings,
    layout: plainLayout,
  }
}

/**
 * Checks that the printers and the routes fit together. Errors: `printer.same_twice` {printer, other} if two printers
 * have the same device or id (the fields are their titles); `printer.route_unknown` {printer} if a route contains an id
 * that no printer has (the field is that id).
 */
export function checkPrinters(setup: PrinterSetup): Result<PrinterSetup> {
  const { printers, routes } = setup
  for (const [at, printer] of printers.entries()) {
    const other = printers.slice(0, at).find((one) => isSame(one, printer))
    if (other) return fail('printer.same_twice', { printer: printer.title, other: other.title })
  }
  const lost = routes.find(({ printerId }) => !printers.some(({ id }) => id === printerId))
  return lost ? fail('printer.route_unknown', { printer: lost.printerId }) : ok(setup)
}

function isSame(one: PrinterEntry, other: PrinterEntry): boolean {
  const device = deviceOfPrinter(one.settings)
  return one.id === other.id || (device !== null && device === deviceOfPrinter(other.settings))
}
