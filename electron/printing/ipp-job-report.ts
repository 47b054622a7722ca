import type { DriverResult } from './driver-result.ts'
import type { IppCondition } from './ipp-condition.ts'
import { type IppAttributes, numberOf, textOf, textsOf } from './ipp-message.ts'

/** A job as a printer or a queue reports it. */
export interface IppJob {
  readonly id: number
  readonly name: string
  /** State of the job (RFC 8011, 5.3.7); 0 if it is not reported. */
  readonly state: number
  readonly reasons: readonly string[]
  /**
   * Whether printing of the job has begun at some time. If the job waits although printing has begun, it waits for
   * another attempt.
   */
  readonly wasBegun: boolean
  /**
   * The numbers of pages and sheets that the printer counted. If it did not count them, the value is missing or zero.
   */
  readonly counts: readonly number[]
  /** Whether the printer reports a number of counted pages or sheets, also if this number is zero. */
  readonly reportsCount: boolean
  /** The number of pages of the job as the printer reports it: the desk's number or the printer's own count. */
  readonly pages: number | null
}

export const jobStates = {
  pending: 3,
  held: 4,
  processing: 5,
  stopped: 6,
  canceled: 7,
  aborted: 8,
  completed: 9,
}

/** The attributes to query about each job. */
export const jobQuestion = [
  ...['job-id', 'job-name', 'job-state', 'job-state-reasons', 'time-at-processing'],
  ...['job-impressions', 'job-impressions-completed', 'job-media-sheets-completed'],
]

export function jobOf(attributes: IppAttributes): IppJob {
  const number = (name: string): number | null => numberOf(attributes, name)
  const counts = [number('job-impressions-completed'), number('job-media-sheets-completed')]
  return {
    id: number('job-id') ?? 0,
    name: textOf(attributes, 'job-name') ?? '',
    state: number('job-state') ?? 0,
    reasons: textsOf(attributes, 'job-state-reasons'),
    wasBegun: number('time-at-processing') !== null,
    counts: counts.flatMap((count) => (count === null || count <= 0 ? [] : [count])),
    reportsCount: counts.some((count) => count !== null),
    pages: number('job-impressions'),
  }
}

export function isOver(job: IppJob): boolean {
  return job.state >= jobStates.canceled
}

export interface JobTerms {
  readonly pages: number
  /** The state of the printer after the end of the job. */
  readonly printer: IppCondition
}

/**
 * Judges the result of a job that ended. The report of a queue only proves that the queue passed the job on: CUPS also
 * reports jobs as completed, with all pages, if the printer lost them in the middle. The report `completed` of a
 * printer is evidence if the printer counted every page, no other attribute contradicts it, and the printer has no
 * fault afterwards. Without a count, or if the printer still processes the pages, the result is `sent`.
 */
export function verdictOf(job: IppJob, { pages, printer }: JobTerms): DriverResult {
  const counted = Math.max(0, ...job.counts)
  const isShort = job.counts.some((count) => count < pages)
  if (job.state !== jobStates.completed) {
    const kind = counted > 0 && counted < pages ? 'partial' : 'unconfirmed'
    const ended = job.state === jobStates.canceled ? 'job_canceled' : 'job_aborted'
    return { kind, cause: printer.cause ?? ended }
  }
  if (printer.isQueue) return { kind: 'spooled' }
  if (printer.cause !== null) return { kind: 'unconfirmed', cause: printer.cause }
  if (job.reasons.some((reason) => doubts.has(reason))) return { kind: 'unconfirmed', cause: 'job_errors' }
  if (isShort) return { kind: 'partial', cause: 'pages_missing' }
  if (job.counts.length === 0 || job.reasons.some((reason) => unfinished.has(reason))) return { kind: 'sent' }
  const evidence = `ipp job ${String(job.id)} completed, ${String(counted)} of ${String(pages)}, ${printer.text}`
  return { kind: 'confirmed', evidence }
}

const doubts = new Set(['job-completed-with-errors', 'document-format-error', 'errors-detected'])
/** Reasons which show that the printer still processes the pages of a job that it reports as completed. */
const unfinished = new Set([
  'queued-in-device',
  'processing-to-stop-point',
  'job-outgoing',
  'job-transforming',
])
