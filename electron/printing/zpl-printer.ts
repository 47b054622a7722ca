import type { PrinterPort } from '#desk/ports/printers.ts'
import type { Bitmap } from '#labels/pixels/bitmap.ts'
import type { DriverResult } from './driver-result.ts'
import type { RawConnection } from './raw-connection.ts'
import { createRawPrinter, type PrinterAddress, type PrinterNaming } from './raw-printer.ts'
import { zplJob, type ZplJobOptions } from './zpl-bytes.ts'

interface ZplTimeouts {
  readonly connectMs: number
  /** Timeout for the response to one status query. */
  readonly statusMs: number
  /** Time between two status queries. */
  readonly pollMs: number
  /** How long a job may wait until the printer has printed the labels of other computers. */
  readonly othersMs: number
  /** Timeout for sending the next piece of a job. */
  readonly stallMs: number
  /** Timeout for printing a label after the printer has received all of it. */
  readonly labelMs: number
  /** Timeout for sending all labels of a job, and the maximum time for printing them after that. */
  readonly jobMs: number
  /** Maximum time in which one inch of a label passes the print head. */
  readonly inchMs: number
  /** How long the desk waits for bytes in transit before it closes its side, if no response confirmed the labels. */
  readonly settleMs: number
  /** Maximum time until the printer closes the connection after the desk closed its side. */
  readonly closeMs: number
}

const standardTimeouts: ZplTimeouts = {
  connectMs: 3_000,
  statusMs: 2_000,
  pollMs: 250,
  othersMs: 5_000,
  stallMs: 15_000,
  labelMs: 15_000,
  jobMs: 300_000,
  // time to print an inch at a speed of two inches per second
  inchMs: 500,
  settleMs: 250,
  closeMs: 5_000,
}

export type ZplPrinterOptions = PrinterAddress &
  PrinterNaming &
  ZplJobOptions & {
    /** Width of the label or of its printable part, in millimetres. */
    readonly widthMm: number
    readonly dpi: 203 | 300
    readonly timeouts?: ZplTimeouts
  }

/**
 * Dots per millimetre by resolution. Printers of 203 dpi have 8 dots per millimetre, printers of 300 dpi slightly less
 * than 12.
 */
export const zplDotsPerMm = { 203: 8, 300: 300 / 25.4 } as const

/**
 * Creates the driver of a label printer that understands ZPL. The driver never sends a job again. A print has one of
 * these outcomes:
 * - Refused: the print failed before the first byte of the label was sent. The commands before the label, such as the
 *   status query ~HS, print nothing. A print is also refused if the printer does not respond to ~HS although it
 *   responded earlier, because many printers do not respond without paper.
 * - Confirmed: a response to ~HS showed the label; then, for as long as a label takes to print, the responses showed no
 *   label and no fault. The lines of the last response are the evidence.
 * - Sent: the printer accepted every byte and closed the connection normally. Its responses to ~HS showed neither the
 *   label nor a fault, or it has never responded to ~HS.
 * - Unknown: any other case.
 */
export function createZplPrinter(options: ZplPrinterOptions): PrinterPort {
  const { dpi, widthMm } = options
  const given = options.timeouts ?? standardTimeouts
  const speed = options.inchesPerSecond
  const timeouts = speed === null ? given : { ...given, inchMs: Math.min(given.inchMs, 1_000 / speed) }
  let isKnownToAnswer = false
  const statusOf = (connection: RawConnection): ZplStatus => {
    const status = zplStatus(connection)
    return {
      async ask(timeoutMs) {
        const report = await status.ask(timeoutMs)
        isKnownToAnswer ||= report !== null
        return report
      },
    }
  }

  return createRawPrinter({
    naming: options,
    address: options,
    paper: { dpi, widthDots: Math.floor(widthMm * zplDotsPerMm[dpi]) },
    timeouts,
    async ask(connection) {
      const report = await statusOf(connection).ask(timeouts.statusMs)
      return report ?? (isKnownToAnswer ? { cause: 'silent' } : null)
    },
    exchange: (connection, labels) =>
      exchangeZpl(connection, statusOf(connection), labels, {
        dpi,
        isKnownToAnswer: () => isKnownToAnswer,
        options,
        timeouts,
      }),
  })
}

interface ZplJobTerms {
  readonly dpi: number
  /** Whether the printer has responded to ~HS before. If so, its silence means a fault. */
  readonly isKnownToAnswer: () => boolean
  readonly options: ZplJobOptions
  readonly timeouts: ZplTimeouts
}

