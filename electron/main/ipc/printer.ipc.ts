import type { PrinterPort } from '#desk/ports/printers.ts'
import { SharedCalls } from '#desk/timing/calls.ts'
import { discoverIpp } from '#printing/ipp-discovery.ts'
import { windowsPrinters } from '#printing/windows-printer.ts'
import type { PrintQueues, PrinterEntry } from '#shared/bridge/printer-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { ok } from '#shared/errors/result.ts'
import type { ConfirmedAddresses } from '../confirmed-addresses.ts'
import type { DeskHost } from '../desk-host.ts'
import { checkPrinters } from '../printer-entry.ts'
import type { Printers } from '../printers.ts'
import { OutwardLimit, testLimit, testPrinter } from '../setup-tests.ts'
import type { Handlers } from './bind.ts'

interface PrinterParts {
  readonly printers: Printers
  readonly createPrinter: (entry: PrinterEntry) => PrinterPort
  readonly host: DeskHost
  readonly addresses: Pick<ConfirmedAddresses, 'confirmPrinters' | 'forgetUnused'>
}

/**
 * Creates the handlers. Printers belong to the PC, not to a station: every desk that opens here prints on them, by its
 * own routes. A printer on the network is saved only after its address was confirmed, because labels with names and
 * addresses of people are sent to a saved printer.
 */
export function printerHandlers({
  printers,
  createPrinter,
  host,
  addresses,
}: PrinterParts): Handlers<'printer'> {
  const limit = testLimit()
  const newPrinters = new OutwardLimit((seconds) => failure('printer.too_many_new', { seconds }))
  const addsPrinter = (entries: readonly PrinterEntry[]): boolean => {
    const known = new Set(printers.setup().printers.map(({ id }) => id))
    return entries.some(({ id }) => !known.has(id))
  }
  const discoveries = new SharedCalls<Awaited<ReturnType<typeof discover>>>()
  return {
    setup: () => ok(printers.setup()),
    save: async (setup) => {
      const checked = checkPrinters(setup)
      if (!checked.ok) return checked
      const save = async (): Promise<ReturnType<Printers['save']>> => {
        const confirmed = await addresses.confirmPrinters(setup.printers)
        if (!confirmed.ok) return confirmed
        const saved = printers.save(setup)
        addresses.forgetUnused()
        // a desk that could not open gets the printers when it does
        const desk = saved.ok ? await host.desk().catch(() => null) : null
        await desk?.printersChanged()
        return saved
      }
      // a change of routes by a barcode is frequent, and adds no printer for which main would keep a queue
      return addsPrinter(setup.printers) ? newPrinters.run(save) : save()
    },
    test: (settings) =>
      limit.run(async () => ok(await testPrinter(settings, printers.setup().printers, createPrinter))),
    // the discovery starts a program of the system: calls at the same time share one run
    discover: async () => ok(await discoveries.ask('', discover)),
  }
}

/** Returns the queues and printers of this PC. */
async function discover(): Promise<PrintQueues> {
  const queues = await discoverIpp()
  const windows = process.platform === 'win32' ? await windowsPrinters() : undefined
  return { isThere: queues !== null, queues: queues ?? [], ...(windows && { windows }) }
}
