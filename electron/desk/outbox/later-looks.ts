import { isOpen } from '#shared/domain/command-state.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { Subject } from '#shared/writes/write-kinds.ts'
import type { QueueNotice } from '#shared/bridge/queue-views.ts'
import { longestWatchGapMs, nextWatchAt } from '#shared/domain/queue-rules.ts'
import type { CommandType } from './command-type.ts'
import type { ClockPort } from '../ports/clock.ts'
import type {
  CommandRow,
  DueLook,
  DueWatch,
  EndedWatch,
  OutboxStore,
  QueueStore,
  SeenRecord,
} from '../ports/commands.ts'
import { readOnce, type RecentLists } from './recent-lists.ts'
import { recordsOfQuestion, toSeen } from './seen-records.ts'
import type { Line } from '../service/line.ts'
import type { Session } from '../service/session.ts'
import { createTurns } from '../timing/calls.ts'
import { type Backoff, createBackoff, createWorker, type Worker } from '../timing/worker.ts'

/**
 * The dependencies of the classes that look at the service after a write has ended. Their looks delay no write; if a
 * look finds something, the class stores a notice.
 */
interface LookParts {
  readonly types: ReadonlyMap<string, CommandType>
  readonly lists: RecentLists
  readonly session: Session
  readonly line: Line
  readonly clock: ClockPort
  readonly noticed: RaiseNotice
  readonly onFault: (error: unknown) => void
}

export type RaiseNotice = (
  kind: QueueNotice['kind'],
  subject: Subject,
  records: readonly SeenRecord[],
) => void

/** Creates a function that stores a notice. If the notice has new content, the function calls `changed`. */
export function createRaiseNotice(
  store: Pick<QueueStore, 'notice'>,
  clock: ClockPort,
  changed: () => void,
): RaiseNotice {
  return (kind, subject, records) => {
    const id = crypto.randomUUID()
    if (store.notice({ id, kind, subject, records: recordsOfQuestion(records), at: clock.now() })) changed()
  }
}

interface LateWatchParts extends LookParts {
  readonly store: Pick<OutboxStore, 'get' | 'toWatch' | 'nextWatch' | 'watched'>
}

/** Pause after a look during which the connection or the login was lost, in milliseconds. */
const lateFailureMs = 60_000
/**
 * A look that failed because of the service is repeated up to this time after the start of the looks, in milliseconds.
 * This is a day longer than the planned looks.
 */
const longestFailingMs = 48 * 3600_000
/**
 * Maximum number of looks whose times are stored in one transaction. More would take too long, because SQLite may write
 * the whole row of each command, with its baseline of up to 38,000 characters.
 */
const mostStoredTogether = 50

/**
 * Detects late effects of ambiguous writes: an ambiguous write may arrive hours later, after it was sent again or
 * discarded. LateWatch looks for such effects for a day. It stores a notice for each effect, because only an operator
 * can undo the effect. A look that is made more than an hour late, or that is planned more than an hour ahead, shows
 * that the PC clock was corrected, or that no user was signed in. Then the day begins again, once for each ambiguous
 * outcome: if the time of the outcome is wrong, the day could be over before the first look. A failed look is repeated
 * at the next planned time and, after the day, once an hour for a second day. Otherwise a service whose list stays
 * unreadable would be asked without end.
 */
export class LateWatch {
  readonly #parts: LateWatchParts
  readonly #worker: Worker
  #isClosing = false
  #pausedUntilTicks = 0

