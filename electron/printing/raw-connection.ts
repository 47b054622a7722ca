import { connect, isIP, type Socket } from 'node:net'
import { type FindDevice, findPrinterDevice } from '#kit/device-files.ts'
import { entryBeside, type StartChild } from '#kit/child-process.ts'
import { addressMs, lookupOption, nameMs } from '#kit/name-lookups.ts'
import type { DeviceOrder, DeviceWord } from './device-child.ts'
import { lookUpPrinter } from './printer-names.ts'

/** A connection for bytes to and from a printer: over TCP, or through a device file. */
export interface RawConnection extends Pick<Lifeline, 'lost' | 'until'> {
  /** Registers a listener for the bytes that the printer sends from now on. */
  onBytes(listener: (bytes: Uint8Array) => void): void
  /**
   * Writes bytes in pieces. Returns null when the system has accepted the last piece, otherwise the cause of the
   * failure: `stalled` if it did not accept a piece within `stallMs`, or the last piece before the time `last` of
   * `performance.now`.
   */
  write(bytes: Uint8Array, stallMs: number, last?: number): Promise<string | null>
  /**
   * Waits `settleMs`, ends the output, waits until the printer closes its side too, and releases the connection.
   * Returns null if the printer closed its side, otherwise the cause. Without the first wait, a printer that closes
   * while the last bytes are in transit would look like one that has received all bytes. A device file has no other
   * side: null then means that the file was closed.
   */
  finish(closeMs: number, settleMs?: number): Promise<string | null>
}

/**
 * Maximum number of bytes that a printer may send between two writes of the desk. After more bytes the connection ends
 * with the cause `error`, because reading bytes without end would slow down the desk. The response to a query has about
 * 80 bytes. The total of a connection has no limit: during a job of a hundred labels a printer responds to thousands of
 * queries.
 */
const mostUnasked = 64 * 1024

/** The state of a connection, and a function that waits for an event until the connection ends. */
interface Lifeline {
  /** Ends the connection. Further calls change nothing, so `lost` returns the first cause. */
  readonly end: (cause: string) => void
  /** Returns why the connection has ended; null while it is open. */
  readonly lost: () => string | null
  /**
   * Passes a callback to `attach`, waits until the callback is called, and then returns null. If the timeout passes or
   * the connection ends before that call, returns the cause.
   */
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

/** Returns the timeout for the next piece of a write that must end before the time `last`. */
function pieceMs(stallMs: number, last: number): number {
  return Math.max(0, Math.min(stallMs, last - performance.now()))
}

const networkChunkBytes = 16 * 1024

/**
 * Opens one TCP connection (usually port 9100), or returns the cause of the failure: an error code of the system
 * (ECONNREFUSED, EHOSTUNREACH, ENOTFOUND, …) or `connect_timeout`. After a failure nothing has reached the printer.
 * `connectMs` begins after the look-up of the host name, which has its own time limit.
 * Up to `mostUnasked`, received bytes are always read, also without a listener. If status bytes were unread when the
 * connection is closed, the system would send a reset, and the printer might then discard the rest of a label.
 */
export function openRaw(
  { host, port }: { host: string; port: number },
  connectMs: number,
): Promise<RawConnection | { readonly cause: string }> {
  return new Promise((resolve) => {
    const lookup = lookupOption(lookUpPrinter)
    const socket = connect({ host, port, noDelay: true, lookup, autoSelectFamilyAttemptTimeout: addressMs })
    const timedOut = (): void => {
      socket.destroy()
      resolve({ cause: 'connect_timeout' })
    }
    let timer = setTimeout(timedOut, isIP(host) === 0 ? nameMs : connectMs)
    socket.once('lookup', () => {
      clearTimeout(timer)
      if (!socket.destroyed) timer = setTimeout(timedOut, connectMs)
    })
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
  let unasked = 0
  socket.on('data', ({ length }) => {
    unasked += length
    if (unasked <= mostUnasked) return
    end('error')
    socket.destroy()
  })
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
    async write(bytes, stallMs, last = Infinity) {
      for (let from = 0; from < bytes.length; from += networkChunkBytes) {
        const chunk = bytes.subarray(from, from + networkChunkBytes)
        unasked = 0
        const cause = await until(
          (done) => {
            // a write error is not handled here, because the socket reports it as an event too
            socket.write(chunk, (error) => {
              if (!error) done()
            })
          },
          pieceMs(stallMs, last),
        )
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
  /** The path of the device file, for example `/dev/usb/lp0`. */
  readonly path: string
  readonly startProcess: StartChild
  /** Decides which files are printer devices. The default is findPrinterDevice; tests use other functions. */
  readonly find?: FindDevice
}

/**
 * Length of the pieces to write, in bytes. The kernel's buffer for a USB printer has 8 kB, so at most two accepted
 * pieces are still in the buffer.
 */
const deviceChunkBytes = 4 * 1024

/**
 * Opens the device file of a printer, or returns the cause of the failure: an error code of the system (ENOENT, EACCES,
 * EBUSY, …), `not_a_device`, `process_ended`, or `connect_timeout`. After a failure nothing has reached the printer. If
 * the path is not that of a printer's device, the file is not opened and the cause is ENOENT, even if the file exists.
 * A separate process opens and writes the file, because on Linux a program may wait without limit for a printer without
 * paper. The process is killed when a write stalls, and always at the end of the connection.
 */
export async function openDevice(
  { path: named, startProcess, find = findPrinterDevice }: DeviceAddress,
  openMs: number,
): Promise<RawConnection | { readonly cause: string }> {
  const path = find(named)
  if (path === null) return { cause: 'ENOENT' }
  const device = startProcess<DeviceOrder, DeviceWord>(entryBeside(import.meta.url, 'device-child'))
  const lifeline = createLifeline()
  const listeners: ((bytes: Uint8Array) => void)[] = []
  let taken: (() => void) | null = null
  let unasked = 0
  device.onWord((word) => {
    if (word.say === 'bytes') {
      for (const listener of listeners) listener(word.bytes)
      unasked += word.bytes.length
      if (unasked <= mostUnasked) return
      lifeline.end('error')
      device.kill()
    } else if ('cause' in word) lifeline.end(word.cause)
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
    async write(bytes, stallMs, last = Infinity) {
      for (let from = 0; from < bytes.length; from += deviceChunkBytes) {
        // each piece is copied, because Electron sends the whole buffer even for a view of a part of it
        const chunk = bytes.slice(from, from + deviceChunkBytes)
        unasked = 0
        const why = await order({ do: 'write', bytes: chunk }, pieceMs(stallMs, last))
        if (why === null) continue
        if (why !== 'timeout') return why
        // The printer stalled, so the process that writes to the device is ended. Otherwise the rest of the job would
        // be printed when the operator adds paper.
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
