import http from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Random } from '#middleware/warehouse/demo/random.ts'
import type { FaultCount } from './fault-proxy.ts'

/** Share of tunnels with a fault while faults are on, from 0 to 1. */
const hostileRate = 0.12

const faults = [
  ['tunnel: refused', 3],
  ['tunnel: 502', 3],
  ['tunnel: no answer', 1],
  ['tunnel: breaks at once', 2],
  ['tunnel: breaks on its way', 5],
] as const satisfies readonly (readonly [string, number])[]
type TunnelFault = (typeof faults)[number][0]

/**
 * A company proxy. It connects every CONNECT request to one port of this machine, whatever name is requested. If a
 * tunnel breaks, the client cannot detect whether the server received its request.
 */
export class Tunnel {
  isHostile = false
  readonly #random: Random
  readonly #count: FaultCount
  readonly #targetPort: number
  readonly #server = http.createServer()
  readonly #sockets = new Set<Socket>()

  static async start(targetPort: number, random: Random, count: FaultCount): Promise<Tunnel> {
    const tunnel = new Tunnel(targetPort, random, count)
    await new Promise<void>((listening) => tunnel.#server.listen(0, '127.0.0.1', listening))
    return tunnel
  }

  private constructor(targetPort: number, random: Random, count: FaultCount) {
    this.#targetPort = targetPort
    this.#random = random
    this.#count = count
    this.#server.on('connect', (_request, client: Socket, head: Buffer) => this.#open(client, head))
    this.#server.on('clientError', (_error, socket) => socket.destroy())
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.closeAllConnections()
    await new Promise((closed) => this.#server.close(closed))
  }

  #open(client: Socket, head: Buffer): void {
    this.#hold(client)
    const fault = this.#isFaulty() ? this.#random.weighted(faults) : null
    if (fault) this.#count.note(fault)
    if (fault === 'tunnel: refused') client.destroy()
    else if (fault === 'tunnel: 502') client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n')
    else if (fault !== 'tunnel: no answer') this.#join(client, head, fault)
  }

  #isFaulty(): boolean {
    return this.isHostile && this.#random.chance(hostileRate)
  }

  #join(client: Socket, head: Buffer, fault: TunnelFault | null): void {
    const server = connect(this.#targetPort, '127.0.0.1')
    this.#hold(server)
    const part = (): void => {
      client.destroy()
      server.destroy()
    }
    client.on('close', part)
    server.on('close', part)
    server.on('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      if (fault === 'tunnel: breaks at once') {
        part()
        return
      }
      server.write(head)
      client.pipe(server)
      server.pipe(client)
      // The connection breaks at most 25 ms after the tunnel is open: in the TLS handshake, in a call or between calls.
      if (fault === 'tunnel: breaks on its way') setTimeout(part, this.#random.int(1, 25))
    })
  }

  #hold(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#sockets.delete(socket))
  }
}
