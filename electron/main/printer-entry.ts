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
 * Creates a printer entry for settings without an entry: the label folder of a new PC, or a printer under test. The
 * title of the entry is the printer's address.
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
 * Checks that the printers and the routes fit together. Errors: `printer.same_twice` {printer, other}: two entries have
 * the same device or id, and the fields are their titles; `printer.route_unknown` {printer}: the id in a route is not
 * the id of a printer.
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
