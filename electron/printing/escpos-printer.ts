import { PrinterTypes, ThermalPrinter } from 'node-thermal-printer'
import type { PrinterPort } from '#desk/ports/printers.ts'
import { type Bitmap, bytesPerRow } from '#labels/pixels/bitmap.ts'
import type { DriverResult } from './driver-result.ts'
import type { RawConnection } from './raw-connection.ts'
import { createRawPrinter, type PrinterAddress, type PrinterNaming } from './raw-printer.ts'

interface EscposTimeouts {
  readonly connectMs: number
  /** For the answer to one status question. */
  readonly statusMs: number
  /** For the next piece of a job to leave. */
  readonly stallMs: number
  /** For a label to be worked off once the printer has all of it. */
  readonly labelMs: number
  /** For bytes under way to arrive where no answer can tell. */
  readonly settleMs: number
  /** For the printer to close after we did. */
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

export type EscposPrinterOptions = PrinterAddress &
  PrinterNaming & {
    /** Width of the paper; what prints on it is less. */
    readonly paperMm: 58 | 80 | 104
    readonly dpi: 203 | 300
    readonly timeouts?: EscposTimeouts
  }

/** Dots that print across a paper: 48, 72 and 104 mm of it. */
export const escposWidthDots = {
  203: { 58: 384, 80: 576, 104: 832 },
  300: { 58: 567, 80: 850, 104: 1228 },
} as const

/**
 * A receipt or label printer that speaks ESC/POS. Refused: only before the first byte of the label left, for
 * asking how the printer is leaves no trace on paper. Confirmed: a printer that answers said in turn, behind the
 * label, that it got there, and that it was ready then; evidence are its bytes. Sent: a printer without status took
 * every byte and closed in order. Otherwise the outcome is unknown. It never retries.
 */
export function createEscposPrinter(options: EscposPrinterOptions): PrinterPort {
  const timeouts = options.timeouts ?? standardTimeouts

  return createRawPrinter({
    naming: options,
    address: options,
    paper: { dpi: options.dpi, widthDots: escposWidthDots[options.dpi][options.paperMm] },
    timeouts,
    ask: (connection) => escposStatus(connection).now(timeouts.statusMs),
    exchange: (connection, labels) => exchange(connection, labels, timeouts),
  })
}

/**
 * Prints labels over a connection: asks how the printer is, sends, and hears what it says behind the last label. The
 * meaning of each answer is described at createEscposPrinter. Leaves the connection open where the printer confirmed.
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
    // a printer that answers at once but never in turn tells nothing about the label
    if (inTurn !== null) return { kind: 'confirmed', evidence: `GS r ${inTurn}, ${after?.text ?? ''}` }
  }
  const notClosed = await connection.finish(timeouts.closeMs, timeouts.settleMs)
  return notClosed === null ? { kind: 'sent' } : { kind: 'unconfirmed', cause: notClosed }
}

/** The status that a printer reported: why it does not print, or null, and its bytes as they came. */
interface EscposReport {
  readonly cause: 'paper_out' | 'cover_open' | 'error' | 'offline' | null
  /** `DLE EOT 16 12 12 12` */
  readonly text: string
}

/** Asks a printer for its status. It returns one byte for each question, or nothing: many clones have no status. */
interface EscposStatus {
  /**
   * DLE EOT 1 to 4, answered at once, whatever else waits; as far as it answers, or null where it stays silent for
   * `timeoutMs`.
   */
  now(timeoutMs: number): Promise<EscposReport | null>
  /**
   * GS r 1, answered in its turn: once the bytes before it were worked off. The byte in hexadecimal, or null where
   * none comes in `timeoutMs`.
   */
  inTurn(timeoutMs: number): Promise<string | null>
}

/** Bits of the answers to DLE EOT n (ESC/POS command reference, DLE EOT). */
const isOffline = 0x08
const isCoverOpen = 0x04
const isPaperStop = 0x20
const isError = 0x40
const isPaperOut = 0x60
/** The status that a printer sends unasked begins with a byte of this shape; three more follow. */
const unaskedFollowers = 3
/** Bytes that are kept until the next question: an answer is one, and a device may send without end. */
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
    // whatever came unasked: a label's raster may hold the bytes of a question by chance
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

/** Rows of one raster command: more overruns the buffer of cheap printers. */
const bandRows = 256

/** Lines fed before the cut, in fours: the knife sits some 15 mm behind the head. */
const feedsBeforeCut = 1

/** ESC @: forgets whatever an earlier job left half said. */
const reset = Buffer.from([0x1b, 0x40])

/**
 * The bytes of a job: reset, then each label as raster bands, fed to the knife and cut off. A new library object each
 * time, because it keeps everything it was given; it only makes bytes, raw-connection.ts sends them.
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

/** GS v 0, by ourselves: the library writes a width of 0 for images of 2048 dots and more. */
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
