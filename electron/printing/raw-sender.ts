import { connect, type Socket } from 'node:net'
import { createLifeline, type Lifeline } from './lifeline.ts'

const chunkBytes = 16 * 1024

/** A connection to a printer that takes bytes: over TCP (here), or through a device file (device-sender.ts). */
export interface RawConnection extends Pick<Lifeline, 'lost' | 'until'> {
  /** Called with every piece the printer sends from now on. */
  onBytes(listener: (bytes: Uint8Array) => void): void
  /** Hands bytes over, piece by piece; null when the last is out of our hands, else why not. */
  write(bytes: Uint8Array, stallMs: number): Promise<string | null>
  /**
   * Says that nothing more comes, waits for the printer to say so too and lets go; null if it did, else why not.
   * `settleMs` is waited first: a printer that closes by itself while the last bytes are still under way would
   * otherwise look like one that closed after us.
   */
  finish(closeMs: number, settleMs?: number): Promise<string | null>
}

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
      for (let from = 0; from < bytes.length; from += chunkBytes) {
        const chunk = bytes.subarray(from, from + chunkBytes)
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
