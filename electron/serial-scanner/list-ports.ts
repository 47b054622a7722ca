import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SerialPorts } from '#shared/bridge/scanner-views.ts'

type Port = SerialPorts['ports'][number]

/** Links that udev names after the connected device, so that a name stays the same whatever else is plugged in. */
const stableFolder = '/dev/serial/by-id'

interface FoundPort {
  readonly path: string
  readonly manufacturer?: string | undefined
  /** Linux: its name in `stableFolder`. */
  readonly pnpId?: string | undefined
  /** Windows: its name in the system. */
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

/** Lists the serial ports of this computer. On Linux it needs `udevadm`, which may be missing. Never throws. */
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
  // a port without a maker is a socket on the board, and usually no device is connected to it
  return { isListed: found !== null, ports: ports.toSorted((one, other) => rankOf(one) - rankOf(other)) }
}

function stablePort(folder: string, name: string): Port {
  // usb-Datalogic_ADC__Inc._Handheld_Barcode_Scanner_S_N_G1-if00: bus and interface mean nothing to an operator
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
