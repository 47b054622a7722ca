import type { DriverResult } from './driver-result.ts'
import { type IppAnswer, type IppSession, notTaken, onlyGroup, operations } from './ipp-client.ts'
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
  /** By which it can be found again. */
  readonly name: string
  readonly media: ChosenMedia
  readonly document: IppDocument
  readonly dpi: number
  readonly printer: IppCondition
  readonly timeouts: FollowTimeouts
}

/**
 * Prints a document as one job and follows it. The job is made before the document leaves, so that its number is known
 * whatever happens then; a printer that cannot do that gets both at once. Never sends the document twice.
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
  // a job without a document prints nothing, and the printer drops it after a while
  if (created.kind !== 'done') return { kind: 'refused', cause: created.cause }
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
  return afterSending(session, terms, id, sent)
}

async function inOneStep(session: IppSession, terms: IppJobTerms): Promise<DriverResult> {
  const sent = await session.ask({
    operation: operations.printJob,
    attributes: [...nameOf(terms), words('mimeType', 'document-format', terms.document.format)],
    jobAttributes: jobAttributes(terms),
    document: terms.document.bytes,
  })
  return afterSending(session, terms, jobId(sent), sent)
}

async function afterSending(
  session: IppSession,
  { name, document, printer, timeouts }: IppJobTerms,
  id: number | null,
  sent: IppAnswer,
): Promise<DriverResult> {
  const followed = { id: id ?? 0, name, pages: document.pages, isQueue: printer.isQueue }
  if (sent.kind === 'done')
    return id === null
      ? { kind: 'unconfirmed', cause: 'not_ipp' }
      : followJob(session, { ...followed, doubt: null }, timeouts)
  const { cause } = sent
  const wasTaken = sent.kind === 'failed' ? sent.documentLeft : !notTaken.has(sent.status)
  // the rest of it must not print unexpectedly later
  const isCut = cause !== 'silent'
  if (id !== null && isCut) await cancel(session, id)
  if (!wasTaken) return { kind: 'refused', cause }
  if (id === null) return { kind: 'unconfirmed', cause }
  return followJob(session, { ...followed, doubt: cause }, timeouts)
}

/** Best effort: what it changes is seen afterwards. */
async function cancel(session: IppSession, id: number): Promise<void> {
  await session.ask({ operation: operations.cancelJob, attributes: [whole('job-id', id)] })
}

function jobId(answer: IppAnswer): number | null {
  return numberOf(onlyGroup(answer, groupTags.job), 'job-id')
}

/** Whether the printer says that it leaves the paper we asked for aside. */
function tookOtherMedia(answer: IppAnswer): boolean {
  if (answer.kind !== 'done') return false
  const ignored = groupsOf(answer.message, groupTags.unsupported)
  return ignored.some((attributes) => attributes.has('media') || attributes.has('media-col'))
}

/** The pages are said so that they can be read back after a crash. */
function nameOf({ name, document }: IppJobTerms): IppAttribute[] {
  return [words('name', 'job-name', name), whole('job-impressions', document.pages)]
}

/** All that a queue might otherwise have its own mind about: paper, size, copies, sides, cover sheets. */
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
  /** Between two questions. */
  readonly pollMs: number
  /** For a job that waits behind others. */
  readonly pendingMs: number
  /** For a job that is worked on, a page. */
  readonly pageMs: number
  /** For the operator to put in paper while the job waits for it. */
  readonly faultMs: number
  /** For a printer that went away to come back. */
  readonly lostMs: number
}

interface FollowedJob {
  readonly id: number
  /** A printer that was restarted counts its jobs from one again: another may have the number. */
  readonly name: string
  readonly pages: number
  readonly isQueue: boolean
  /** Why it is not known whether the document arrived whole, or null where that was said. */
  readonly doubt: string | null
}

/**
 * Watches a job whose document was given away until it ends, or longer makes no sense: then it stays where it is and
 * perhaps prints later. Behind others it is spooled; before a fault, or begun and not ended, the outcome is unknown.
 */
async function followJob(
  session: IppSession,
  { id, name, pages, isQueue, doubt }: FollowedJob,
  timeouts: FollowTimeouts,
): Promise<DriverResult> {
  const until = performance.now() + timeouts.pageMs * pages
  const pending = patience(timeouts.pendingMs)
  const fault = patience(timeouts.faultMs)
  const lost = patience(timeouts.lostMs)
  for (;;) {
    const [job, printer] = [await askJob(session, id, name), await conditionNow(session)]
    if (job === 'gone') return { kind: 'unconfirmed', cause: 'job_gone' }
    const hasEnded = typeof job !== 'string' && isOver(job)
    if (hasEnded && printer) return ended(job, { pages, printer }, doubt)
    const now = performance.now()
    // how the printer is afterwards belongs to what is known
    const why = typeof job === 'string' ? job : hasEnded ? 'silent' : null
    if (lost.isOver(why !== null, now)) return { kind: 'unconfirmed', cause: why ?? 'silent' }
    if (typeof job !== 'string') {
      const cause = faultOf(job, printer)
      if (fault.isOver(cause !== null, now)) return { kind: 'unconfirmed', cause: cause ?? 'stopped' }
      const isPending = job.state === jobStates.pending || job.state === jobStates.held
      if (pending.isOver(isPending, now)) return pendingResult(job, isQueue, doubt)
    }
    if (now >= until) return { kind: 'unconfirmed', cause: doubt ?? why ?? 'waiting' }
    await new Promise((done) => setTimeout(done, timeouts.pollMs))
  }
}

/** Where it is not known whether the document arrived whole, only evidence says that the label is out. */
function ended(job: IppJob, terms: JobTerms, doubt: string | null): DriverResult {
  const result = verdictOf(job, terms)
  const isCertain = doubt === null || (result.kind !== 'sent' && result.kind !== 'spooled')
  return isCertain ? result : { kind: 'unconfirmed', cause: doubt }
}

/** A job that waits, or a queue that is worked on by others, prints later; one that waits again may have begun. */
function pendingResult(job: IppJob, isQueue: boolean, doubt: string | null): DriverResult {
  if (doubt !== null) return { kind: 'unconfirmed', cause: doubt }
  return isQueue && job.wasBegun ? { kind: 'unconfirmed', cause: 'retrying' } : { kind: 'spooled' }
}

/** Why a job does not go on; what stops the printer does not matter to a job that others are before. */
function faultOf(job: IppJob, printer: IppCondition | null): string | null {
  if (job.state === jobStates.stopped) return printer?.cause ?? 'stopped'
  return job.state === jobStates.processing ? (printer?.cause ?? null) : null
}

/** Counts how long something lasts without a break. */
function patience(mostMs: number): { isOver(lasts: boolean, now: number): boolean } {
  let since: number | null = null
  return {
    isOver(lasts, now) {
      since = lasts ? (since ?? now) : null
      return since !== null && now - since >= mostMs
    },
  }
}

/** The job, `gone` where the printer knows none such any more, else why it cannot be asked. */
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
