import type { PrinterPort } from '#desk/ports/printers.ts'
import type { Bitmap } from '#labels/pixels/bitmap.ts'
import type { DriverResult } from './driver-result.ts'
import type { RawConnection } from './raw-connection.ts'
import { createRawPrinter, type PrinterAddress, type PrinterNaming } from './raw-printer.ts'
import { zplJob, type ZplJobOptions } from './zpl-bytes.ts'

interface ZplTimeouts {
  readonly connectMs: number
  /** For the answer to one status question. */
  readonly statusMs: number
  /** Between two questions. */
  readonly pollMs: number
  /** For what others sent to the printer to be over. */
  readonly othersMs: number
  /** For the next piece of a job to leave. */
  readonly stallMs: number
  /** For a label to be worked off once the printer has all of it. */
  readonly labelMs: number
  /** For an inch of label to pass the head, at the slowest. */
  readonly inchMs: number
  /** For bytes under way to arrive where no answer can tell. */
  readonly settleMs: number
  /** For the printer to close after we did. */
  readonly closeMs: number
}

const standardTimeouts: ZplTimeouts = {
  connectMs: 3_000,
  statusMs: 2_000,
  pollMs: 250,
  othersMs: 5_000,
  stallMs: 15_000,
  labelMs: 15_000,
  // two inches a second
  inchMs: 500,
  settleMs: 250,
  closeMs: 5_000,
}

export type ZplPrinterOptions = PrinterAddress &
  PrinterNaming &
  ZplJobOptions & {
    /** Of the label, or of what prints of it. */
    readonly widthMm: number
    readonly dpi: 203 | 300
    readonly timeouts?: ZplTimeouts
  }

/** Printers of 203 dpi have 8 dots a millimetre, those of 300 dpi a trifle under 12. */
export const zplDotsPerMm = { 203: 8, 300: 300 / 25.4 } as const

/**
 * A label printer that speaks ZPL. Refused: only before the first byte of the label left, for asking how the
 * printer is leaves no trace on paper. Confirmed: a printer that answers ~HS was seen with the label, then without, and
 * was well for as long as a label takes to come out; evidence are its lines. Sent: it was well all the time and never
 * seen with it, or it does not answer; every byte was taken and the connection closed in order. Many say nothing while
 * they lack paper: one that answered before and is silent now is refused. Otherwise the outcome is unknown. It never
 * retries.
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
      exchangeZpl(connection, statusOf(connection), labels, { dpi, isKnownToAnswer, options, timeouts }),
  })
}

interface ZplJobTerms {
  readonly dpi: number
  /** The printer answered ~HS before: its silence is not that it cannot. */
  readonly isKnownToAnswer: boolean
  readonly options: ZplJobOptions
  readonly timeouts: ZplTimeouts
}

/** Cancels a format that has begun and not ended, and nothing else. */
const cancelPart = Buffer.from('~JX\r\n', 'latin1')

/**
 * Prints labels over a connection: asks how the printer is, sends, and watches it work them off. The meaning of each answer
 * is in zpl-printer.ts. Leaves the connection open where the printer confirmed.
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
  // what an earlier job left half said would swallow the beginning of this one
  const begun = before?.hasPart ? await connection.write(cancelPart, timeouts.stallMs) : null
  if (begun !== null) return { kind: 'refused', cause: begun }
  const cut = await connection.write(zplJob(labels, terms.options), timeouts.stallMs)
  if (cut !== null) return { kind: 'partial', cause: cut }
  const seen = before && (await watch(connection, status, { labels, terms, wasOffered: before.isOffered }))
  if (seen) return seen
  const notClosed = await connection.finish(timeouts.closeMs, timeouts.settleMs)
  return notClosed === null ? { kind: 'sent' } : { kind: 'unconfirmed', cause: notClosed }
}

/** How the printer is once the labels of others are out, or they were waited for in vain. */
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

/** A label behind those of others would come out unexpectedly, so it waits here, where the operator sees it. */
function whyNot(before: ZplReport | null, { isKnownToAnswer }: ZplJobTerms): string | null {
  if (before === null) return isKnownToAnswer ? 'silent' : null
  return before.cause ?? (before.waiting > 0 ? 'busy' : null)
}

/**
 * Asks until the printer has been idle and well for as long as the longest label takes to pass its head: some count a
 * label as done when it begins to move, and the paper may end under it. Null where it was well all the time and the
 * label was never seen in it: then it may have printed fast, or dropped it.
 */
async function watch(
  connection: RawConnection,
  status: ZplStatus,
  job: { readonly labels: readonly Bitmap[]; readonly terms: ZplJobTerms; readonly wasOffered: boolean },
): Promise<DriverResult | null> {
  const { labels, terms } = job
  const { statusMs, pollMs, labelMs, inchMs } = terms.timeouts
  const passingMs = (Math.max(...labels.map(({ heightDots }) => heightDots)) / terms.dpi) * inchMs
  const until = performance.now() + labelMs * labels.length + passingMs
  let { wasOffered } = job
  let wasSeen = false
  let idleSince: number | null = null
  for (;;) {
    const askedAt = performance.now()
    const report = await status.ask(statusMs)
    if (report?.cause) return { kind: 'unconfirmed', cause: report.cause }
    // a label that hung there before this one is in its way
    wasOffered &&= report?.isOffered ?? true
    const isAtWork = report !== null && (report.waiting > 0 || report.hasPart)
    wasSeen ||= isAtWork || (report?.isOffered === true && !wasOffered)
    if (!report || isAtWork || wasOffered) idleSince = null
    else if (idleSince === null) idleSince = performance.now()
    else if (askedAt - idleSince >= passingMs)
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
  /** Why it does not print, or null. */
  readonly cause: 'paper_out' | 'cover_open' | 'ribbon_out' | 'too_hot' | 'error' | 'paused' | 'busy' | null
  /** Labels it has taken and not finished, as far as it counts them: formats not read yet and labels to come. */
  readonly waiting: number
  /** Half a format has come, of whomever. */
  readonly hasPart: boolean
  /** A label hangs in the peeler until it is taken. */
  readonly isOffered: boolean
  /** `~HS 030,0,… 000,0,…`: its first two lines, for the third holds its password. */
  readonly text: string
}

interface ZplStatus {
  /** ~HS, answered at once; null where no answer that can be read comes in `timeoutMs`. */
  ask(timeoutMs: number): Promise<ZplReport | null>
}

const question = Buffer.from('~HS\r\n', 'latin1')
const linesOfAnswer = 3
/** Longer than any answer; what else a printer says is dropped. */
const mostKept = 4096

/**
 * Asks a printer about itself over a connection. Only the answer to the newest question counts: a late one to an
 * earlier question says nothing of what was sent since.
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
 * The three lines of an answer to ~HS, without their frames (ZPL II Programming Guide, ~HS), or null where they are
 * not what the guide says: a flag misread could make a printer without paper a ready one.
 */
export function parseHostStatus(lines: readonly string[]): ZplReport | null {
  const [first = [], second = [], third = []] = lines.map((line) =>
    line.split(',').map((field) => field.trim()),
  )
  if (lines.length !== linesOfAnswer || first.length < 12 || second.length < 11 || third.length < 2)
    return null
  // not among them: too cold, at which it prints all the same
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
    // in diagnostic mode it prints what it is sent as text
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
