import http from 'node:http'

export interface Forwarded {
  readonly status: number
  readonly headers: http.OutgoingHttpHeaders
  readonly body: Buffer
}

const agent = new http.Agent({ keepAlive: true })
/**
 * Headers that belong to a connection and not to the message. They are not forwarded, because the second connection has
 * its own headers.
 */
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding', 'content-length']

/**
 * Forwards a call to the middleware once and returns its whole response. `origin`: the address that clients use, to
 * which links in responses lead. Null: the Host header of the client is forwarded unchanged.
 */
export async function forward(
  target: URL,
  { method, url, headers }: http.IncomingMessage,
  body: Buffer,
  origin: string | null,
): Promise<Forwarded> {
  const outgoing = { ...without(headers), 'content-length': body.length }
  const { promise, resolve, reject } = Promise.withResolvers<Forwarded>()
  const request = http.request(
    {
      hostname: target.hostname,
      port: target.port,
      method,
      path: url,
      agent: method === 'GET' ? agent : false,
      headers: origin === null ? outgoing : { ...outgoing, host: target.host },
    },
    (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('error', reject)
      answer.on('end', () => {
        const whole = Buffer.concat(pieces)
        resolve({
          status: answer.statusCode ?? 502,
          headers: without(answer.headers),
          body: origin === null ? whole : relinked(whole, target, origin, answer.headers['content-type']),
        })
      })
    },
  )
  request.on('error', reject)
  request.end(body)
  return promise
}

function without(headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name)))
}

function relinked(body: Buffer, target: URL, origin: string, type = ''): Buffer {
  if (!type.startsWith('application/json')) return body
  return Buffer.from(body.toString('utf8').replaceAll(target.origin, origin))
}
