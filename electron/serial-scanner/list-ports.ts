import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SerialPorts } from '#shared/bridge/scanner-views.ts'

type Port = SerialPorts['ports'][number]

/**
 * In this folder udev creates a link for each serial port. The link is named after the connected device, so the name
 * does not change when other devices are connected.
 */
const stableFolder = '/dev/serial/by-id'

interface FoundPort {
  readonly path: string
  readonly manufacturer?: string | undefined
  /** Linux: the port's name in `stableFolder`. */
  readonly pnpId?: string | undefined
  /** Windows: the port's name in the system. */
  readonly friendlyName?: string | undefined
}

export interface PortSources {
  readonly list: () => Promise<readonly FoundPort[]>
  readonly stableFolder: string
}

const ofThisComputer: PortSources = {
  list: async () => (await import('serialport')).SerialPort.list(),
  stableFolder,
}

/**
 * Lists the serial ports of this computer. On Linux the complete list needs `udevadm`, which may not be installed.
 * Never throws.
 */
export async function listPorts({
  list,
  stableFolder: folder,
}: PortSources = ofThisComputer): Promise<SerialPorts> {
  const [found, stable] = await Promise.all([
    list().catch(() => null),
    readdir(folder).catch((): string[] => []),
  ])
  const ports = [
    ...stable.toSorted().map((name) => stablePort(folder, name)),
    ...(found ?? []).map(listedPort),
  ]
  // a port without a manufacturer is at the end of the list: it is a socket on the board, to which usually no device is
  // connected
  return { isListed: found !== null, ports: ports.toSorted((one, other) => rankOf(one) - rankOf(other)) }
}

function stablePort(folder: string, name: string): Port {
  // the title has no bus and no interface (`usb-` and `-if00` in
  // usb-Datalogic_ADC__Inc._Handheld_Barcode_Scanner_S_N_G1-if00), because an operator does not need them
  const title = name
    .replace(/^usb-/, '')
    .replace(/-if\d+(-port\d+)?$/, '')
    .replace(/_+/g, ' ')
  return { path: join(folder, name), title, isStable: true }
}

function listedPort({ path, manufacturer, friendlyName }: FoundPort): Port {
  return { path, title: friendlyName ?? manufacturer ?? '', isStable: false }
}

function rankOf({ isStable, title }: Port): number {
  if (isStable) return 0
  return title === '' ? 2 : 1
}
