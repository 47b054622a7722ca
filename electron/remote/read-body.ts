import type { IncomingMessage } from 'node:http'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

export type Body =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly code: 'TRUNCATED' | 'TOO_LARGE' | 'TIMEOUT' }

export interface BodyLimits {
  /** Counted as it arrives, and again after decompression. */
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
  const decoder = decoderOf(incoming)
  const body = await gather(incoming, limits)
  return body.ok && decoder ? decompress(body.bytes, decoder(), limits.largestBytes) : body
}

/**
 * The body as it was sent. By events: an iterator, or a decoder that is given each piece, takes many times as long for
 * short pieces.
 */
function gather(incoming: IncomingMessage, { largestBytes, idleMs }: BodyLimits): Promise<Body> {
  const { promise, resolve } = Promise.withResolvers<Body>()
  const pieces: Uint8Array[] = []
  let total = 0
  const stop = (code: 'TRUNCATED' | 'TOO_LARGE' | 'TIMEOUT'): void => {
    clearTimeout(idle)
    resolve({ ok: false, code })
    incoming.destroy()
  }
  const idle = setTimeout(stop, idleMs, 'TIMEOUT')
  incoming.on('data', (piece: Uint8Array) => {
    idle.refresh()
    total += piece.length
    if (total > largestBytes) stop('TOO_LARGE')
    else pieces.push(piece)
  })
  incoming.on('end', () => {
    clearTimeout(idle)
    resolve(incoming.complete ? { ok: true, bytes: Buffer.concat(pieces) } : { ok: false, code: 'TRUNCATED' })
  })
  incoming.on('error', () => stop('TRUNCATED'))
  incoming.on('close', () => stop('TRUNCATED'))
  return promise
}

type Decoder = ReturnType<typeof createGunzip | typeof createInflate | typeof createBrotliDecompress>

async function decompress(bytes: Uint8Array, decoder: Decoder, largestBytes: number): Promise<Body> {
  const pieces: Uint8Array[] = []
  let total = 0
  decoder.end(bytes)
  try {
    for await (const piece of decoder) {
      if (!(piece instanceof Uint8Array)) return { ok: false, code: 'TRUNCATED' }
      total += piece.length
      if (total > largestBytes || isBomb(decoder, total)) return { ok: false, code: 'TOO_LARGE' }
      pieces.push(piece)
    }
  } catch {
    return { ok: false, code: 'TRUNCATED' }
  }
  return { ok: true, bytes: Buffer.concat(pieces) }
}

/** Whether so many bytes came out of too few. */
function isBomb(decoder: Decoder, total: number): boolean {
  return total > unaskedBytes && total > largestRatio * decoder.bytesWritten
}

/** Makes the decoder of the answer's encoding; null: it is not compressed. */
function decoderOf(incoming: IncomingMessage): (() => Decoder) | null {
  // proxies announce gzip over nothing as well, and nothing is no gzip
  const isEmpty = incoming.statusCode === 204 || incoming.headers['content-length'] === '0'
  if (isEmpty) return null
  switch (incoming.headers['content-encoding']?.trim().toLowerCase()) {
    case 'gzip':
      return createGunzip
    case 'deflate':
      return createInflate
    case 'br':
      return createBrotliDecompress
    default:
      return null
  }
}
