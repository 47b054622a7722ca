import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Bitmap } from '#labels/pixels/bitmap.ts'

export type FakeBehaviour =
  | { readonly kind: 'ready' | 'paper_out' | 'cover_open' | 'error' | 'offline' }
  /** The printer prints labels, but does not support status commands. */
  | { readonly kind: 'silent' }
  /**
   * The printer supports DLE EOT but not GS r. While the desk waits for the response to GS r, the printer sends
   * unrequested status.
   */
  | { readonly kind: 'real_time_only' }
  /**
   * The printer is ready before the label, and runs out of paper after this number of raster bytes. After that it
   * responds only to DLE EOT.
   */
  | { readonly kind: 'runs_out'; readonly afterBytes: number }
  /**
   * The printer closes the connection after it has received this number of bytes. `resets`: with a TCP reset. `closes`:
   * in order.
   */
  | { readonly kind: 'resets' | 'closes'; readonly afterBytes: number }
  /**
   * The printer reads this number of bytes and then stops reading. The next connection continues the incomplete
   * command, as over USB.
   */
  | { readonly kind: 'stops_reading'; readonly afterBytes: number }
  /** The printer accepts the connection and reads nothing. */
  | { readonly kind: 'never_reads' }
  /** The printer pauses after each read and prints nothing. */
  | { readonly kind: 'reads_slowly' }
  /** The printer prints without a response and never closes the connection. */
  | { readonly kind: 'never_closes' }
  /** The printer sends unrequested status (ASB) and XON between its responses. */
  | { readonly kind: 'chatty' }
  /**
   * The printer sends bytes without end that are no response. It begins when it receives the first byte, or when it
   * receives the first GS r.
   */
  | { readonly kind: 'floods'; readonly from: 'start' | 'label' }

export interface FakeJob {
  /** The labels of the job: for each cut, the raster data that the printer received before it. */
  readonly labels: Bitmap[]
  /** The names of all commands except raster data, in order. */
  readonly commands: string[]
  bytes: number
}

export interface FakeEscposPrinter {
  readonly port: number
  /** The printed jobs: one for each connection over which raster data arrived. */
  readonly jobs: FakeJob[]
  behaviour: FakeBehaviour
  /** The incomplete command at the end of the connection on which the printer stopped reading (`stops_reading`). */
  part: Buffer
  close(): Promise<void>
}

/** An unrequested status (automatic status back): four bytes, of which the last three look like responses to GS r. */
const unasked = Buffer.from([0x14, 0x00, 0x00, 0x0f])
const readyBytes = [0x16, 0x12, 0x12, 0x12]

/** Returns the four responses to DLE EOT that a printer in this state sends. */
function statusBytes(kind: string): readonly number[] {
  if (kind === 'paper_out') return [0x1e, 0x32, 0x12, 0x72]
  if (kind === 'cover_open') return [0x1e, 0x16, 0x12, 0x12]
  if (kind === 'error') return [0x1e, 0x52, 0x1a, 0x12]
  if (kind === 'offline') return [0x1e, 0x12, 0x12, 0x12]
  return readyBytes
}

/** Starts a printer on 127.0.0.1 that supports the commands of labels and decodes raster data into bitmaps. */
export async function startFakeEscposPrinter(
  behaviour: FakeBehaviour = { kind: 'ready' },
): Promise<FakeEscposPrinter> {
  const sockets = new Set<Socket>()
  const server: Server = createServer({ allowHalfOpen: true, pauseOnConnect: true })
  const fake: FakeEscposPrinter = {
    port: 0,
    jobs: [],
    behaviour,
    part: Buffer.alloc(0),
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => void server.close(() => resolve()))
    },
  }
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    serve(socket, fake)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return Object.assign(fake, { port: (server.address() as AddressInfo).port })
}

function serve(socket: Socket, fake: FakeEscposPrinter): void {
  const { behaviour, part } = fake
  if (behaviour.kind === 'never_reads') return
  if (behaviour.kind === 'reads_slowly') {
    readSlowly(socket)
    return
  }
  const job: FakeJob = { labels: [], commands: [], bytes: 0 }
  let isKnown = false
  fake.part = Buffer.alloc(0)
  const parse = escposParser(job, part, (command) => {
    if (command === 'raster' && !isKnown) {
      isKnown = true
      fake.jobs.push(job)
    }
    const answer = answerTo(command, behaviour, job)
    if (answer) socket.write(answer)
    if (behaviour.kind === 'floods' && (behaviour.from === 'start' || command === 'GS r 1')) flood(socket)
  })
  socket.on('data', (bytes) => {
    job.bytes += bytes.length
    if (behaviour.kind === 'resets' && job.bytes > behaviour.afterBytes) socket.resetAndDestroy()
    else if (behaviour.kind === 'closes' && job.bytes > behaviour.afterBytes) socket.end()
    else if (behaviour.kind === 'stops_reading' && job.bytes >= behaviour.afterBytes) {
      fake.part = parse(bytes.subarray(0, bytes.length - (job.bytes - behaviour.afterBytes)))
      socket.pause()
    } else parse(bytes)
  })
  socket.on('end', () => {
    if (behaviour.kind !== 'never_closes') socket.end()
  })
  if (behaviour.kind === 'chatty') socket.write(Buffer.from([0x11, ...unasked]))
  socket.resume()
}

