import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
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
