import { findPrinterDevice } from '#kit/device-files.ts'
import type { PrinterSettings } from '#shared/bridge/printer-views.ts'
import { ippAddress } from './ipp-client.ts'
import { askCondition } from './ipp-condition.ts'
import { ippSession } from './ipp-session.ts'
import { openRaw } from './raw-sender.ts'

type Addressed = Exclude<PrinterSettings, { kind: 'folder' | 'windows' }>

const reachMs = 3_000
const ippTimeouts = { connectMs: reachMs, stallMs: 5_000, answerMs: 5_000 }
/** Of a printer (PWG 5100.14: `/ipp/print`), or of a queue of CUPS; nothing encoded, which a server may read as dots or slashes. */
const printerPath = /^\/(?:ipp(?:\/[\w.~-]+)*|printers\/[\w.~-]+)$/

/**
 * Whether there is a printer at an address, or anything that takes a connection. Nothing is written, but for the question
 * that IPP has for this, to paths that printers have. A device file is looked at and not opened. Never rejects.
 */
export async function isReached(settings: Addressed): Promise<boolean> {
  if (settings.kind === 'ipp') {
    const address = ippAddress(settings.uri)
    if (!address || !printerPath.test(address.path)) return false
    return !('kind' in (await askCondition(ippSession(address, ippTimeouts))))
  }
  const { host, port, device } = settings
  if (device !== undefined) return findPrinterDevice(device) !== null
  const connection = await openRaw({ host, port }, reachMs)
  if ('cause' in connection) return false
  await connection.finish(0)
  return true
}
