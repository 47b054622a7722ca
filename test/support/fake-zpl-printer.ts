import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { flood } from './fake-escpos-printer.ts'

/** A fault that the printer reports. */
type Wrong = 'paper_out' | 'cover_open' | 'ribbon_out' | 'error' | 'paused' | 'busy'

export type FakeZplBehaviour =
  | { readonly kind: 'ready' }
  | { readonly kind: 'wrong'; readonly wrong: Wrong }
  /** The printer prints labels, but does not support ~HS. */
  | { readonly kind: 'silent' }
  /** The printer prints labels, but responds to ~HS with a text in another form. */
  | { readonly kind: 'garbles' }
  /** The printer needs this number of queries to print a label. Until then it counts the label as waiting. */
  | { readonly kind: 'slow'; readonly answers: number }
  /** The printer has printed the label before the first query. */
  | { readonly kind: 'at_once' }
  /** The printer keeps the label and never prints it. */
  | { readonly kind: 'holds' }
  /**
   * For this number of queries, the printer counts the label as printed. Then it reports a fault and still has the
   * label.
   */
  | { readonly kind: 'breaks'; readonly wrong: Wrong; readonly doneAnswers: number }
  /** The printer stops responding when it has received the label. */
  | { readonly kind: 'dies' }
  /**
   * The printer closes the connection after it has received this number of bytes. `resets`: with a TCP reset. `closes`:
   * in order.
   */
  | { readonly kind: 'resets' | 'closes'; readonly afterBytes: number; readonly answers: boolean }
  /** The printer accepts the connection and reads nothing. */
  | { readonly kind: 'never_reads' }
  /** The printer pauses after each read. */
  | { readonly kind: 'reads_slowly' }
  /** The printer prints without a response and never closes the connection. */
  | { readonly kind: 'never_closes' }
  /** For this number of queries, the printer reports that labels of other clients wait in it. */
  | { readonly kind: 'others'; readonly answers: number }
  /** As `others`, but after this number of queries the printer has no paper and does not respond any more. */
  | { readonly kind: 'empties'; readonly answers: number }
  /** The printer contains an incomplete format that another client left. */
  | { readonly kind: 'half' }
  /** The printer sends bytes without end from the first query on, and no response. */
  | { readonly kind: 'floods' }
  /** The printer is in peel mode. For this number of queries it waits until an earlier label is removed. */
  | { readonly kind: 'offers'; readonly answers: number }

export interface FakeZplPrinter {
  readonly port: number
  /** Formats that were printed as labels, in order. */
  readonly printed: string[]
  /** Number of bytes of labels that the printer received, whether it printed the labels or not. */
  labelBytes: number
  /** The received ZPL commands outside of formats (`^XA` to `^XZ`), in order. */
  readonly commands: string[]
  behaviour: FakeZplBehaviour
  close(): Promise<void>
}

/**
 * Starts a printer on 127.0.0.1. It reads formats, and usually prints them when its state is queried. `port`: port of
 * an earlier printer, which was switched off and is switched on again.
 */
export async function startFakeZplPrinter(
  behaviour: FakeZplBehaviour = { kind: 'ready' },
  port = 0,
): Promise<FakeZplPrinter> {
  const sockets = new Set<Socket>()
  const server: Server = createServer({ allowHalfOpen: true, pauseOnConnect: true })
  const fake: FakeZplPrinter = {
    port: 0,
    printed: [],
    labelBytes: 0,
    commands: [],
    behaviour,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => void server.close(() => resolve()))
    },
  }
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    if (fake.behaviour.kind !== 'never_reads') serve(socket, fake)
  })
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve))
  return Object.assign(fake, { port: (server.address() as AddressInfo).port })
}

function serve(socket: Socket, fake: FakeZplPrinter): void {
  const { behaviour } = fake
  const engine = createEngine(fake)
  let text = ''
  let bytes = 0
  let isOver = false
  const take = (piece: Buffer): void => {
    bytes += piece.length
    text += piece.toString('latin1')
    for (let next = nextCommand(text); next !== null; next = nextCommand(text)) {
      text = text.slice(text.indexOf(next) + next.length)
      if (next.startsWith('^XA')) engine.format(next)
      else fake.commands.push(next)
      if (next !== '~HS') continue
      if (behaviour.kind === 'floods') flood(socket)
      const answer = engine.answer()
      // The printer writes the response in two pieces.
      if (answer !== null) {
        socket.write(answer.slice(0, 9), 'latin1')
        socket.write(answer.slice(9), 'latin1')
      }
    }
    const begun = text.indexOf('^XA')
    engine.part(begun < 0 ? 0 : text.length - begun)
  }
  const breakOff = (afterBytes: number, piece: Buffer): void => {
    const isEnough = bytes + piece.length > afterBytes
    take(piece.subarray(0, Math.max(0, afterBytes - bytes)))
    if (!isEnough) return
    isOver = true
    if (behaviour.kind === 'resets') socket.resetAndDestroy()
    else socket.end()
  }
  socket.on('data', (piece) => {
    if (isOver) return
    if (behaviour.kind === 'resets' || behaviour.kind === 'closes') {
      breakOff(behaviour.afterBytes, piece)
      return
    }
    take(piece)
    if (behaviour.kind !== 'reads_slowly') return
    socket.pause()
    setTimeout(() => socket.resume(), 5)
  })
  socket.on('end', () => {
    engine.finish()
    if (behaviour.kind !== 'never_closes') socket.end()
  })
  socket.write('\r\nPRINTER: AWAKE\r\n')
  socket.resume()
}