/** The command ~JX cancels only an incomplete format. */
const cancelPart = Buffer.from('~JX\r\n', 'latin1')

/**
 * Prints labels over a connection: queries the status, sends the labels, and watches the printer until they are
 * printed. createZplPrinter describes the meaning of each response. Leaves the connection open if the print is
 * confirmed.
 */
async function exchangeZpl(
  connection: RawConnection,
  status: ZplStatus,
  labels: readonly Bitmap[],
  terms: ZplJobTerms,
): Promise<DriverResult> {
  const { timeouts } = terms
  const before = await afterOthers(connection, status, timeouts)
  const why = connection.lost() ?? whyNot(before, terms)
  if (why !== null) return { kind: 'refused', cause: why }
  // An earlier job may have left an incomplete format (label) in the printer. Without the command `cancelPart`, the
  // printer would add this job to that format. The command is also sent to a printer that reports no status.
  const begun = before?.hasPart !== false ? await connection.write(cancelPart, timeouts.stallMs) : null
  if (begun !== null) return { kind: 'refused', cause: begun }
  const job = await zplJob(labels, terms.options)
  const cut = await connection.write(job, timeouts.stallMs, performance.now() + timeouts.jobMs)
  if (cut !== null) return { kind: 'partial', cause: cut }
  const seen = before && (await watch(connection, status, { labels, terms, wasOffered: before.isOffered }))
  if (seen) return seen
  const notClosed = await connection.finish(timeouts.closeMs, timeouts.settleMs)
  return notClosed === null ? { kind: 'sent' } : { kind: 'unconfirmed', cause: notClosed }
}

/** Waits until the labels of other computers are printed, at most for `othersMs`, and returns the last status. */
async function afterOthers(
  connection: RawConnection,
  status: ZplStatus,
  { statusMs, othersMs, pollMs }: ZplTimeouts,
): Promise<ZplReport | null> {
  const until = performance.now() + othersMs
  for (;;) {
    const report = await status.ask(statusMs)
    const isBusy = report?.cause === null && (report.waiting > 0 || report.hasPart)
    if (!isBusy || performance.now() >= until) return report
    await connection.until(() => undefined, pollMs)
  }
}

/**
 * Returns the reason not to send the job; null if the job can be sent. While labels of other computers wait in the
 * printer, the job is not sent, because the printer would print it unexpectedly late. Instead the job waits at the
 * desk, where the operator sees it.
 */
function whyNot(before: ZplReport | null, { isKnownToAnswer }: ZplJobTerms): string | null {
  if (before === null) return isKnownToAnswer() ? 'silent' : null
  return before.cause ?? (before.waiting > 0 ? 'busy' : null)
}

/**
 * Queries the status until the printer has been idle without a fault for as long as the longest label takes to pass the
 * print head. Some printers count a label as done when it begins to move; if the paper ends after that, only a later
 * query shows the fault. Returns null if there was no fault and no status showed the label: the label was then printed
 * between two queries, or was lost.
 */
async function watch(
  connection: RawConnection,
  status: ZplStatus,
  job: { readonly labels: readonly Bitmap[]; readonly terms: ZplJobTerms; readonly wasOffered: boolean },
): Promise<DriverResult | null> {
  const { labels, terms } = job
  const { statusMs, pollMs, labelMs, jobMs, inchMs } = terms.timeouts
  const passingMs = (Math.max(...labels.map(({ heightDots }) => heightDots)) / terms.dpi) * inchMs
  const until = performance.now() + Math.min(labelMs * labels.length, jobMs) + passingMs
  let { wasOffered } = job
  let wasSeen = false
  let idleSince: number | null = null
  for (;;) {
    const queriedAt = performance.now()
    const report = await status.ask(statusMs)
    if (report?.cause) return { kind: 'unconfirmed', cause: report.cause }
    // while a label from before this job is in the peeler, the printer cannot print the job
    wasOffered &&= report?.isOffered ?? true
    const isAtWork = report !== null && (report.waiting > 0 || report.hasPart)
    wasSeen ||= isAtWork || (report?.isOffered === true && !wasOffered)
    if (!report || isAtWork || wasOffered) idleSince = null
    else if (idleSince === null) idleSince = performance.now()
    else if (queriedAt - idleSince >= passingMs)
      return wasSeen ? { kind: 'confirmed', evidence: report.text } : null
    const lost = connection.lost()
    if (lost !== null) return { kind: 'unconfirmed', cause: lost }
    if (idleSince === null && performance.now() >= until)
      return { kind: 'unconfirmed', cause: report ? 'waiting' : 'silent' }
    await connection.until(() => undefined, pollMs)
  }
}

