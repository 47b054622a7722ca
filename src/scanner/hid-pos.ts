import type { HeardScan } from '#shared/domain/scan-burst.ts'
import { type HidCollection, HidPosReader, isHidPos } from '#shared/domain/hid-pos.ts'

/** Declares the part of WebHID that this file uses, because TypeScript has no types for WebHID. */
export interface HidDevice {
  readonly opened: boolean
  readonly productName: string
  readonly collections: readonly HidCollection[]
  open(): Promise<void>
  close(): Promise<void>
  addEventListener(type: 'inputreport', listener: (event: HidReport) => void): void
  removeEventListener(type: 'inputreport', listener: (event: HidReport) => void): void
}
interface HidReport {
  readonly reportId: number
  readonly data: DataView
  readonly timeStamp: number
}
interface HidChange {
  readonly device: HidDevice
}
export interface Hid {
  getDevices(): Promise<readonly HidDevice[]>
  addEventListener(type: 'connect' | 'disconnect', listener: (event: HidChange) => void): void
  removeEventListener(type: 'connect' | 'disconnect', listener: (event: HidChange) => void): void
}

/** Returns WebHID of a window, or null if the window has none. */
export function hidOf(navigator: object): Hid | null {
  return 'hid' in navigator && isHid(navigator.hid) ? navigator.hid : null
}

function isHid(hid: unknown): hid is Hid {
  return typeof hid === 'object' && hid !== null && 'getDevices' in hid
}

export interface HidListener {
  /** Called with each scan. `lastReportMs`: time stamp of the last report of the scan. */
  readonly onScan: (device: HidDevice, scan: HeardScan, lastReportMs: number) => void
  /** Called with the state of a scanner. `failed`: the device is connected and cannot be opened. */
  readonly onState: (device: HidDevice, state: 'open' | 'unplugged' | 'failed') => void
}

/**
 * Calls back with the scans of every HID POS scanner, including scanners that are plugged in later, until the returned
 * function is called. Main decides which devices the window may use (main/hardening.ts).
 */
export function startHidPos(hid: Hid, { onScan, onState }: HidListener): () => void {
  const stops = new Map<HidDevice, () => void>()
  let isOver = false

  async function hear(device: HidDevice): Promise<void> {
    if (isOver || stops.has(device) || !isHidPos(device.collections)) return
    const reader = new HidPosReader(device.collections)
    const listen = ({ reportId, data, timeStamp }: HidReport): void => {
      const scan = reader.take(
        reportId,
        new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
        timeStamp,
      )
      if (scan !== null) onScan(device, scan, timeStamp)
    }
    stops.set(device, () => {
      device.removeEventListener('inputreport', listen)
      // a device that was unplugged is already closed, so an error here is ignored
      if (device.opened) void device.close().catch(() => undefined)
    })
    device.addEventListener('inputreport', listen)
    try {
      if (!device.opened) await device.open()
      if (stops.has(device)) onState(device, 'open')
      // listening was stopped while the device was being opened, so the device is closed again
      else if (device.opened) await device.close()
    } catch {
      if (stops.delete(device)) onState(device, 'failed')
    }
  }

  function onConnect({ device }: HidChange): void {
    void hear(device)
  }
  function onDisconnect({ device }: HidChange): void {
    const stop = stops.get(device)
    stops.delete(device)
    stop?.()
    if (isHidPos(device.collections)) onState(device, 'unplugged')
  }

  hid.addEventListener('connect', onConnect)
  hid.addEventListener('disconnect', onDisconnect)
  void hid
    .getDevices()
    .then((devices) => Promise.all(devices.map(hear)))
    // `getDevices` fails in a window that may not use WebHID; such a window has no HID scanners
    .catch(() => undefined)
  return () => {
    isOver = true
    hid.removeEventListener('connect', onConnect)
    hid.removeEventListener('disconnect', onDisconnect)
    for (const stop of stops.values()) stop()
    stops.clear()
  }
}
