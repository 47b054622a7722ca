import { type FindDevice, findPrinterDevice } from '#kit/device-files.ts'
import type { DeviceOrder, StartDeviceProcess } from './device-process.ts'
import { createLifeline } from './lifeline.ts'
import type { RawConnection } from './raw-sender.ts'

export interface DeviceAddress {
  /** `/dev/usb/lp0`. */
  readonly path: string
  readonly startProcess: StartDeviceProcess
  /** What counts as a printer's device; findPrinterDevice unless a test has other devices. */
  readonly find?: FindDevice
}

/** The kernel's own buffer for a USB printer has 8 kB: a piece that is taken has for the most part left. */
const chunkBytes = 4 * 1024

/**
 * Opens a device file as openRaw opens a network printer, or says why not: an error code of the system (ENOENT,
 * EACCES, EBUSY, …), `not_a_device`, or `connect_timeout`. A path to anything but a printer's device is ENOENT, whether
 * something is there or not, and is not opened. Nothing has reached the printer then. The file is opened
 * and written by a process of its own, which is killed where it stalls and in any case at the end: Linux lets a
 * program wait for a printer without paper as long as it likes.
 */
export async function openDevice(
  { path: named, startProcess, find = findPrinterDevice }: DeviceAddress,
  openMs: number,
): Promise<RawConnection | { readonly cause: string }> {
  const path = find(named)
  if (path === null) return { cause: 'ENOENT' }
  const device = startProcess()
  const lifeline = createLifeline()
  const listeners: ((bytes: Uint8Array) => void)[] = []
  let taken: (() => void) | null = null
  device.onWord((word) => {
    if (word.say === 'bytes') for (const listener of listeners) listener(word.bytes)
    else if ('cause' in word) lifeline.end(word.cause)
    else taken?.()
  })
  device.onEnd(() => {
    lifeline.end('process_ended')
  })

  const order = (what: DeviceOrder, timeoutMs: number): Promise<string | null> =>
    lifeline.until((done) => {
      taken = done
      device.tell(what)
    }, timeoutMs)

  const cause = await order({ do: 'open', path }, openMs)
  if (cause !== null) {
    device.kill()
    return { cause: cause === 'timeout' ? 'connect_timeout' : cause }
  }

  return {
    onBytes: (listener) => void listeners.push(listener),
    until: lifeline.until,
    async write(bytes, stallMs) {
      for (let from = 0; from < bytes.length; from += chunkBytes) {
        const chunk = bytes.subarray(from, from + chunkBytes)
        const why = await order({ do: 'write', bytes: chunk }, stallMs)
        if (why === null) continue
        if (why !== 'timeout') return why
        // what it still holds must not come out when somebody puts in paper
        lifeline.end('stalled')
        device.kill()
        return 'stalled'
      }
      return lifeline.lost()
    },
    async finish(closeMs, settleMs = 0) {
      if (settleMs > 0) await lifeline.until(() => undefined, settleMs)
      const why = await order({ do: 'close' }, closeMs)
      lifeline.end('closed')
      device.kill()
      if (why === null || why === 'closed') return null
      return why === 'timeout' ? 'not_closed' : why
    },
    lost: lifeline.lost,
  }
}
