import { setImmediate } from 'node:timers/promises'
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
  /** Timeout for sending all labels of a job, and the maximum time for printing them after that. */
  readonly jobMs: number
  /** Time for bytes in transit to arrive, if no response of the printer can confirm their arrival. */
  readonly settleMs: number
  /** Maximum time until the printer closes the connection after the desk closed its side. */
  readonly closeMs: number
}

const standardTimeouts: EscposTimeouts = {
  connectMs: 3_000,
  statusMs: 1_000,
  stallMs: 15_000,
  labelMs: 10_000,
  jobMs: 300_000,
  settleMs: 250,
  closeMs: 5_000,
}

/** The printer's settings (printer-views.ts) except for its address. */
type EscposPaper = Readonly<Omit<SettingsOf<'escpos'>, 'kind' | 'host' | 'port' | 'device'>>

export type EscposPrinterOptions = PrinterAddress &
  PrinterNaming &
  EscposPaper & { readonly timeouts?: EscposTimeouts }

/** Number of printable dots across the paper. The printable width is 48, 72 or 104 mm. */
export const escposWidthDots = {
  203: { 58: 384, 80: 576, 104: 832 },
  300: { 58: 567, 80: 850, 104: 1228 },
} as const

/**
 * Creates the driver of a receipt or label printer that understands ESC/POS. Refused: the failure occurred before the
 * first byte of the label was sent; only a status query and, after an incomplete job, the end of that job (`endOfPart`)
 * may have been sent. Confirmed: a printer that reports its status responded to the query after the label, and was
 * ready; its status bytes are the evidence. Sent: a printer that reports no status, or does not respond to the query
 * after the label, accepted every byte and closed the connection normally. In any other case the outcome is unknown.
 * The driver never sends a job again.
 */
export function createEscposPrinter(options: EscposPrinterOptions): PrinterPort {
  const timeouts = options.timeouts ?? standardTimeouts

  return createRawPrinter({
    naming: options,
    address: options,
    paper: rasterPaperOf(options),
    timeouts,
    ask: (connection) => escposStatus(connection).now(timeouts.statusMs),
    exchange: (connection, labels, hasPart) => exchange(connection, labels, timeouts, hasPart),
  })
}

/**
 * Returns the resolution of the paper and its printable width, which is smaller than the width of a paper of 58 or 80
 * mm.
 */
function rasterPaperOf({ dpi, paperMm, ...unused }: EscposPaper): RasterPaper {
  // the compiler reports an error here if the settings of the paper have a field that this function does not use
  void (unused satisfies Record<string, never>)
  return { dpi, widthDots: escposWidthDots[dpi][paperMm] }
}

/**
 * Prints labels over a connection: queries the status, ends an incomplete command of the job before (only if `hasPart`
 * is true), sends the labels, and reads the status after the last label. createEscposPrinter describes the meaning of
 * each response. Leaves the connection open if the print is confirmed.
 */
export async function exchange(
  connection: RawConnection,
  labels: readonly Bitmap[],
  timeouts: EscposTimeouts,
  hasPart = false,
): Promise<DriverResult> {
  const status = escposStatus(connection)
  let before = await status.now(timeouts.statusMs)
  const why = before?.cause ?? connection.lost()
  if (why !== null) return { kind: 'refused', cause: why }
  const until = performance.now() + timeouts.jobMs
  if (hasPart) {
    const stopped = await connection.write(endOfPart(labels), timeouts.stallMs, until)
    if (stopped !== null) return { kind: 'refused', cause: stopped }
    // queries the status again, because a printer that waited for the dots of a label took the first query as dots and
    // did not respond to it
    before = (await status.now(timeouts.statusMs)) ?? before
    const cause = before?.cause ?? connection.lost()
    if (cause !== null) return { kind: 'refused', cause }
  }
  for await (const piece of escposJob(labels)) {
    const cut = await connection.write(piece, timeouts.stallMs, until)
    if (cut !== null) return { kind: 'partial', cause: cut }
  }
  if (before) {
    const inTurn = await status.inTurn(Math.min(timeouts.labelMs * labels.length, timeouts.jobMs))
    const after = await status.now(timeouts.statusMs)
    const cause = after ? after.cause : (connection.lost() ?? 'silent')
    if (cause !== null) return { kind: 'unconfirmed', cause }
    // The print is confirmed only if the printer responded to GS r after the labels (`inTurn`). Some printers respond
    // only to DLE EOT (`now`).
    if (inTurn !== null) return { kind: 'confirmed', evidence: `GS r ${inTurn}, ${after?.text ?? ''}` }
  }
  const notClosed = await connection.finish(timeouts.closeMs, timeouts.settleMs)
  return notClosed === null ? { kind: 'sent' } : { kind: 'unconfirmed', cause: notClosed }
}

