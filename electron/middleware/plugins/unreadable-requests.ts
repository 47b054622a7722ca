import type { FastifyServerOptions } from 'fastify'
import { securityHeaders } from './security-headers.ts'

type Handler = NonNullable<FastifyServerOptions['clientErrorHandler']>

/**
 * For what Node's parser gives up before there is a request: a line or headers of more than 16 kB, no HTTP at all. No
 * path is known, so the body is that of most endpoints (api.md, Errors); 400, because no operation names another status.
 */
export const answerUnreadable: Handler = (error, socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const isLong = error.code === 'HPE_HEADER_OVERFLOW'
  const message = isLong ? 'The address and the headers are too long.' : 'This is no HTTP request.'
  const body = JSON.stringify({ code: 400, message })
  const headers = {
    ...securityHeaders,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}
