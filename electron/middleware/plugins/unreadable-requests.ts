import type { FastifyServerOptions } from 'fastify'
import { securityHeaders } from './security-headers.ts'

type Handler = NonNullable<FastifyServerOptions['clientErrorHandler']>

/**
 * For what Node's parser gives up before there is a request: a line or headers of more than 16 kB, no HTTP at all. No
 * path is known, so the body is that of most endpoints (api.md, Errors); 400, because no operation names another status,
 * but 408 for a request that took too long to arrive. The connection is closed whole: nobody watches it any more.
 */
export const answerUnreadable: Handler = (error, socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { code, reason, message } = described(error.code)
  const body = JSON.stringify({ code, message })
  const headers = {
    ...securityHeaders,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${code} ${reason}\r\n${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

function described(error: string): { code: number; reason: string; message: string } {
  switch (error) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 408, reason: 'Request Timeout', message: 'The request took too long to arrive.' }
    case 'HPE_HEADER_OVERFLOW':
      return { code: 400, reason: 'Bad Request', message: 'The address and the headers are too long.' }
    default:
      return { code: 400, reason: 'Bad Request', message: 'This is no HTTP request.' }
  }
}
