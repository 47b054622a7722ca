import type { PrinterSettings } from '#shared/bridge/printer-views.ts'
import { wholeNumber } from './zpl-draft.ts'

export type PrinterAddress = Pick<Extract<PrinterSettings, { kind: 'escpos' }>, 'host' | 'port' | 'device'>

/** What is typed about where a printer is; the port is a text until it is a number. */
export interface AddressDraft {
  connection: 'network' | 'device'
  host: string
  port: string
  device: string
}

export const newAddressDraft: AddressDraft = {
  connection: 'network',
  host: '',
  port: '9100',
  device: '/dev/usb/lp0',
}

export function portOf(text: string): number | null {
  return wholeNumber(text, { least: 1, most: 65_535 })
}

/** A name or an IP address without brackets; no address of a web page, and no port, which has a field of its own. */
export function hostOf(text: string): string | null {
  const host = text.trim()
  const isName = /^[\p{L}\p{M}\p{N}_-]+(\.[\p{L}\p{M}\p{N}_-]+)*\.?$/u.test(host)
  const isIpv6 = /^[\da-f]*:[\da-f]*:[\da-f:.]*(%\w+)?$/i.test(host)
  return host.length <= 253 && (isName || isIpv6) ? host : null
}

/** A device file as the contract takes it: below /dev, each name visible and none of them a step back. */
export function deviceOf(text: string): string | null {
  const path = text.trim()
  return path.length <= 253 && /^\/dev(\/[\w:@+-][\w.:@+-]*)+$/.test(path) ? path : null
}

/** The draft as the contract takes it, or null where something is missing or wrong. */
export function addressOf(draft: AddressDraft): PrinterAddress | null {
  const device = deviceOf(draft.device)
  if (draft.connection === 'device') return device === null ? null : { host: '', port: 9100, device }
  const host = hostOf(draft.host)
  const port = portOf(draft.port)
  return host === null || port === null ? null : { host, port }
}

export function addressDraft({ host, port, device }: PrinterAddress): AddressDraft {
  return device === undefined
    ? { ...newAddressDraft, host, port: String(port) }
    : { ...newAddressDraft, connection: 'device', device }
}
