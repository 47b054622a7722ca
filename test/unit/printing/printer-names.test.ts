import dns, { type LookupAddress, type LookupAllOptions } from 'node:dns'
import { createServer as createHttpServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, createServer, isIP, type Server } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { encodeIpp } from '#printing/ipp-codec.ts'
import { callIpp } from '#printing/ipp-client.ts'
import { openRaw } from '#printing/raw-connection.ts'

type Found = (error: Error | null, addresses: LookupAddress[]) => void

/** The look-ups that the replaced resolver is making now, by name. */
const running = new Map<string, Found>()
const { lookup } = dns

beforeAll(() => {
  const replaced = (name: string, options: LookupAllOptions, found: Found): void => {
    // Node also calls this function with the address at which a server listens
    if (isIP(name) === 0) running.set(name, found)
    else lookup(name, options, found)
  }
  Object.assign(dns, { lookup: replaced })
  syncBuiltinESMExports()
})

afterAll(() => {
  Object.assign(dns, { lookup })
  syncBuiltinESMExports()
})

const connectMs = 200
const servers: Server[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
})

async function portOf(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Ends the look-up of a name, also if it begins later. */
async function resolveName(name: string, found: LookupAddress[] = []): Promise<void> {
  await vi.waitFor(() => expect(running.has(name)).toBe(true))
  const end = running.get(name)
  running.delete(name)
  end?.(found.length > 0 ? null : Object.assign(new Error('no server'), { code: 'EAI_AGAIN' }), found)
}

const here: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }]
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('the host names of printers', () => {
  it('may take longer to look up than the time limit of the connection: raw connection', async () => {
    const port = await portOf(createServer((socket) => void socket.on('error', () => undefined).end()))
    const opened = openRaw({ host: 'raw.example.com', port }, connectMs)
    await sleep(2 * connectMs)
    await resolveName('raw.example.com', here)
    const connection = await opened
    expect(connection).toHaveProperty('finish')
    if ('finish' in connection) await connection.finish(1_000)
  })

  it('may take longer to look up than the time limit of the connection: IPP', async () => {
    const answer = encodeIpp({ code: 0, id: 1, groups: [] })
    const port = await portOf(
      createHttpServer((request, response) => {
        request.resume()
        response.writeHead(200, { 'content-type': 'application/ipp', connection: 'close' }).end(answer)
      }),
    )
    const host = 'ipp.example.com'
    const address = { uri: `ipp://${host}/ipp/print`, isSecure: false, host, port, path: '/ipp/print' }
    const timeouts = { connectMs, stallMs: 5_000, sendMs: 5_000, answerMs: 5_000 }
    const reply = callIpp(address, { code: 0x0b, id: 1, groups: [] }, timeouts)
    await sleep(2 * connectMs)
    await resolveName(host, here)
    expect(await reply).toMatchObject({ kind: 'answered' })
  })

  it('use only one of the two look-ups that a process can make, however many do not resolve', async () => {
    const names = ['p1.slow', 'p2.slow', 'p3.slow']
    const all = Promise.all([...names, ...names].map((host) => openRaw({ host, port: 9100 }, connectMs)))
    await sleep(2 * connectMs)
    for (const name of names) {
      await vi.waitFor(() => expect([...running.keys()]).toEqual([name]))
      await resolveName(name)
    }
    expect(await all).toEqual([...names, ...names].map(() => ({ cause: 'EAI_AGAIN' })))
  })
})