/** Returns the first complete command, or null if text is missing. Throws for a command that labels do not use. */
function nextCommand(text: string): string | null {
  const bare = text.trimStart()
  if (bare.length < 3) return null
  if (bare.startsWith('~HS') || bare.startsWith('~JX')) return bare.slice(0, 3)
  if (bare.startsWith('~SD')) return bare.length < 5 ? null : bare.slice(0, 5)
  if (!bare.startsWith('^XA')) throw new Error(`no command that labels use: ${bare.slice(0, 8)}`)
  const end = bare.indexOf('^XZ')
  return end < 0 ? null : bare.slice(0, end + 3)
}

interface Engine {
  /** Called when a complete format has arrived. */
  format(format: string): void
  /** Called with the number of bytes that have arrived of a format that is not yet complete. 0: no format has begun. */
  part(bytes: number): void
  /** Returns the response to ~HS. The time of the printer advances by one step with each query. */
  answer(): string | null
  /** Called when the client has ended the connection. Prints all waiting labels, unless the behaviour prevents it. */
  finish(): void
}

function createEngine(fake: FakeZplPrinter): Engine {
  const { behaviour } = fake
  const { kind } = behaviour
  const held: string[] = []
  let hasLabel = false
  let partBytes = 0
  let moments = 0
  let left = kind === 'others' || kind === 'offers' || kind === 'empties' ? behaviour.answers : 0
  const canPrint = !['holds', 'breaks', 'wrong', 'dies', 'empties'].includes(kind)
  const printNow = (): void => {
    if (canPrint) fake.printed.push(...held.splice(0))
  }
  const isSilent = (): boolean =>
    kind === 'silent' ||
    kind === 'floods' ||
    kind === 'never_closes' ||
    (kind === 'dies' && hasLabel) ||
    (kind === 'empties' && left === 0) ||
    ((kind === 'resets' || kind === 'closes') && !behaviour.answers)
  const isWrongNow = (): boolean => kind === 'breaks' && moments > 1 + behaviour.doneAnswers

  return {
    format(format) {
      hasLabel = true
      fake.labelBytes += format.length - partBytes
      partBytes = 0
      held.push(format)
      if (kind === 'at_once' || isSilent()) printNow()
    },
    part(bytes) {
      fake.labelBytes += Math.max(0, bytes - partBytes)
      partBytes = bytes
    },
    answer() {
      if (isSilent()) return null
      if (kind === 'garbles') return '\x02not,a,status\x03\r\n\x02x\x03\r\n\x021234,0\x03\r\n'
      if (hasLabel) moments++
      let offered = false
      let waiting = held.length
      if (left > 0) {
        left--
        if (kind === 'offers') offered = true
        else waiting++
      } else if (hasLabel && moments > (kind === 'slow' ? behaviour.answers : 1)) {
        printNow()
        waiting = kind === 'breaks' && !isWrongNow() ? 0 : held.length
      }
      const wrong =
        behaviour.kind === 'wrong' || (behaviour.kind === 'breaks' && isWrongNow()) ? behaviour.wrong : null
      return hostStatus(wrong, waiting, {
        part: kind === 'half' && !fake.commands.includes('~JX'),
        offered,
      })
    },
    finish: printNow,
  }
}

function hostStatus(
  wrong: Wrong | null,
  waiting: number,
  { part, offered }: { part: boolean; offered: boolean },
): string {
  const flag = (isSet: boolean): string => (isSet ? '1' : '0')
  const first = [
    '030',
    flag(wrong === 'paper_out'),
    flag(wrong !== null && wrong !== 'busy'),
    '1218',
    `00${String(Math.max(0, waiting - 1))}`,
    flag(wrong === 'busy'),
    '0',
    flag(part),
    '000',
    flag(wrong === 'error'),
    '0',
    '0',
  ]
  const second = ['000', '0', flag(wrong === 'cover_open'), flag(wrong === 'ribbon_out'), '1', '2', '4']
  second.push(flag(offered), `0000000${String(Math.min(1, waiting))}`, '1', '000')
  return [first, second, ['1234', '0']].map((line) => `\x02${line.join(',')}\x03\r\n`).join('')
}
