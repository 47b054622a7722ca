import type { PrinterPort } from '#desk/ports/printers.ts'
import type { Logger } from '#kit/logger.ts'
import { discoverIpp } from '#printing/ipp-discovery.ts'
import type { PrinterBoard } from '#printing/printer-board.ts'
import { windowsPrinters } from '#printing/windows-printer.ts'
import type { PrinterSettings } from '#shared/bridge/printer-views.ts'
import { ok } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import type { SettingsStore } from '../settings.ts'
import { bindDomain } from './bind.ts'

interface PrinterParts {
  readonly settings: SettingsStore
  readonly board: PrinterBoard
  readonly createPrinter: (settings: PrinterSettings) => PrinterPort
  readonly host: DeskHost
}

/** The printer belongs to the PC, not to a station: every desk that opens here prints on it. */
export function bindPrinter({ settings, board, createPrinter, host }: PrinterParts, logger: Logger): void {
  bindDomain(
    'printer',
    {
      settings: () => ok(settings.read().printer),
      use: async (printer) => {
        settings.update({ printer })
        board.use([createPrinter(printer)])
        await (await host.desk()).printersChanged()
        return ok(printer)
      },
      test: async (printer) => ok(await createPrinter(printer).status()),
      discover: async () => {
        const queues = await discoverIpp()
        const windows = process.platform === 'win32' ? await windowsPrinters() : undefined
        return ok({ isThere: queues !== null, queues: queues ?? [], ...(windows && { windows }) })
      },
    },
    logger,
  )
}
