import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Connections, usualConnectionLimits } from '#middleware/plugins/connections.ts'

// with these limits every client counts as too slow
const limits = { ...usualConnectionLimits, slowMs: 0, leastBytesPerSecond: Number.MAX_SAFE_INTEGER }

let server: Server
let client: Socket
let accepted: Socket
let connections: Connections
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  ;[accepted] = (await once(server, 'connection')) as [Socket]
  connections = new Connections(limits)
  connections.opened(accepted)
  // more bytes than the buffers of the operating system can contain
  accepted.write(Buffer.alloc(64 * 1024 * 1024))
})
afterEach(() => {
  client.destroy()
  accepted.destroy()
  server.close()
})

describe('a connection without a running call, whose client reads no response', () => {
  it('is closed when a call needs memory', () => {
    expect(connections.makeRoom(1_000, 60_000)).toBe(true)
    expect(accepted.destroyed).toBe(true)
  })

  it('is closed at the time limit, and not earlier', async () => {
    connections.cutSlowReaders()
    expect(accepted.destroyed).toBe(false)
    await new Promise((resolve) => setTimeout(resolve, 5))
    connections.cutSlowReaders()
    expect(accepted.destroyed).toBe(true)
  })
})

describe('connections above the maximum', () => {
  beforeEach(() => {
    connections = new Connections({ ...limits, mostConnections: 64 })
  })

  /** Returns a connection from an address, without a client. */
  function connectionFrom(address: string): Socket {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address })
    connections.opened(socket)
    return socket
  }

  /** Lets a call without a body arrive on a connection. Returns a function that ends the call. */
  function call(socket: Socket, hasToken: boolean): () => void {
    const request = { socket, headers: {}, complete: true } as unknown as IncomingMessage
    const response = Object.assign(new EventEmitter(), { shouldKeepAlive: true }) as unknown as ServerResponse
    connections.begins({ request, response, awaitsContinue: false, work: () => undefined })
    if (hasToken) connections.admitted(request)
    return () => response.emit('close')
  }

  /** Opens many connections, each from another address, without a valid token. */
  function flood(addressOf: (index: number) => string, hasCall: boolean): void {
    for (let index = 1; index <= 200; index++) {
      const socket = connectionFrom(addressOf(index))
      if (hasCall) call(socket, false)
    }
  }

  const ownAddress = (index: number): string => `192.0.2.${index}`
  const ownNetworkOfSite = (index: number): string => `2001:db8:1:${index}::1`

  it.each([false, true])(
    'from many networks do not close the connections of a desk that had a valid token (with calls: %s)',
    (hasCall) => {
      const desk = Array.from({ length: 4 }, () => connectionFrom('198.51.100.1'))
      const [end] = desk.map((socket) => call(socket, true))
      end?.()
      flood(ownAddress, hasCall)
      expect(desk.map(({ destroyed }) => destroyed)).toEqual([false, false, false, false])
    },
  )

  it('from many networks, without calls, do not close the connections of a desk whose token is being checked', () => {
    const desk = Array.from({ length: 4 }, () => connectionFrom('198.51.100.1'))
    for (const socket of desk) call(socket, false)
    flood(ownAddress, false)
    expect(desk.map(({ destroyed }) => destroyed)).toEqual([false, false, false, false])
  })

  it('of the networks of one IPv6 site count together, so that they do not close a connection of another address', () => {
    const calm = connectionFrom('198.51.100.1')
    flood(ownNetworkOfSite, true)
    expect(calm.destroyed).toBe(false)
  })

  it('of one address whose calls all have a valid token close one another, and no connection of another address', () => {
    const idle = connectionFrom('198.51.100.1')
    call(idle, true)()
    const download = connectionFrom('198.51.100.1')
    call(download, false)
    const crowd = Array.from({ length: 61 }, () => connectionFrom('203.0.113.1'))
    for (const socket of crowd) call(socket, true)
    const write = connectionFrom('198.51.100.2')
    for (let time = 0; time < 100; time++) call(connectionFrom('203.0.113.1'), true)
    expect([idle, download, write].map(({ destroyed }) => destroyed)).toEqual([false, false, false])
    expect(crowd.map(({ destroyed }) => destroyed)).not.toContain(false)
  })

  it('of many desks each close the oldest connection without a call in progress, and neither a download nor a connection that was just opened', () => {
    const idle = Array.from({ length: 62 }, (_, index) => connectionFrom(ownAddress(index)))
    for (const socket of idle) call(socket, true)()
    const download = connectionFrom('198.51.100.1')
    call(download, false)
    const write = connectionFrom('198.51.100.2')
    for (let time = 0; time < 10; time++) call(connectionFrom(`198.51.100.${10 + time}`), true)
    expect([download.destroyed, write.destroyed]).toEqual([false, false])
    expect(idle.filter(({ destroyed }) => destroyed)).toEqual(idle.slice(0, 10))
  })
})
