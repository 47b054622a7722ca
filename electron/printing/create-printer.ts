import type { PrinterPort } from '#desk/ports/printers.ts'
import type { PrinterEntry } from '#shared/bridge/printer-views.ts'
import { picturesInThread } from '#labels/raster-in-thread.ts'
import { forkDeviceProcess, type StartDeviceProcess } from './device-process.ts'
import { createEscposPrinter } from './escpos-printer.ts'
import { createFolderPrinter } from './folder-printer.ts'
import { createIppPrinter } from './ipp-printer.ts'
import { createWindowsPrinter } from './windows-printer.ts'
import { createZplPrinter } from './zpl-printer.ts'

/** What most label printers print. */
const pictureDpi = 203

/** The driver of a printer of the list, named by its id; `folder`: where the folder printer puts its files. */
export function createPrinter(
  { id, title, settings, layout }: PrinterEntry,
  folder: string,
  startProcess: StartDeviceProcess = forkDeviceProcess,
): PrinterPort {
  const naming = { name: id, title, layout }
  if (settings.kind === 'folder') {
    const picturesOf = (pdf: Uint8Array): Promise<readonly Uint8Array[]> => picturesInThread(pdf, pictureDpi)
    return createFolderPrinter(id, folder, { ...naming, picturesOf })
  }
  if (settings.kind === 'ipp') return createIppPrinter({ ...settings, ...naming })
  if (settings.kind === 'windows') return createWindowsPrinter({ ...settings, ...naming })
  const { host, port, device } = settings
  const address = device === undefined ? { host, port } : { path: device, startProcess }
  return settings.kind === 'zpl'
    ? createZplPrinter({ ...settings, ...address, ...naming })
    : createEscposPrinter({ ...settings, ...address, ...naming })
}
