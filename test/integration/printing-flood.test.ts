import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { ChildLink, StartChild } from '#kit/child-process.ts'
import { createEscposPrinter } from '#printing/escpos-printer.ts'
import { openDevice, openRaw, type RawConnection } from '#printing/raw-connection.ts'
import { createZplPrinter } from '#printing/zpl-printer.ts'
import { flood } from '#support/fake-escpos-printer.ts'
import { zplOptions } from '#support/zpl-options.ts'

/** The longest wait of a test. It is only reached if the connection does not end. */
const patientMs = 20_000

let server: Server | null = null
afterEach(() => {
  server?.close()
  server = null
})

/** Starts a printer on 127.0.0.1 that calls `serve` for each connection, and returns its address. */
async function printer(serve: (socket: Socket) => unknown): Promise<{ host: string; port: number }> {
  server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
}

async function opened(connection: ReturnType<typeof openRaw>): Promise<RawConnection> {
  const result = await connection
  if ('cause' in result) throw new Error(result.cause)
  return result
}

/** Counts the bytes that a connection receives. */
function counted(connection: RawConnection): () => number {
  let received = 0
  connection.onBytes(({ length }) => (received += length))
  return () => received
}

describe('a printer that sends bytes without end', () => {
  it('loses its connection after 64 kB', async () => {
    const connection = await opened(openRaw(await printer(flood), patientMs))
    const received = counted(connection)
    expect(await connection.until(() => undefined, patientMs)).toBe('error')
    expect(connection.lost()).toBe('error')
    // A read of the connection returns at most 64 kB, so the desk may receive one further read before the connection
    // ends.
    expect(received()).toBeLessThanOrEqual(128 * 1024)
    expect(await connection.write(Uint8Array.of(1), patientMs)).toBe('error')
    expect(await connection.finish(patientMs)).toBe('error')
  })

  it('loses its connection also while the desk waits for the printer to close the connection', async () => {
    const address = await printer((socket) => void socket.once('end', () => flood(socket)))
    const connection = await opened(openRaw(address, patientMs))
    expect(await connection.finish(patientMs)).toBe('error')
  })

  it.each(['ESC/POS', 'ZPL'])('is refused by the test of a printer: %s', async (language) => {
    const naming = { name: 'fake', ...(await printer(flood)) }
    const tested =
      language === 'ZPL'
        ? createZplPrinter({ ...naming, ...zplOptions, widthMm: 104, dpi: 203 })
        : createEscposPrinter({ ...naming, paperMm: 104, dpi: 203 })
    const failure = { code: 'printer.refused', params: { printer: 'fake', cause: 'error' } }
    expect(await tested.status()).toEqual({ state: 'refused', failure })
  })

  it('loses the connection through its device file after 64 kB, and the process that has the file open is killed', async () => {
    let killed = 0
    let hear: (word: unknown) => void = () => undefined
    const child: ChildLink<{ do: string }, unknown> = {
      tell: () => hear({ say: 'opened' }),
      kill: () => void killed++,
      onWord: (listener) => (hear = listener),
      onEnd: () => undefined,
      keepProgramRunning: () => undefined,
    }
    const startProcess = (() => child) as unknown as StartChild
    const device = { path: '/dev/usb/lp0', startProcess, find: (path: string): string => path }
    const connection = await opened(openDevice(device, patientMs))
    const piece = { say: 'bytes', bytes: new Uint8Array(512) }
    for (let count = 0; count < 128; count++) hear(piece)
    expect([connection.lost(), killed]).toEqual([null, 0])
    hear(piece)
    expect([connection.lost(), killed]).toEqual(['error', 1])
  })
})

describe('a printer that responds to each query', () => {
  it('keeps its connection, however much it has sent in total', async () => {
    const response = new Uint8Array(16 * 1024)
    const address = await printer((socket) => {
      socket.on('data', () => socket.write(response))
      socket.on('end', () => socket.end())
    })
    const connection = await opened(openRaw(address, patientMs))
    const received = counted(connection)
    for (let query = 1; query <= 10; query++) {
      await connection.write(Uint8Array.of(query), patientMs)
      await expect.poll(received).toBe(query * response.length)
    }
    expect(connection.lost()).toBeNull()
    expect(await connection.finish(patientMs)).toBeNull()
  })
})
