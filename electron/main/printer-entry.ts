import {
  plainLayout,
  type PrinterEntry,
  type PrinterSettings,
  standardFolderTitle,
} from '#shared/bridge/printer-views.ts'

const longestId = 300
const longestTitle = 60

/**
 * An entry for a printer that has none. Its id is what print jobs called it before printers had entries, so that those
 * that wait find it; its title is its address.
 */
export function entryOf(settings: PrinterSettings): PrinterEntry {
  const entry = (id: string, title: string): PrinterEntry => ({
    id: id.slice(0, longestId),
    title: title.slice(0, longestTitle).trim(),
    settings,
    layout: plainLayout,
  })
  if (settings.kind === 'folder') return entry('folder', standardFolderTitle)
  if (settings.kind === 'ipp') return entry(`ipp ${settings.uri}`, settings.uri)
  if (settings.kind === 'windows') return entry(`windows ${settings.queue}`, settings.queue)
  const { kind, host, port, device } = settings
  const address = device ?? `${host}:${String(port)}`
  return entry(`${kind} ${address}`, address)
}
