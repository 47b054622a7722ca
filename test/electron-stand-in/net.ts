import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { protocol, type Protocol } from './protocol.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.wav': 'audio/wav',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.pdf': 'application/pdf',
}

/**
 * Implements net.fetch and session.fetch. Files and the schemes that the session handles are handled here, all other
 * addresses by Node's fetch. Rejects for a missing file, as Electron does.
 */
export async function fetchIn(
  session: Protocol,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input)
  if (url.protocol === 'file:') {
    const file = fileURLToPath(url)
    const bytes = await readFile(file).catch(() => {
      throw new Error('net::ERR_FILE_NOT_FOUND')
    })
    return new Response(new Uint8Array(bytes), {
      headers: { 'content-type': types[extname(file).toLowerCase()] ?? 'application/octet-stream' },
    })
  }
  const handler = session.handlerOf(url.href)
  return handler ? handler(new Request(input, init)) : fetch(input, init)
}

export const net = {
  fetch: (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    fetchIn(protocol, input, init),
  isOnline: (): boolean => true,
  online: true,
}
