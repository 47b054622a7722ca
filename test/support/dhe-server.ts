import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:net'

/** The code of the cipher `DHE-RSA-AES128-GCM-SHA256`, which Node offers by default. */
const chosen = 0x009e
/**
 * Position of the session id's length in a ClientHello: after the header of the record, the header of the message, the
 * version and the random bytes.
 */
const sessionIdAt = 5 + 4 + 2 + 32

/**
 * A TLS server with finite-field Diffie-Hellman as its only cipher. It chooses that cipher even if it was not offered.
 */
export function createDheServer(): { readonly server: Server; readonly wasOffered: () => boolean } {
  let wasOffered = false
  const server = createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      if (received.length < 5 || received.length < 5 + received.readUInt16BE(3)) return
      socket.removeAllListeners('data')
      wasOffered ||= offeredIn(received).includes(chosen)
      const hello = Buffer.from([
        3,
        3,
        ...randomBytes(32),
        0,
        chosen >> 8,
        chosen & 255,
        0,
        0,
        5,
        255,
        1,
        0,
        1,
        0,
      ])
      const message = Buffer.from([2, 0, 0, hello.length, ...hello])
      socket.end(Buffer.from([22, 3, 3, 0, message.length, ...message]))
    })
  })
  return { server, wasOffered: () => wasOffered }
}

/** Returns the ciphers of a ClientHello. */
function offeredIn(record: Buffer): number[] {
  const at = sessionIdAt + 1 + record.readUInt8(sessionIdAt)
  const count = record.readUInt16BE(at) / 2
  return Array.from({ length: count }, (_, index) => record.readUInt16BE(at + 2 + 2 * index))
}
