import type { PrinterEntry, PrinterSettings, PrinterSetup } from '#shared/bridge/printer-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'

/**
 * Printers and routes that can be used together. Errors: `printer.same_twice` {printer, other}, the titles of two entries
 * of one device or one id; `printer.route_unknown` {printer}, the id of a route that leads nowhere.
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
  const device = deviceOf(one.settings)
  return one.id === other.id || (device !== null && device === deviceOf(other.settings))
}

/**
 * What can take one job at a time, whatever language it is spoken to in; null for a queue, which puts jobs in their order
 * itself and may stand here once for each of its papers.
 */
function deviceOf(settings: PrinterSettings): string | null {
  if (settings.kind === 'folder') return settings.kind
  if (settings.kind === 'ipp' || settings.kind === 'windows') return null
  const { host, port, device } = settings
  return device ?? `${host.toLowerCase()}:${String(port)}`
}