/**
 * The status that a printer reported: the reason why it does not print (null if it prints), and the unchanged bytes.
 */
interface EscposReport {
  readonly cause: 'paper_out' | 'cover_open' | 'error' | 'offline' | null
  /** The bytes as text: `DLE EOT 16 12 12 12` */
  readonly text: string
}

/** Queries a printer's status. The printer returns one byte for each query; many compatible printers return nothing. */
interface EscposStatus {
  /**
   * Sends DLE EOT 1 to 4. A printer responds to these queries at once, even if its buffer contains other data. Returns
   * the received responses, or null if no response arrives within `timeoutMs`.
   */
  now(timeoutMs: number): Promise<EscposReport | null>
  /**
   * Sends GS r 1. A printer responds to this query after it has processed all earlier bytes. Returns the byte of the
   * response in hexadecimal, or null if no byte arrives within `timeoutMs`.
   */
  inTurn(timeoutMs: number): Promise<string | null>
}

/** Bits of the responses to DLE EOT n (ESC/POS command reference, DLE EOT). */
const isOffline = 0x08
const isCoverOpen = 0x04
const isPaperStop = 0x20
const isError = 0x40
const isPaperOut = 0x60
/** A status that the printer sends without a query has this number of bytes after its first byte. */
const unaskedFollowers = 3
/**
 * Maximum number of bytes to keep until the next query. A response has one byte, but a device may send bytes without
 * end.
 */
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
    // drops bytes that arrived before the query: if a label contains the bytes of a query by chance, the printer
    // responds to them
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

/** Maximum number of rows of one raster command. More rows overflow the buffer of cheap printers. */
const bandRows = 256

/** Number of feeds of four lines before the cut, because the knife is about 15 mm behind the print head. */
const feedsBeforeCut = 1

/** ESC @: clears the settings and the unprinted text of an earlier job. */
const reset = Buffer.from([0x1b, 0x40])

/**
 * Returns the bytes that end an incomplete raster command of the job before. Within the command the printer takes all
 * bytes as dots, also ESC @, so that the next label would begin in the middle. Zeros complete the command: they are
 * white dots, and a printer ignores zeros outside a command. A cut separates the part of a job that has failed from the
 * next label.
 */
function endOfPart(labels: readonly Bitmap[]): Buffer {
  const widest = Math.max(...labels.map(({ widthDots }) => bytesPerRow(widthDots)))
  return Buffer.concat([Buffer.alloc(widest * bandRows), reset, cutBytes()])
}

/**
 * Yields the bytes of a job in pieces: a reset, then for each label its raster bands, a feed to the knife, and a cut.
 * Encodes one label per turn of the event loop, because a job may have a hundred labels and scans must not wait for all
 * of them.
 */
export async function* escposJob(labels: readonly Bitmap[]): AsyncGenerator<Uint8Array> {
  const cut = cutBytes()
  yield reset
  for (const label of labels) {
    yield Buffer.concat([...rasterBands(label), cut])
    await setImmediate()
  }
}

/**
 * Returns the bytes of a feed and a cut. The library's object gets only these two commands, because for each further
 * command it would copy all earlier ones. The library only encodes; raw-connection.ts sends the bytes.
 */
function cutBytes(): Buffer {
  const printer = new ThermalPrinter({ type: PrinterTypes.EPSON, interface: '' })
  printer.cut({ verticalTabAmount: feedsBeforeCut })
  return printer.getBuffer()
}

/** Encodes GS v 0 without the library, because the library writes the width 0 for images of 2048 dots and more. */
function rasterBands({ widthDots, heightDots, bytes }: Bitmap): Uint8Array[] {
  const rowBytes = bytesPerRow(widthDots)
  const bands: Uint8Array[] = []
  for (let y = 0; y < heightDots; y += bandRows) {
    const rows = Math.min(bandRows, heightDots - y)
    const header = [0x1d, 0x76, 0x30, 0, rowBytes & 255, rowBytes >> 8, rows & 255, rows >> 8]
    bands.push(Buffer.from(header), bytes.subarray(y * rowBytes, (y + rows) * rowBytes))
  }
  return bands
}
