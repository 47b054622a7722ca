import { PrinterTypes, ThermalPrinter } from 'node-thermal-printer'
import type { PrinterPort } from '#desk/ports/printers.ts'
import { type Bitmap, bytesPerRow } from '#labels/pixels/bitmap.ts'
import type { RasterPaper } from '#labels/place/lay-labels.ts'
import type { SettingsOf } from '#shared/bridge/printer-views.ts'
import type { DriverResult } from './driver-result.ts'
import type { RawConnection } from './raw-connection.ts'
import { createRawPrinter, type PrinterAddress, type PrinterNaming } from './raw-printer.ts'

interface EscposTimeouts {
  readonly connectMs: number
  /** Timeout for the response to one status query. */
  readonly statusMs: number
  /** Timeout for sending the next piece of a job. */
  readonly stallMs: number
  /** Timeout for printing a label once the printer has received all of it. */
  readonly labelMs: number
  /** How long bytes in transit may take to arrive if no response can confirm them. */
  readonly settleMs: number
  /** How long the printer may take to close the connection after the desk did. */
  readonly closeMs: number
}

const standardTimeouts: EscposTimeouts = {
  connectMs: 3_000,
  statusMs: 1_000,
  stallMs: 15_000,
  labelMs: 10_000,
  settleMs: 250,
  closeMs: 5_000,
}

/** The printer's settings (printer-views.ts) except for its address. */
type EscposPaper = Readonly<Omit<SettingsOf<'escpos'>, 'kind' | 'host' | 'port' | 'device'>>

export type EscposPrinterOptions = PrinterAddress &
  PrinterNaming &
  EscposPaper & { readonly timeouts?: EscposTimeouts }

/** Printable dots across a paper: 48, 72 and 104 mm of it. */
export const escposWidthDots = {
  203: { 58: 384, 80: 576, 104: 832 },
  300: { 58: 567, 80: 850, 104: 1228 },
} as const

/**
 * Creates the driver of a receipt or label printer that understands ESC/POS. Refused: only before the first byte of the
 * label was sent, because a status query leaves no trace on paper. Confirmed: a printer with status responded to the
 * query after the label, and was ready then; evidence is its status bytes. Sent: a printer without status accepted
 * every byte and closed the connection in order. Otherwise the outcome is unknown. It never retries.
 */
export function createEscposPrinter(options: EscposPrinterOptions): PrinterPort {
  const timeouts = options.timeouts ?? standardTimeouts

  return createRawPrinter({
    naming: options,
    address: options,
    paper: rasterPaperOf(options),
    timeouts,
    ask: (connection) => escposStatus(connection).now(timeouts.statusMs),
    exchange: (connection, labels) => exchange(connection, labels, timeouts),
  })
}

/** Returns the printable area of the paper, which is narrower than the paper. */
function rasterPaperOf({ dpi, paperMm, ...unused }: EscposPaper): RasterPaper {
  // a new setting does not compile until it is used
  void (unused satisfies Record<string, never>)
  return { dpi, widthDots: escposWidthDots[dpi][paperMm] }
}

/**
 * Prints labels over a connection: queries the status, sends, and reads the status after the last label. The meaning of
 * each response is described at createEscposPrinter. Leaves the connection open if the printer confirmed.
 */
export async function exchange(
  connection: RawConnection,
  labels: readonly Bitmap[],
  timeouts: EscposTimeouts,
): Promise<DriverResult> {
  const status = escposStatus(connection)
  const before = await status.now(timeouts.statusMs)
  const why = before?.cause ?? connection.lost()
  if (why !== null) return { kind: 'refused', cause: why }
  const cut = await connection.write(escposJob(labels), timeouts.stallMs)
  if (cut !== null) return { kind: 'partial', cause: cut }
  if (before) {
    const inTurn = await status.inTurn(timeouts.labelMs * labels.length)
    const after = await status.now(timeouts.statusMs)
    const cause = after ? after.cause : (connection.lost() ?? 'silent')
    if (cause !== null) return { kind: 'unconfirmed', cause }
    // a printer that responds to immediate queries only, and not to those behind the label, gives no evidence of the
    // label
    if (inTurn !== null) return { kind: 'confirmed', evidence: `GS r ${inTurn}, ${after?.text ?? ''}` }
  }
  const notClosed = await connection.finish(timeouts.closeMs, timeouts.settleMs)
  return notClosed === null ? { kind: 'sent' } : { kind: 'unconfirmed', cause: notClosed }
}

/** The status that a printer reported: why it does not print, or null, and its bytes unchanged. */
interface EscposReport {
  readonly cause: 'paper_out' | 'cover_open' | 'error' | 'offline' | null
  /** The bytes as text: `DLE EOT 16 12 12 12` */
  readonly text: string
}

