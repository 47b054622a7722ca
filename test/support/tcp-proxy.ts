import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** The port of a server on this machine. */
export type Target = number

/**
 * Forwards each connection unread to the first target that accepts it, as a load balancer does if one of several
 * servers may be down.
 */
export class TcpProxy {
  readonly #targets: readonly Target[]
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #port = 0
  #isSilent = false

  static async start(targets: readonly Target[]): Promise<TcpProxy> {
    const proxy = new TcpProxy(targets)
    await proxy.resume()
    return proxy
  }

  private constructor(targets: readonly Target[]) {
    this.#targets = targets
    // the client may send data before a target has accepted the connection
    this.#server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
      this.#keep(socket)
      if (!this.#isSilent) this.#forward(socket, this.#targets)
    })
  }

  get port(): number {
    return this.#port
  }

  get isListening(): boolean {
    return this.#server.listening
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /**
   * Stops forwarding over all open connections, but keeps them open, as if the path to the target had disappeared. New
   * connections are forwarded, unless `forNew` is set: then they are accepted and get no response either.
   */
  silence({ forNew = false } = {}): void {
    this.#isSilent = forNew
    for (const socket of this.#sockets) socket.unpipe().pause()
  }

  /** Breaks all connections and refuses new ones until `resume`. */
  async stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.cut()
    await closed
  }

  /** Listens on the same port again. */
  async resume(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  #forward(socket: Socket, [target, ...others]: readonly Target[]): void {
    if (target === undefined) {
      socket.destroy()
      return
    }
    const onward = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true })
    const next = (): void => {
      this.#forward(socket, others)
    }
    onward.once('error', next)
    onward.once('connect', () => {
      onward.off('error', next)
      this.#keep(onward)
      socket.once('close', () => onward.destroy())
      onward.once('close', () => socket.destroy())
      socket.pipe(onward).pipe(socket)
    })
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#sockets.delete(socket))
  }
}