  constructor(parts: LateWatchParts) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
  }

  /** Checks now whether a look is due, because there may be a new write to watch. */
  kick(): void {
    this.#worker.kick()
  }

  /** Ends the pause after an interrupted look, because a user has logged in or the connection is back. */
  retryNow(): void {
    this.#pausedUntilTicks = 0
    this.kick()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#worker.close()
  }

  get #isConnected(): boolean {
    const { session, line } = this.#parts
    return session.isSignedIn && !line.isOffline()
  }

  async #step(): Promise<number | null> {
    const { store, clock } = this.#parts
    if (!this.#isConnected) return null
    const pausedMs = Math.ceil(this.#pausedUntilTicks - clock.ticks())
    if (pausedMs > 0) return pausedMs
    const now = clock.now()
    const due = store.toWatch(now, now + longestWatchGapMs)
    if (due.length > 0 && !(await this.#look(due))) {
      this.#pausedUntilTicks = clock.ticks() + lateFailureMs
      return lateFailureMs
    }
    if (this.#isClosing) return null
    // every due look has ended, so the worker waits until the earliest of the following looks
    const nextAt = store.nextWatch()
    return nextAt === null ? null : Math.min(longestWatchGapMs, Math.max(1_000, nextAt - clock.now()))
  }

  /**
   * Checks all due writes against the lists of the service, and reads each list once. Returns false if the connection
   * or the login was lost, so that checks must be repeated.
   */
  async #look(due: readonly DueWatch[]): Promise<boolean> {
    const { types, lists, store, clock } = this.#parts
    const at = clock.now()
    const first = due.reduce((earliest, { firstSentAt }) => Math.min(earliest, firstSentAt ?? at), at)
    const once = readOnce(lists, { first, last: at })
    const ended: EndedWatch[] = []
    let isComplete = true
    // lets other work run before each look: a look compares a whole list, and the number of looks has no limit
    const turn = createTurns(clock)
    for (const { id, type, endedAt, watchAt, watchFrom } of due) {
      await turn()
      const command = store.get(id)
      // no look is needed if an operator has meanwhile decided to send the command again
      if (!command || isOpen(command.state)) continue
      const sightings = await types.get(type)?.sightings?.(command, once)
      if (this.#isClosing) return false
      if (sightings?.kind === 'seen' && sightings.matches.length > 0)
        this.#parts.noticed(
          command.state === 'done' ? 'duplicate' : 'late',
          command.subject,
          sightings.matches.map(toSeen),
        )
      // an unreadable list counts as a failed look, so that the look is repeated. If the service refuses the list
      // permanently, no look would ever have a result, so this does not count as a failure
      const isFailed = sightings?.kind === 'unreadable' && !sightings.isRefused
      if (isFailed && !this.#isConnected) {
        isComplete = false
        continue
      }
      const isOffTime = Math.abs(at - watchAt) > longestWatchGapMs
      // a stored start of the looks (`watchFrom`) that is later than the current time is wrong too: the clock was set
      // back after it was stored
      const from = isOffTime && (watchFrom === null || watchFrom > at) ? at : watchFrom
      const base = from ?? endedAt
      // if this type of command has no method `sightings`, its late effects cannot be found, and no further look
      // follows
      const plannedAt = sightings && base !== null ? nextWatchAt(base, at) : null
      // after a long time without looks, a failed look is followed by one more look, so that one short failure of the
      // service does not end the looks
      const isRepeated = isFailed && base !== null && (isOffTime || at - base < longestFailingMs)
      const nextAt = plannedAt ?? (isRepeated ? at + longestWatchGapMs : null)
      ended.push({ id, endedAt, watchFrom: from, nextAt })
      if (ended.length === mostStoredTogether) store.watched(ended.splice(0))
    }
    store.watched(ended)
    return isComplete
  }
}

interface OtherDesksParts extends LookParts {
  readonly store: Pick<OutboxStore, 'get' | 'toLookAround' | 'nextLookAround' | 'lookedAround'>
  /** How long an ambiguous write may still arrive, in milliseconds. */
  readonly quietMs: Milliseconds
}

const dayMs = 24 * 3600_000
/** First and longest pause in milliseconds after a look of OtherDesks that failed. */
const otherFailureMs = 10_000
const longestOtherFailureMs = 60_000

/**
 * Detects similar creations that two desks sent for the same purpose. If both desks look before either creation has
 * arrived, both create a record; the API cannot prevent this. Therefore OtherDesks looks again after each creation. The
 * looks continue for two and a half quiet times, also after a restart. After this time, no creation that another desk
 * sent before the first of these looks can still arrive. Both desks show a notice about the creation of the other desk.
 */
export class OtherDesks {
  readonly #parts: OtherDesksParts
  readonly #worker: Worker
  readonly #offsetsMs: readonly number[]
  /**
   * The pauses after failed looks. They become longer, because one record may fail for as long as its looks continue.
   */
  readonly #backoff: Backoff
  #isClosing = false

  constructor(parts: OtherDesksParts) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    this.#backoff = createBackoff(parts.clock, otherFailureMs, longestOtherFailureMs)
    this.#offsetsMs = [1 / 30, 1 / 6, 1 / 2, 1.2, 2.5].map((share) => Math.ceil(share * parts.quietMs))
  }

  /** Checks now whether a look is due, for example when a creation has arrived. */
  kick(): void {
    this.#worker.kick()
  }

  /** Ends the pause after a failed look, because the connection is back or an operator has logged in. */
  retryNow(): void {
    this.#backoff.reset()
    this.kick()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#worker.close()
  }

  /** Makes the due looks. Returns the milliseconds until the next look; null: the next look follows after `kick`. */
  async #step(): Promise<number | null> {
    const { store, session, line, clock } = this.#parts
    if (!session.isSignedIn || line.isOffline()) return null
    const pausedMs = this.#backoff.waitMs()
    if (pausedMs > 0) return pausedMs
    const now = clock.now()
    // if the wall clock was set back, looks that seem too far ahead are due now, so that they are not postponed
    const due = store.toLookAround(now, now + this.#longestMs)
    if (due.length > 0 && !(await this.#look(due))) {
      this.#backoff.failed()
      return this.#backoff.waitMs()
    }
    if (due.length > 0) this.#backoff.reset()
    if (this.#isClosing) return null
    const nextAt = store.nextLookAround()
    return nextAt === null ? null : Math.min(this.#longestMs, Math.max(0, nextAt - clock.now()))
  }

  get #longestMs(): Milliseconds {
    return this.#offsetsMs.at(-1) ?? 0
  }

  /**
   * For each command of this desk that creates a record and whose look is due, searches for similar records of
   * other desks. Reads each list once. Returns false if a look must be repeated, because the service could not return a
   * list. A look that fails more than a day after the last change of the command's state is not repeated.
   */
  async #look(due: readonly DueLook[]): Promise<boolean> {
    const { types, lists, store, clock, noticed } = this.#parts
    const last = clock.now()
    // for a creation that may have been sent without its check, the list is read back to the time of the operator's
    // request. Only the baseline shows whether a creation with an ambiguous attempt was checked (`wasSentUnseen`). A
    // DueLook does not contain the baseline, so each such creation counts as not checked
    const first = due.reduce((earliest, { firstSentAt, createdAt, sendsUnseen, endedAt }) => {
      const isUnseen = sendsUnseen || endedAt !== null
      return Math.min(earliest, firstSentAt ?? createdAt, isUnseen ? createdAt : earliest)
    }, last)
    const once = readOnce(lists, { first, last })
    let isToldAll = true
    const turn = createTurns(clock)
    for (const { id } of due) {
      await turn()
      const command = store.get(id)
      if (!command) continue
      const at = clock.now()
      const type = types.get(command.type)
      const records = type?.neighbours ? await type.neighbours(command, once) : []
      if (this.#isClosing) return false
      // stores the notice first, then the end of the look: after a crash in between, the look is repeated, and the
      // store still has only one notice
      if (records !== null && records.length > 0) noticed('other_desk', command.subject, records)
      const cannotTell = records === null && at - command.stateAt <= dayMs
      if (cannotTell) isToldAll = false
      else store.lookedAround(command.id, this.#nextAt(command, at))
    }
    return isToldAll
  }

  #nextAt({ stateAt }: CommandRow, at: Instant): Instant | null {
    // if the wall clock was set back, the intervals to the looks count from the present time
    const since = Math.min(stateAt, at)
    const next = this.#offsetsMs.find((offset) => offset > at - since)
    return next === undefined ? null : since + next
  }
}
