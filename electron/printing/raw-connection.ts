import { connect, type Socket } from 'node:net'
import { type FindDevice, findPrinterDevice } from '#kit/device-files.ts'
import type { DeviceOrder, StartDeviceProcess } from './device-process.ts'

/** A connection to a printer that takes bytes: over TCP, or through a device file. */
export interface RawConnection extends Pick<Lifeline, 'lost' | 'until'> {
  /** Called with every piece the printer sends from now on. */
  onBytes(listener: (bytes: Uint8Array) => void): void
  /** Hands bytes over, piece by piece; null when the last is out of our hands, else why not. */
  write(bytes: Uint8Array, stallMs: number): Promise<string | null>
  /**
   * Says that nothing more comes, waits for the printer to say so too and lets go; null if it did, else why not.
   * `settleMs` is waited first: a printer that closes first while the last bytes are still under way would
   * otherwise look like one that closed after us.
   */
  finish(closeMs: number, settleMs?: number): Promise<string | null>
}

/** Whether a connection still is, and waiting that ends with it. */
interface Lifeline {
  /** The first cause counts. */
  readonly end: (cause: string) => void
  /** Why it is over, or null while it is not. */
  readonly lost: () => string | null
  /** Waits until `attach` calls its argument; null then, else why not: the time is over or the connection is. */
  readonly until: (attach: (done: () => void) => void, timeoutMs: number) => Promise<string | null>
}

function createLifeline(): Lifeline {
  let over: string | null = null
  const atEnd = new Set<() => void>()
  return {
    end(cause) {
      over ??= cause
      for (const listener of atEnd) listener()
    },
    lost: () => over,
    until: (attach, timeoutMs) =>
      new Promise((resolve) => {
        const settle = (cause: string | null): void => {
          clearTimeout(timer)
          atEnd.delete(ended)
          resolve(cause)
        }
        const ended = (): void => {
          settle(over)
        }
        const timer = setTimeout(settle, timeoutMs, 'timeout')
        atEnd.add(ended)
        if (over === null) attach(() => settle(null))
        else ended()
      }),
  }
}

const networkChunkBytes = 16 * 1024

/**
 * Opens one TCP connection (port 9100 by custom), or says why not: an error code of the system (ECONNREFUSED,
 * EHOSTUNREACH, ENOTFOUND, …) or `connect_timeout`; then nothing has reached the printer. It is read all the time,
 * whether somebody listens or not: unread status bytes turn our closing into a reset, and the printer may drop the
 * rest of a label.
 */
export function openRaw(
  { host, port }: { host: string; port: number },
  connectMs: number,
): Promise<RawConnection | { readonly cause: string }> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true })
    const timer = setTimeout(() => {
      socket.destroy()
      resolve({ cause: 'connect_timeout' })
    }, connectMs)
    const refused = (error: Error): void => {
      clearTimeout(timer)
      resolve({ cause: causeOf(error) })
    }
    socket.once('error', refused)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', refused)
      resolve(connectionOn(socket))
    })
  })
}

function causeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.message
}

function connectionOn(socket: Socket): RawConnection {
  const { end, lost, until } = createLifeline()
  let isClosing = false
  socket.on('data', () => undefined)
  socket.on('end', () => {
    end(isClosing ? 'closed' : 'closed_early')
  })
  socket.on('error', (error) => {
    end(causeOf(error))
  })
  socket.on('close', () => {
    end('closed_early')
  })

  return {
    onBytes: (listener) => void socket.on('data', listener),
    until,
    async write(bytes, stallMs) {
      for (let from = 0; from < bytes.length; from += networkChunkBytes) {
        const chunk = bytes.subarray(from, from + networkChunkBytes)
        const cause = await until((done) => {
          // an error comes through the socket's own event
          socket.write(chunk, (error) => {
            if (!error) done()
          })
        }, stallMs)
        if (cause !== null) return cause === 'timeout' ? 'stalled' : cause
      }
      return lost()
    },
    async finish(closeMs, settleMs = 0) {
      if (settleMs > 0) await until(() => undefined, settleMs)
      isClosing = true
      const cause = await until(() => socket.end(), closeMs)
      socket.destroy()
      if (cause === 'closed') return null
      return cause === 'timeout' ? 'not_closed' : cause
    },
    lost,
  }
}

export interface DeviceAddress {
  /** `/dev/usb/lp0`. */
  readonly path: string
  readonly startProcess: StartDeviceProcess
  /** Decides which files are printer devices; findPrinterDevice except in tests. */
  readonly find?: FindDevice
}

/** The kernel's own buffer for a USB printer has 8 kB: a piece that is taken has for the most part left. */
const deviceChunkBytes = 4 * 1024

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
      for (let from = 0; from < bytes.length; from += deviceChunkBytes) {
        const chunk = bytes.subarray(from, from + deviceChunkBytes)
        const why = await order({ do: 'write', bytes: chunk }, stallMs)
        if (why === null) continue
        if (why !== 'timeout') return why
        // the bytes that it still holds must not come out once paper is put in
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
