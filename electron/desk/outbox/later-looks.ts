import type { CommandId } from '#shared/domain/ids.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { Subject } from '#shared/writes/write-kinds.ts'
import type { QueueNotice } from '#shared/bridge/queue-views.ts'
import { nextWatchAt, watchForMs } from '#shared/domain/queue-rules.ts'
import type { CommandType } from './command-type.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { CommandRow, OutboxStore, QueueStore, SeenRecord } from '../ports/commands.ts'
import { readOnce, type RecentLists } from './recent-lists.ts'
import { recordsOfQuestion, toSeen } from './seen-records.ts'
import type { Line } from '../service/line.ts'
import type { Session } from '../service/session.ts'
import { createTurns } from '../timing/calls.ts'
import { createWorker, type Worker } from '../timing/worker.ts'

/**
 * The parts of a class that looks at the service after a write has ended. Its looks delay no write; what they find
 * becomes a notice.
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
  readonly store: Pick<OutboxStore, 'endedAmbiguously' | 'watched'>
}

/**
 * If no user is signed in when the last look is due, the look may follow later, but at most this number of milliseconds
 * after the ambiguous attempt.
 */
const graceMs = 2 * watchForMs
const lateFailureMs = 60_000

/**
 * Detects late effects of ambiguous writes: an ambiguous write may arrive hours later, after it was sent again or
 * discarded. LateWatch looks for such effects for a day. It stores a notice for each effect, because only an operator
 * can undo the effect.
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

  /** Ends the pause after a failed look, because a user has logged in or the connection is back. */
  retryNow(): void {
    this.#pausedUntilTicks = 0
    this.kick()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#worker.close()
  }

  async #step(): Promise<number | null> {
    const { store, session, line, clock } = this.#parts
    if (!session.isSignedIn || line.isOffline()) return null
    const pausedMs = Math.ceil(this.#pausedUntilTicks - clock.ticks())
    if (pausedMs > 0) return pausedMs
    const now = clock.now()
    const watched = store.endedAmbiguously(now - graceMs).filter((one) => this.#nextAt(one) !== null)
    const due = watched.filter((one) => (this.#nextAt(one) ?? 0) <= now)
    if (due.length > 0 && !(await this.#look(due, watched))) {
      this.#pausedUntilTicks = clock.ticks() + lateFailureMs
      return lateFailureMs
    }
    if (this.#isClosing) return null
    // every due look has ended, so the worker waits until the earliest of the following looks
    const next = watched.flatMap((one) => nextWatchAt(one.endedAt ?? 0, now) ?? [])
    return next.length === 0 ? null : Math.max(1_000, Math.min(...next) - clock.now())
  }

  #nextAt({ type, endedAt, watchedAt }: CommandRow): Instant | null {
    const canSee = this.#parts.types.get(type)?.sightings !== undefined
    return canSee && endedAt !== null ? nextWatchAt(endedAt, watchedAt) : null
  }

  /**
   * Checks all due writes against the lists of the service, and reads each list once. Returns false if a check must be
   * repeated.
   */
  async #look(due: readonly CommandRow[], watched: readonly CommandRow[]): Promise<boolean> {
    const { types, lists, store, clock } = this.#parts
    const first = Math.min(...watched.map(({ firstSentAt }) => firstSentAt ?? clock.now()))
    const once = readOnce(lists, { first, last: clock.now() })
    const at = clock.now()
    const seen: CommandId[] = []
    // lets other work run before each look: a look compares a whole list, and the number of looks has no limit
    const turn = createTurns(clock)
    for (const command of due) {
      await turn()
      const sightings = await types.get(command.type)?.sightings?.(command, once)
      if (this.#isClosing) return false
      // repeats the look, unless the service refuses the list permanently: a later look would then have no result
      // either
      if (sightings?.kind === 'unreadable' && !sightings.isRefused) continue
      seen.push(command.id)
      if (sightings?.kind === 'seen' && sightings.matches.length > 0)
        this.#parts.noticed(
          command.state === 'done' ? 'duplicate' : 'late',
          command.subject,
          sightings.matches.map(toSeen),
        )
    }
    store.watched(seen, at)
    return seen.length === due.length
  }
}

interface OtherDesksParts extends LookParts {
  readonly store: Pick<OutboxStore, 'toLookAround' | 'lookedAround'>
  /** How long an ambiguous write may still arrive, in milliseconds. */
  readonly quietMs: Milliseconds
}

const dayMs = 24 * 3600_000
const otherFailureMs = 10_000

/**
 * Detects similar creations that two desks sent for the same purpose. If both desks look before either creation has
 * arrived, both create a record; the API cannot prevent this. Therefore OtherDesks looks again after each creation. The
 * looks continue for two and a half quiet times, also after a restart. After this time, no creation that was sent
 * before the first look can still arrive. Both desks show a notice about the creation of the other desk.
 */
export class OtherDesks {
  readonly #parts: OtherDesksParts
  readonly #worker: Worker
  readonly #offsetsMs: readonly number[]
  #isClosing = false
  #pausedUntilTicks = 0

  constructor(parts: OtherDesksParts) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    this.#offsetsMs = [1 / 30, 1 / 6, 1 / 2, 1.2, 2.5].map((share) => Math.ceil(share * parts.quietMs))
  }

  /** Checks now whether a look is due, because a creation has arrived. */
  kick(): void {
    this.#worker.kick()
  }

  /** Ends the pause after a failed look, because the connection is back or an operator has logged in. */
  retryNow(): void {
    this.#pausedUntilTicks = 0
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
    const pausedMs = Math.ceil(this.#pausedUntilTicks - clock.ticks())
    if (pausedMs > 0) return pausedMs
    const due = store.toLookAround().filter((command) => this.#leftMs(command) === 0)
    if (due.length > 0 && !(await this.#look(due))) {
      this.#pausedUntilTicks = clock.ticks() + otherFailureMs
      return otherFailureMs
    }
    if (this.#isClosing) return null
    const waits = store.toLookAround().map((command) => this.#leftMs(command))
    return waits.length === 0 ? null : Math.min(...waits)
  }

  /**
   * Milliseconds until the next look for this creation is due. If the wall clock was set back, the look is due now, so
   * that it is not postponed.
   */
  #leftMs({ lookAroundAt }: CommandRow): Milliseconds {
    const leftMs = (lookAroundAt ?? 0) - this.#parts.clock.now()
    const longestMs = this.#offsetsMs.at(-1) ?? 0
    return leftMs > longestMs ? 0 : Math.max(0, leftMs)
  }

  /**
   * Looks for creations of other desks that are similar to this desk's creations whose looks are due. Reads each list
   * once. Returns false if the service could not return a list.
   */
  async #look(due: readonly CommandRow[]): Promise<boolean> {
    const { types, lists, store, clock, noticed } = this.#parts
    const first = Math.min(...due.map(({ firstSentAt, createdAt }) => firstSentAt ?? createdAt))
    const once = readOnce(lists, { first, last: clock.now() })
    let isToldAll = true
    const turn = createTurns(clock)
    for (const command of due) {
      await turn()
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
