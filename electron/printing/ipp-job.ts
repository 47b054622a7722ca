import type { DriverResult } from './driver-result.ts'
import {
  type IppAnswer,
  type IppSession,
  notTaken,
  onlyGroup,
  operations,
  refusesDocument,
} from './ipp-client.ts'
import { askCondition, type IppCondition } from './ipp-condition.ts'
import type { IppDocument } from './ipp-document.ts'
import {
  type IppJob,
  isOver,
  jobOf,
  jobQuestion,
  jobStates,
  type JobTerms,
  verdictOf,
} from './ipp-job-report.ts'
import type { ChosenMedia } from './ipp-media.ts'
import {
  attribute,
  groupsOf,
  groupTags,
  type IppAttribute,
  numberOf,
  numbersOf,
  textsOf,
  whole,
  words,
} from './ipp-message.ts'

interface IppJobTerms {
  /** The name of the job, by which the desk finds the job again. */
  readonly name: string
  readonly media: ChosenMedia
  readonly document: IppDocument
  readonly dpi: number
  readonly printer: IppCondition
  readonly timeouts: FollowTimeouts
}

/**
 * Prints a document as one job and follows the job. Creates the job before it sends the document, so that the number of
 * the job is known if the sending fails. If the printer cannot create a job first, sends job and document in one
 * request. Never sends the document twice.
 */
export async function printJob(session: IppSession, terms: IppJobTerms): Promise<DriverResult> {
  const can = numbersOf(terms.printer.attributes, 'operations-supported')
  const inTwo = [operations.createJob, operations.sendDocument].every((operation) => can.includes(operation))
  return inTwo ? inTwoSteps(session, terms) : inOneStep(session, terms)
}

async function inTwoSteps(session: IppSession, terms: IppJobTerms): Promise<DriverResult> {
  const created = await session.ask({
    operation: operations.createJob,
    attributes: nameOf(terms),
    jobAttributes: jobAttributes(terms),
  })
  // the result is `refused`: the job may exist, but without a document it prints nothing, and the printer removes it
  // after some time
  if (created.kind !== 'done') return refused(created, refusesDocument(created))
  const id = jobId(created)
  if (id === null) return { kind: 'refused', cause: 'not_ipp' }
  if (tookOtherMedia(created)) {
    await cancel(session, id)
    return { kind: 'refused', cause: 'media_unsupported' }
  }
  const sent = await session.ask({
    operation: operations.sendDocument,
    attributes: [
      whole('job-id', id),
      words('mimeType', 'document-format', terms.document.format),
      attribute('last-document', { type: 'boolean', value: true }),
    ],
    document: terms.document.bytes,
  })
  return afterSending(session, terms, { id, sent, isDocumentRefused: refusesDocument(sent, true) })
}

async function inOneStep(session: IppSession, terms: IppJobTerms): Promise<DriverResult> {
  const sent = await session.ask({
    operation: operations.printJob,
    attributes: [...nameOf(terms), words('mimeType', 'document-format', terms.document.format)],
    jobAttributes: jobAttributes(terms),
    document: terms.document.bytes,
  })
  return afterSending(session, terms, { id: jobId(sent), sent, isDocumentRefused: refusesDocument(sent) })
}

function refused({ cause }: { readonly cause: string }, isOfDocument: boolean | 'perhaps'): DriverResult {
  return { kind: 'refused', cause, ...(isOfDocument && { isOfDocument }) }
}

interface SentDocument {
  /** The number of the job; null: it is not known. */
  readonly id: number | null
  readonly sent: IppAnswer
  /**
   * True: the printer refused the document because of the document itself. `perhaps`: the cause may be the document or
   * the printer. False: the document was not refused.
   */
  readonly isDocumentRefused: boolean | 'perhaps'
}

