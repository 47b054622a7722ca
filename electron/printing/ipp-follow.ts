import type { Course } from './course.ts'
import { askCondition, type IppCondition } from './ipp-condition.ts'
import { groupTags, whole, words } from './ipp-message.ts'
import { type IppSession, onlyGroup, operations } from './ipp-session.ts'
import {
  type IppJob,
  isOver,
  jobOf,
  jobQuestion,
  jobStates,
  type JobTerms,
  verdictOf,
} from './ipp-verdict.ts'

export interface FollowTimeouts {
  /** Between two questions. */
  readonly pollMs: number
  /** For a job that waits behind others. */
  readonly pendingMs: number
  /** For a job that is worked on, a page. */
  readonly pageMs: number
  /** For somebody to put in paper while the job waits for it. */
  readonly faultMs: number
  /** For a printer that went away to come back. */
  readonly lostMs: number
}

export interface FollowedJob {
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
 * perhaps prints later. Behind others it is spooled; before a fault, or begun and not ended, nobody knows.
 */
export async function followJob(
  session: IppSession,
  { id, name, pages, isQueue, doubt }: FollowedJob,
  timeouts: FollowTimeouts,
): Promise<Course> {
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
      if (pending.isOver(isPending, now)) return pendingCourse(job, isQueue, doubt)
    }
    if (now >= until) return { kind: 'unconfirmed', cause: doubt ?? why ?? 'waiting' }
    await new Promise((done) => setTimeout(done, timeouts.pollMs))
  }
}

/** Where it is not known whether the document arrived whole, only evidence says that the label is out. */
function ended(job: IppJob, terms: JobTerms, doubt: string | null): Course {
  const course = verdictOf(job, terms)
  const isCertain = doubt === null || (course.kind !== 'sent' && course.kind !== 'spooled')
  return isCertain ? course : { kind: 'unconfirmed', cause: doubt }
}

/** A job that waits, or a queue that is worked on by others, prints later; one that waits again may have begun. */
function pendingCourse(job: IppJob, isQueue: boolean, doubt: string | null): Course {
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