/** Queries a printer's status. The printer returns one byte for each query, or nothing: many clones have no status. */
interface EscposStatus {
  /**
   * Sends DLE EOT 1 to 4, to which a printer responds at once, even if its buffer contains other data. Returns the
   * received responses, or null if there was none within `timeoutMs`.
   */
  now(timeoutMs: number): Promise<EscposReport | null>
  /**
   * Sends GS r 1, to which a printer responds after it has processed the bytes before it. Returns the byte in
   * hexadecimal, or null if none arrives within `timeoutMs`.
   */
  inTurn(timeoutMs: number): Promise<string | null>
}

/** Bits of the responses to DLE EOT n (ESC/POS command reference, DLE EOT). */
const isOffline = 0x08
const isCoverOpen = 0x04
const isPaperStop = 0x20
const isError = 0x40
const isPaperOut = 0x60
/** An unrequested status begins with a byte of this form; three more follow. */
const unaskedFollowers = 3
/** Bytes that are kept until the next query: a response is one byte, and a device may send without end. */
const mostKept = 16

export function escposStatus(connection: RawConnection): EscposStatus {
  const atOnce: number[] = []
  const ordered: number[] = []
  let wake: (() => void) | null = null
  let toSkip = 0
  const keep = (answers: number[], byte: number): void => {
    if (answers.length < mostKept) answers.push(byte)
  }
  connection.onBytes((bytes) => {
    for (const byte of bytes) {
      if (toSkip > 0) toSkip--
      else if ((byte & 0x93) === 0x12) keep(atOnce, byte)
      else if ((byte & 0x93) === 0x10) toSkip = unaskedFollowers
      else if ((byte & 0x90) === 0) keep(ordered, byte)
    }
    wake?.()
  })

  async function ask(
    question: readonly number[],
    answers: number[],
    timeoutMs: number,
  ): Promise<number | null> {
    // unrequested bytes: a label's raster may contain the bytes of a query by chance
    answers.length = 0
    if ((await connection.write(Uint8Array.from(question), timeoutMs)) !== null) return null
    await connection.until((done) => {
      wake = () => {
        if (answers.length > 0) done()
      }
      wake()
    }, timeoutMs)
    wake = null
    return answers[0] ?? null
  }

  return {
    async now(timeoutMs) {
      const bytes: number[] = []
      for (const subject of [1, 2, 3, 4]) {
        const answer = await ask([0x10, 0x04, subject], atOnce, timeoutMs)
        if (answer === null) break
        bytes.push(answer)
      }
      if (bytes.length === 0) return null
      return { cause: causeIn(bytes), text: `DLE EOT ${bytes.map(hex).join(' ')}` }
    },
    async inTurn(timeoutMs) {
      const answer = await ask([0x1d, 0x72, 0x01], ordered, timeoutMs)
      return answer === null ? null : hex(answer)
    },
  }
}

function causeIn([printer = 0, offline = 0, , paper = 0]: readonly number[]): EscposReport['cause'] {
  if ((paper & isPaperOut) !== 0 || (offline & isPaperStop) !== 0) return 'paper_out'
  if ((offline & isCoverOpen) !== 0) return 'cover_open'
  if ((offline & isError) !== 0) return 'error'
  return (printer & isOffline) === 0 ? null : 'offline'
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}

/** Rows of one raster command: more overflow the buffer of cheap printers. */
const bandRows = 256

/** Lines fed before the cut, in fours: the knife is about 15 mm behind the head. */
const feedsBeforeCut = 1

/** ESC @: clears an incomplete command of an earlier job. */
const reset = Buffer.from([0x1b, 0x40])

/**
 * Returns the bytes of a job: reset, then each label as raster bands, fed to the knife and cut. Uses a new library
 * object each time, because the object keeps all its input; it only encodes, raw-connection.ts sends.
 */
export function escposJob(labels: readonly Bitmap[]): Buffer {
  const printer = new ThermalPrinter({ type: PrinterTypes.EPSON, interface: '' })
  printer.add(reset)
  for (const label of labels) {
    printer.add(rasterBands(label))
    printer.cut({ verticalTabAmount: feedsBeforeCut })
  }
  return printer.getBuffer()
}

/** Encodes GS v 0 here, because the library writes a width of 0 for images of 2048 dots and more. */
function rasterBands({ widthDots, heightDots, bytes }: Bitmap): Buffer {
  const rowBytes = bytesPerRow(widthDots)
  const bands: Uint8Array[] = []
  for (let y = 0; y < heightDots; y += bandRows) {
    const rows = Math.min(bandRows, heightDots - y)
    const header = [0x1d, 0x76, 0x30, 0, rowBytes & 255, rowBytes >> 8, rows & 255, rows >> 8]
    bands.push(Buffer.from(header), bytes.subarray(y * rowBytes, (y + rows) * rowBytes))
  }
  return Buffer.concat(bands)
}
