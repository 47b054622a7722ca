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
 * Parts for looks that follow after a write has ended. These looks do not delay any write; their findings become
 * notices.
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

/** Creates the function that stores a notice once. `changed` is called if the notice has new content. */
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
 * If no user was signed in when the last look was due, the look may still follow until this time after the ambiguous
 * attempt, in milliseconds.
 */
const graceMs = 2 * watchForMs
const lateFailureMs = 60_000

/**
 * Detects ambiguous writes that arrive hours later, after the write was sent again or discarded. LateWatch looks for
 * such writes for a day and stores a notice for each one, because only an operator can undo the effect.
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

  /** Looks again now, because there may be a new write to watch. */
  kick(): void {
    this.#worker.kick()
  }

  /** Retries after a login, or when the connection is back. */
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
    // every due look has been made, so the next wait ends at the earliest following look
    const next = watched.flatMap((one) => nextWatchAt(one.endedAt ?? 0, now) ?? [])
    return next.length === 0 ? null : Math.max(1_000, Math.min(...next) - clock.now())
  }

  #nextAt({ type, endedAt, watchedAt }: CommandRow): Instant | null {
    const canSee = this.#parts.types.get(type)?.sightings !== undefined
    return canSee && endedAt !== null ? nextWatchAt(endedAt, watchedAt) : null
  }

  /**
   * Checks all due writes against the lists of the service, and reads each list once. Returns false if a check did not
   * end.
   */
  async #look(due: readonly CommandRow[], watched: readonly CommandRow[]): Promise<boolean> {
    const { types, lists, store, clock } = this.#parts
    const first = Math.min(...watched.map(({ firstSentAt }) => firstSentAt ?? clock.now()))
    const once = readOnce(lists, { first, last: clock.now() })
    const at = clock.now()
    const seen: CommandId[] = []
    // each look compares the whole list, and the number of looks has no limit
    const turn = createTurns(clock)
    for (const command of due) {
      await turn()
      const sightings = await types.get(command.type)?.sightings?.(command, once)
      if (this.#isClosing) return false
      // the service refuses the list permanently, so a later look would have no result
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
 * Detects similar creations that two desks sent for the same purpose. If two desks look before either creation has
 * arrived, both desks create a record; the API cannot prevent this. Therefore OtherDesks looks again after each
 * creation. The looks continue for two and a half quiet times, also after a restart, until no creation from that time
 * can still arrive. A similar creation of another desk becomes a notice at both desks.
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

  /** Looks again now, because a creation has arrived. */
  kick(): void {
    this.#worker.kick()
  }

  /** Retries when the connection is back, or when an operator has logged in. */
  retryNow(): void {
    this.#pausedUntilTicks = 0
    this.kick()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#worker.close()
  }

  /** Returns the milliseconds until the next look; null: the next look follows after `kick`. */
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
   * Milliseconds until the next look for this creation is due. If the wall clock was set back, the look is not
   * postponed.
   */
  #leftMs({ lookAroundAt }: CommandRow): Milliseconds {
    const leftMs = (lookAroundAt ?? 0) - this.#parts.clock.now()
    const longestMs = this.#offsetsMs.at(-1) ?? 0
    return leftMs > longestMs ? 0 : Math.max(0, leftMs)
  }

  /**
   * Looks for similar creations for all due creations. Reads each list once. False: the service could not return the
   * lists.
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
      // stores the notice before it stores the look as done: a crash in between repeats the look, and the store keeps
      // one notice
      if (records !== null && records.length > 0) noticed('other_desk', command.subject, records)
      const cannotTell = records === null && at - command.stateAt <= dayMs
      if (cannotTell) isToldAll = false
      else store.lookedAround(command.id, this.#nextAt(command, at))
    }
    return isToldAll
  }

  #nextAt({ stateAt }: CommandRow, at: Instant): Instant | null {
    // after the wall clock was set back, the offsets count from the current time
    const since = Math.min(stateAt, at)
    const next = this.#offsetsMs.find((offset) => offset > at - since)
    return next === undefined ? null : since + next
  }
}
