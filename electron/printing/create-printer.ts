import type { PrinterPort } from '#desk/ports/printers.ts'
import type { PrinterSettings } from '#shared/bridge/views.ts'
import { createEscposPrinter } from './escpos-printer.ts'
import { createFolderPrinter } from './folder-printer.ts'
import { createZplPrinter } from './zpl-printer.ts'

/** The driver of the printer that the settings name; `folder` is the one that is always there. */
export function createPrinter(
  settings: PrinterSettings,
  folder: { readonly name: string; readonly folder: string },
): PrinterPort {
  if (settings.kind === 'folder') return createFolderPrinter(folder.name, folder.folder)
  const name = `${settings.kind} ${settings.host}:${String(settings.port)}`
  return settings.kind === 'zpl'
    ? createZplPrinter({ ...settings, name })
    : createEscposPrinter({ ...settings, name })
}
