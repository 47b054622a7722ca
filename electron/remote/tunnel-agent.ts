import http from 'node:http'
import https from 'node:https'
import { isIP, isIPv6 } from 'node:net'
import { connect, type ConnectionOptions } from 'node:tls'
import { clientTls } from '#kit/client-tls.ts'
import { isBeforeSending } from './exchange.ts'

type Create = https.Agent['createConnection']
type Options = Parameters<Create>[0]
type Created = NonNullable<Parameters<Create>[1]>

/** Time limit for the connection to a proxy and its response to CONNECT, in milliseconds. */
const tunnelMs = 20_000

/**
 * An agent of HTTPS whose connections use a tunnel of an HTTP proxy (CONNECT). Node's own agent can do this too
 * (`proxyEnv`), but it leaves the connection of a refused tunnel open and without a listener, so that a reset of this
 * connection ends the process, and a response in small pieces takes time and memory that double with each piece. This
 * agent reads the response with Node's HTTP parser, which limits its size, and closes every connection that gets no
 * tunnel.
 *
 * A call fails with the code of the failed connection to the proxy if this code shows that nothing was sent, otherwise
 * with the code `ERR_PROXY_TUNNEL`, which shows it too: without a tunnel the call cannot be sent.
 */
export class TunnelAgent extends https.Agent {
  readonly #proxy: URL
  /** The requests to the proxy that have no response yet. */
  readonly #opening = new Set<http.ClientRequest>()

  /** `proxy`: the address of the proxy, `http://host:port` or `https://host:port`. */
  constructor(proxy: string, options: https.AgentOptions) {
    super(options)
    this.#proxy = new URL(proxy)
  }

  override createConnection(options: Options, callback?: Created): undefined {
    const { protocol, hostname, port } = this.#proxy
    const proxyHost = hostname.replaceAll(/[[\]]/g, '')
    const host = options.host ?? ''
    const target = `${isIPv6(host) ? `[${host}]` : host}:${options.port ?? 443}`
    const transport = protocol === 'https:' ? https : http
    const opening = transport.request({
      ...clientTls,
      host: proxyHost,
      // without this, the certificate of a proxy with TLS would be checked for the name in the header `host`
      servername: isIP(proxyHost) === 0 ? proxyHost : '',
      ...(port !== '' && { port }),
      method: 'CONNECT',
      path: target,
      headers: { host: target },
      agent: false,
      ...(this.options.lookup && { lookup: this.options.lookup }),
    })
    this.#opening.add(opening)
    const end = (...result: Parameters<Created> | [Error]): void => {
      clearTimeout(limit)
      if (this.#opening.delete(opening)) (callback as ((...ends: unknown[]) => void) | undefined)?.(...result)
    }
    const limit = setTimeout(() => {
      opening.destroy(refused('no response in time'))
    }, tunnelMs)
    opening.on('error', (error: NodeJS.ErrnoException) => {
      end(isBeforeSending(error.code ?? '') ? error : refused(error.message))
    })
    opening.once('connect', (response, socket, head) => {
      // without a listener, a reset of the connection would be an uncaught error
      socket.on('error', () => undefined)
      if (response.statusCode !== 200) {
        socket.destroy()
        end(refused(`status ${response.statusCode ?? 0}`))
        return
      }
      if (head.length > 0) socket.unshift(head)
      end(null, connect({ ...options, socket } as ConnectionOptions))
    })
    opening.end()
    return undefined
  }

  /** Closes the free connections, and the connections to the proxy that are being opened. */
  override destroy(): void {
    for (const opening of this.#opening) opening.destroy()
    super.destroy()
  }
}

function refused(why: string): Error {
  return Object.assign(new Error(`the proxy opens no tunnel: ${why}`), { code: 'ERR_PROXY_TUNNEL' })
}