function readSlowly(socket: Socket): void {
  socket.on('data', () => {
    socket.pause()
    setTimeout(() => socket.resume(), 20)
  })
  socket.resume()
}

/** Sends bytes that are no response to a query, as fast as the socket accepts them, until the socket is closed. */
export function flood(socket: Socket): void {
  const piece = new Uint8Array(16 * 1024).fill(0x90)
  const pour = (): void => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', pour)
  pour()
}

function answerTo(command: string, behaviour: FakeBehaviour, job: FakeJob): Buffer | null {
  const { kind } = behaviour
  if (['silent', 'never_closes', 'resets', 'closes'].includes(kind)) return null
  if (kind === 'floods' && behaviour.from === 'start') return null
  const isOut = kind === 'runs_out' && job.bytes > behaviour.afterBytes
  if (command === 'GS r 1' && kind === 'real_time_only') return unasked
  if (command === 'GS r 1' && kind === 'floods') return null
  if (command === 'GS r 1') return isOut ? null : Buffer.from([0x00])
  if (!command.startsWith('DLE EOT ')) return null
  const byte = statusBytes(isOut ? 'paper_out' : kind)[Number(command.slice(-1)) - 1] ?? 0
  return Buffer.from(kind === 'chatty' ? [0x13, byte, ...unasked] : [byte])
}

/**
 * Parses ESC/POS data that arrives in pieces of any size, after the incomplete command `part`. Returns the bytes of the
 * incomplete command at the end. Throws for a command that labels do not use.
 */
function escposParser(
  job: FakeJob,
  part: Buffer,
  onCommand: (command: string) => void,
): (bytes: Uint8Array) => Buffer {
  let rest: Buffer = part
  let bands: Bitmap[] = []
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    for (let next = nextCommand(rest); next; next = nextCommand(rest)) {
      rest = rest.subarray(next.length)
      if (next.band) bands.push(next.band)
      else if (next.name !== 'zeros') job.commands.push(next.name)
      // A cut without dots before it ends no label. It only separates the next label from the printed part of an
      // interrupted one.
      if (next.name === 'cut' && bands.length > 0) {
        job.labels.push(joined(bands))
        bands = []
      }
      onCommand(next.name)
    }
    return rest
  }
}

interface Command {
  readonly name: string
  readonly length: number
  readonly band?: Bitmap
}

/** Returns the first complete command of the data, or null if bytes of it are missing. */
function nextCommand(bytes: Buffer): Command | null {
  const [a, b, c] = bytes
  const end = bytes.findIndex((byte) => byte !== 0)
  if (a === 0) return { name: 'zeros', length: end < 0 ? bytes.length : end }
  if (a === undefined || b === undefined) return null
  if (a === 0x1b && b === 0x40) return { name: 'init', length: 2 }
  if (c === undefined) return null
  if (a === 0x10 && b === 0x04) return { name: `DLE EOT ${String(c)}`, length: 3 }
  if (a === 0x1d && b === 0x72) return { name: `GS r ${String(c)}`, length: 3 }
  if (a === 0x1b && b === 0x64) return { name: `feed ${String(c)}`, length: 3 }
  if (a === 0x1d && b === 0x56 && c === 0) return { name: 'cut', length: 3 }
  if (a !== 0x1d || b !== 0x76 || c !== 0x30)
    throw new Error(`no command that labels use: ${bytes.subarray(0, 8).toString('hex')}`)
  if (bytes.length < 8) return null
  const widthDots = bytes.readUInt16LE(4) * 8
  const heightDots = bytes.readUInt16LE(6)
  const length = 8 + (widthDots / 8) * heightDots
  if (bytes.length < length) return null
  return { name: 'raster', length, band: { widthDots, heightDots, bytes: bytes.subarray(8, length) } }
}

function joined(bands: readonly Bitmap[]): Bitmap {
  const heightDots = bands.reduce((sum, band) => sum + band.heightDots, 0)
  const bytes = new Uint8Array(Buffer.concat(bands.map((band) => band.bytes)))
  return { widthDots: bands[0]?.widthDots ?? 0, heightDots, bytes }
}
