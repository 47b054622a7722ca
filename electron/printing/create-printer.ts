import type { PrinterPort } from '#desk/ports/printers.ts'
import type { PrinterSettings } from '#shared/bridge/printer-views.ts'
import { picturesInThread } from '#labels/raster-in-thread.ts'
import { forkDeviceProcess, type StartDeviceProcess } from './device-process.ts'
import { createEscposPrinter } from './escpos-printer.ts'
import { createFolderPrinter } from './folder-printer.ts'
import { createIppPrinter } from './ipp-printer.ts'
import { createWindowsPrinter } from './windows-printer.ts'
import { createZplPrinter } from './zpl-printer.ts'

/** What most label printers print. */
const pictureDpi = 203

/** The driver of the printer that the settings name; `folder` is the one that is always there. */
export function createPrinter(
  settings: PrinterSettings,
  folder: { readonly name: string; readonly folder: string },
  startProcess: StartDeviceProcess = forkDeviceProcess,
): PrinterPort {
  if (settings.kind === 'folder') {
    const picturesOf = (pdf: Uint8Array): Promise<readonly Uint8Array[]> => picturesInThread(pdf, pictureDpi)
    return createFolderPrinter(folder.name, folder.folder, { picturesOf })
  }
  if (settings.kind === 'ipp') return createIppPrinter({ ...settings, name: `ipp ${settings.uri}` })
  if (settings.kind === 'windows')
    return createWindowsPrinter({ ...settings, name: `windows ${settings.queue}` })
  const { kind, host, port, device } = settings
  const name = `${kind} ${device ?? `${host}:${String(port)}`}`
  const address = device === undefined ? { host, port } : { path: device, startProcess }
  return settings.kind === 'zpl'
    ? createZplPrinter({ ...settings, ...address, name })
    : createEscposPrinter({ ...settings, ...address, name })
}