async function afterSending(
  session: IppSession,
  { name, document, printer, timeouts }: IppJobTerms,
  { id, sent, isDocumentRefused }: SentDocument,
): Promise<DriverResult> {
  const followed = { id: id ?? 0, name, pages: document.pages, isQueue: printer.isQueue }
  if (sent.kind === 'done')
    return id === null
      ? { kind: 'unconfirmed', cause: 'not_ipp' }
      : followJob(session, { ...followed, doubt: null }, timeouts)
  const { cause } = sent
  const wasTaken = sent.kind === 'failed' ? sent.documentLeft : !notTaken.has(sent.status)
  // cancels an incomplete job, because the rest of it must not be printed unexpectedly later
  const isCut = cause !== 'silent'
  if (id !== null && isCut) await cancel(session, id)
  if (!wasTaken) return refused(sent, isDocumentRefused)
  if (id === null) return { kind: 'unconfirmed', cause }
  return followJob(session, { ...followed, doubt: cause }, timeouts)
}

/** Tries to cancel a job. The next query of the job shows whether it was cancelled. */
async function cancel(session: IppSession, id: number): Promise<void> {
  await session.ask({ operation: operations.cancelJob, attributes: [whole('job-id', id)] })
}

function jobId(answer: IppAnswer): number | null {
  return numberOf(onlyGroup(answer, groupTags.job), 'job-id')
}

/** Whether the printer reports that it ignores the requested paper. */
function tookOtherMedia(answer: IppAnswer): boolean {
  if (answer.kind !== 'done') return false
  const ignored = groupsOf(answer.message, groupTags.unsupported)
  return ignored.some((attributes) => attributes.has('media') || attributes.has('media-col'))
}

/**
 * Returns the attributes with the name and the number of pages of the job, so that both can be queried after a crash.
 */
function nameOf({ name, document }: IppJobTerms): IppAttribute[] {
  return [words('name', 'job-name', name), whole('job-impressions', document.pages)]
}

/** Returns attributes that replace defaults of the printer: paper, copies, scaling, sides, resolution, cover sheets. */
function jobAttributes({ media, dpi, printer: { attributes, isQueue } }: IppJobTerms): IppAttribute[] {
  const known = (name: string, value: string): IppAttribute[] =>
    textsOf(attributes, `${name}-supported`).includes(value) ? [words('keyword', name, value)] : []
  const hasDpi = (attributes.get('printer-resolution-supported') ?? []).some(
    (value) => value.type === 'resolution' && value.unit === 'dpi' && value.x === dpi && value.y === dpi,
  )
  return [
    media.attribute,
    whole('copies', 1),
    ...known('print-scaling', 'none'),
    ...known('sides', 'one-sided'),
    ...(hasDpi ? [attribute('printer-resolution', { type: 'resolution', x: dpi, y: dpi, unit: 'dpi' })] : []),
    ...(isQueue ? [words('name', 'job-sheets', 'none', 'none')] : []),
  ]
}

export interface FollowTimeouts {
  /** Time between two queries of a job. */
  readonly pollMs: number
  /** How long a job may wait for other jobs. */
  readonly pendingMs: number
  /**
   * If the printer reports a count of pages: maximum time until it counts the first page of a job, and between two
   * pages that it counts. For any other printer: maximum time for each page of a job.
   */
  readonly pageMs: number
  /** Maximum time for printing all pages of a job, regardless of their number. */
  readonly jobMs: number
  /** How long a job may wait for the operator to remove a fault, such as missing paper. */
  readonly faultMs: number
  /** Maximum time without a response of the printer. */
  readonly lostMs: number
}

interface FollowedJob {
  readonly id: number
  /**
   * The name of the job. A job that the desk finds must have both this name and the number `id`: a printer counts jobs
   * from one again after a restart, so another job may have the same number.
   */
  readonly name: string
  readonly pages: number
  readonly isQueue: boolean
  /** The reason why the document may not have arrived completely; null if the printer confirmed that it arrived. */
  readonly doubt: string | null
}

/**
 * Watches a job after its document was sent, until the job ends or a time limit passes. After a time limit the job
 * stays in the printer and may be printed later. If the job waits for other jobs, the result is `spooled`. If a fault
 * stopped the job, or its printing began and did not end, the outcome is unknown. If the printer reports a count of
 * pages, it must count the next page within `pageMs`. This limit is the same for a job with many pages, because other
 * labels wait during the job.
 */