/** The status that a printer reported. */
interface ZplReport {
  /** The reason why the printer does not print; null if it prints. */
  readonly cause: 'paper_out' | 'cover_open' | 'ribbon_out' | 'too_hot' | 'error' | 'paused' | 'busy' | null
  /**
   * Number of labels that the printer has received and not finished: formats that it has not read yet, and labels to
   * print. Some printers do not count all of them.
   */
  readonly waiting: number
  /**
   * Whether the printer has received only a part of a label's ZPL text, from this or another computer, and waits for
   * the rest.
   */
  readonly hasPart: boolean
  /** Whether a label is in the peeler. It stays there until the operator takes it. */
  readonly isOffered: boolean
  /**
   * The first two lines of the response: `~HS 030,0,… 000,0,…`. The third line is left out, because it contains the
   * printer's password.
   */
  readonly text: string
}

interface ZplStatus {
  /** Sends ~HS. A printer responds at once. Null: no valid response arrives within `timeoutMs`. */
  ask(timeoutMs: number): Promise<ZplReport | null>
}

const question = Buffer.from('~HS\r\n', 'latin1')
const linesOfAnswer = 3
/** Maximum number of characters to keep. Responses are shorter; other output of a printer is discarded. */
const mostKept = 4096

/**
 * Queries a printer's status over a connection. Only the response to the newest query counts: a late response to an
 * earlier query does not include data that was sent after that query.
 */
export function zplStatus(connection: RawConnection): ZplStatus {
  let text = ''
  let asked = 0
  let answered = 0
  let lines: string[] = []
  let newest: ZplReport | null = null
  let wake: (() => void) | null = null
  connection.onBytes((bytes) => {
    text = (text + Buffer.from(bytes).toString('latin1')).slice(-mostKept)
    for (let line = /\x02([^\x02\x03]*)\x03/.exec(text); line; line = /\x02([^\x02\x03]*)\x03/.exec(text)) {
      text = text.slice(line.index + line[0].length)
      lines.push(line[1] ?? '')
      if (lines.length < linesOfAnswer) continue
      newest = parseHostStatus(lines)
      lines = []
      answered++
      wake?.()
    }
  })

  return {
    async ask(timeoutMs) {
      newest = null
      asked++
      if ((await connection.write(question, timeoutMs)) !== null) return null
      const why = await connection.until((done) => {
        wake = () => {
          if (answered === asked) done()
        }
        wake()
      }, timeoutMs)
      wake = null
      return why === null ? newest : null
    },
  }
}

/**
 * Parses the three lines of a response to ~HS, without their frames (ZPL II Programming Guide, ~HS). Null if the lines
 * differ from the guide: if a flag were misread, a printer without paper could look ready.
 */
export function parseHostStatus(lines: readonly string[]): ZplReport | null {
  const [first = [], second = [], third = []] = lines.map((line) =>
    line.split(',').map((field) => field.trim()),
  )
  if (lines.length !== linesOfAnswer || first.length < 12 || second.length < 11 || third.length < 2)
    return null
  // the flag for a cold print head is ignored, because the printer prints in that state
  const ofFirst = [1, 2, 5, 6, 7, 9, 11].map((at) => flag(first[at]))
  const [paperOut, paused, full, diagnostic, part, lost, hot] = ofFirst
  const ofSecond = [2, 3, 4, 7].map((at) => flag(second[at]))
  const [headUp, ribbonOut, needsRibbon, offered] = ofSecond
  const [formats, remaining] = [count(first[4]), count(second[8])]
  if ([...ofFirst, ...ofSecond, formats, remaining].includes(null)) return null
  const cause = (): ZplReport['cause'] => {
    if (headUp) return 'cover_open'
    if (paperOut) return 'paper_out'
    if (ribbonOut && needsRibbon) return 'ribbon_out'
    // in diagnostic mode the printer does not print labels: it prints the received bytes as text
    if (lost || diagnostic) return 'error'
    if (hot) return 'too_hot'
    if (paused) return 'paused'
    return full ? 'busy' : null
  }
  return {
    cause: cause(),
    waiting: (formats ?? 0) + (remaining ?? 0),
    hasPart: part === true,
    isOffered: offered === true,
    text: `~HS ${first.join(',')} ${second.join(',')}`,
  }
}

function flag(field: string | undefined): boolean | null {
  return field === '0' ? false : field === '1' ? true : null
}

function count(field: string | undefined): number | null {
  return field !== undefined && /^\d{1,8}$/.test(field) ? Number(field) : null
}
