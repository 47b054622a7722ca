import type { Bitmap } from '#labels/pixels/bitmap.ts'
import type { Course } from './course.ts'
import type { RawConnection } from './raw-sender.ts'
import { type ZplJobOptions, zplJob } from './zpl-bytes.ts'
import type { ZplReport, ZplStatus } from './zpl-status.ts'

export interface ZplTimeouts {
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

export interface ZplJobTerms {
  readonly dpi: number
  /** The printer answered ~HS before: its silence is not that it cannot. */
  readonly isKnownToAnswer: boolean
  readonly options: ZplJobOptions
  readonly timeouts: ZplTimeouts
}

/** Cancels a format that has begun and not ended, and nothing else. */
const cancelPart = Buffer.from('~JX\r\n', 'latin1')

/**
 * Prints labels over a connection: asks how the printer is, sends, and watches it work them off. What each answer means
 * is in zpl-printer.ts. Leaves the connection open where the printer confirmed.
 */
export async function exchangeZpl(
  connection: RawConnection,
  status: ZplStatus,
  labels: readonly Bitmap[],
  terms: ZplJobTerms,
): Promise<Course> {
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

/** A label behind those of others would come out when nobody expects it, so it waits here, where it can be seen. */
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
): Promise<Course | null> {
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
