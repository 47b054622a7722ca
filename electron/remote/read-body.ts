import type { IncomingMessage } from 'node:http'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Readable } from 'node:stream'

export type Body =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly code: 'TRUNCATED' | 'TOO_LARGE' | 'TIMEOUT' }

export interface BodyLimits {
  /** Counted after decompression. */
  readonly largestBytes: number
  /** Longest wait for the next piece, in milliseconds. */
  readonly idleMs: number
}

/** JSON of the service shrinks to a tenth or a twentieth; more than this is made to be large. */
const largestRatio = 100
/** Up to here nobody asks how small it was, in bytes. */
const unaskedBytes = 1024 * 1024

/** Reads a whole answer, decompressed. Never rejects; stops reading at the first limit: a bomb is TOO_LARGE. */
export async function readBody(incoming: IncomingMessage, limits: BodyLimits): Promise<Body> {
  const stream = decompressed(incoming)
  const pieces: Uint8Array[] = []
  let total = 0
  const patience = { isOver: false }
  const arm = (): NodeJS.Timeout =>
    setTimeout(() => {
      patience.isOver = true
      stream.destroy()
      incoming.destroy()
    }, limits.idleMs)
  let idle = arm()
  try {
    for await (const piece of stream) {
      clearTimeout(idle)
      idle = arm()
      if (!(piece instanceof Uint8Array)) return { ok: false, code: 'TRUNCATED' }
      total += piece.length
      if (total > limits.largestBytes || isBomb(stream, total)) {
        incoming.destroy()
        return { ok: false, code: 'TOO_LARGE' }
      }
      pieces.push(piece)
    }
  } catch {
    return { ok: false, code: patience.isOver ? 'TIMEOUT' : 'TRUNCATED' }
  } finally {
    clearTimeout(idle)
  }
  if (patience.isOver) return { ok: false, code: 'TIMEOUT' }
  return incoming.complete ? { ok: true, bytes: Buffer.concat(pieces) } : { ok: false, code: 'TRUNCATED' }
}

/** Whether so many bytes came out of too few. */
function isBomb(stream: Readable, total: number): boolean {
  if (total <= unaskedBytes || !('bytesWritten' in stream)) return false
  return total > largestRatio * Number(stream.bytesWritten)
}

function decompressed(incoming: IncomingMessage): Readable {
  // proxies announce gzip over nothing as well, and nothing is no gzip
  const isEmpty = incoming.statusCode === 204 || incoming.headers['content-length'] === '0'
  const encoding = isEmpty ? undefined : incoming.headers['content-encoding']?.trim().toLowerCase()
  const decoder =
    encoding === 'gzip'
      ? createGunzip()
      : encoding === 'deflate'
        ? createInflate()
        : encoding === 'br'
          ? createBrotliDecompress()
          : null
  if (!decoder) return incoming
  // a source that breaks must break its decoder, or reading would wait for ever
  incoming.on('error', (error) => decoder.destroy(error))
  incoming.on('aborted', () => decoder.destroy(new Error('aborted')))
  return incoming.pipe(decoder)
}