async function followJob(
  session: IppSession,
  { id, name, pages, isQueue, doubt }: FollowedJob,
  timeouts: FollowTimeouts,
): Promise<DriverResult> {
  const until = performance.now() + Math.min(timeouts.pageMs * pages, timeouts.jobMs)
  let counted = -1
  // the time limit for the next counted page begins with the first report of a count, because many printers report no
  // count while they print
  let pageUntil = Infinity
  const pending = patience(timeouts.pendingMs)
  const fault = patience(timeouts.faultMs)
  const lost = patience(timeouts.lostMs)
  for (;;) {
    const [job, printer] = [await askJob(session, id, name), await conditionNow(session)]
    if (job === 'gone') return { kind: 'unconfirmed', cause: 'job_gone' }
    const hasEnded = typeof job !== 'string' && isOver(job)
    if (hasEnded && printer) return ended(job, { pages, printer }, doubt)
    const now = performance.now()
    // the result of an ended job also depends on the printer's state; if the printer does not report its state, the
    // cause is `silent`
    const why = typeof job === 'string' ? job : hasEnded ? 'silent' : null
    if (lost.isOver(why !== null, now)) return { kind: 'unconfirmed', cause: why ?? 'silent' }
    if (typeof job !== 'string') {
      const countedNow = job.reportsCount ? Math.max(0, ...job.counts) : -1
      if (countedNow > counted) pageUntil = now + timeouts.pageMs
      counted = Math.max(counted, countedNow)
      const cause = faultOf(job, printer)
      if (fault.isOver(cause !== null, now)) return { kind: 'unconfirmed', cause: cause ?? 'stopped' }
      const isPending = job.state === jobStates.pending || job.state === jobStates.held
      if (pending.isOver(isPending, now)) return pendingResult(job, isQueue, doubt)
    }
    if (now >= Math.min(until, pageUntil)) return { kind: 'unconfirmed', cause: doubt ?? why ?? 'waiting' }
    await new Promise((done) => setTimeout(done, timeouts.pollMs))
  }
}

/**
 * Returns the result of an ended job. If the document may not have arrived completely, the label counts as printed only
 * with evidence.
 */
function ended(job: IppJob, terms: JobTerms, doubt: string | null): DriverResult {
  const result = verdictOf(job, terms)
  const isCertain = doubt === null || (result.kind !== 'sent' && result.kind !== 'spooled')
  return isCertain ? result : { kind: 'unconfirmed', cause: doubt }
}

/**
 * Returns the result of a job that still waits. The printer will print it later. If a job of a queue waits although its
 * printing has begun, the outcome is unknown.
 */
function pendingResult(job: IppJob, isQueue: boolean, doubt: string | null): DriverResult {
  if (doubt !== null) return { kind: 'unconfirmed', cause: doubt }
  return isQueue && job.wasBegun ? { kind: 'unconfirmed', cause: 'retrying' } : { kind: 'spooled' }
}

/**
 * Returns why a job does not continue; null if it continues. A fault of the printer does not count while the job waits
 * for other jobs.
 */
function faultOf(job: IppJob, printer: IppCondition | null): string | null {
  if (job.state === jobStates.stopped) return printer?.cause ?? 'stopped'
  return job.state === jobStates.processing ? (printer?.cause ?? null) : null
}

/** Returns a function that checks whether a condition has lasted for `mostMs` without interruption. */
function patience(mostMs: number): { isOver(lasts: boolean, now: number): boolean } {
  let since: number | null = null
  return {
    isOver(lasts, now) {
      since = lasts ? (since ?? now) : null
      return since !== null && now - since >= mostMs
    },
  }
}

/** Queries the job. Returns `gone` if the printer no longer has the job, or the reason why the query failed. */
async function askJob(session: IppSession, id: number, name: string): Promise<IppJob | string> {
  const attributes = [whole('job-id', id), words('keyword', 'requested-attributes', ...jobQuestion)]
  const answer = await session.ask({ operation: operations.getJobAttributes, attributes })
  if (answer.kind === 'failed') return answer.cause
  if (answer.kind === 'declined') return answer.cause === 'no_queue' ? 'gone' : answer.cause
  const attributesOfJob = onlyGroup(answer, groupTags.job)
  if (!attributesOfJob) return 'not_ipp'
  const job = jobOf(attributesOfJob)
  return job.name === name ? job : 'gone'
}

async function conditionNow(session: IppSession): Promise<IppCondition | null> {
  const condition = await askCondition(session)
  return 'kind' in condition ? null : condition
}
