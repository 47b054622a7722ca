import type { CommandId } from '#shared/domain/ids.ts'
import type { Subject } from '#shared/writes/write-kinds.ts'
import type { QueueNotice } from '#shared/bridge/queue-views.ts'
import { nextWatchAt, watchForMs } from '#shared/domain/queue-rules.ts'
import type { CommandType } from './command-type.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { CommandRow, OutboxStore, QueueStore, SeenRecord } from '../ports/commands.ts'
import { readOnce, type RecentLists } from './recent-lists.ts'
import { askedRecords, toSeen } from './seen-records.ts'
import type { Line } from '../service/line.ts'
import type { Session } from '../service/session.ts'
import { createWorker, type Worker } from '../timing/worker.ts'

/** Looks at the service after a write has ended. They hold up no write; what they find becomes a notice. */
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

/** Writes down what was noticed afterwards, once; `changed` when it is news. */
export function createRaiseNotice(
  store: Pick<QueueStore, 'notice'>,
  clock: ClockPort,
  changed: () => void,
): RaiseNotice {
  return (kind, subject, records) => {
    const id = crypto.randomUUID()
    if (store.notice({ id, kind, subject, records: askedRecords(records), at: clock.now() })) changed()
  }
}

interface LateWatchParts extends LookParts {
  readonly store: Pick<OutboxStore, 'endedAmbiguously' | 'watched'>
}

/** A last look that was skipped because no user was signed in is made up for until this long after the ambiguous end. */
const graceMs = 2 * watchForMs
const lateFailureMs = 60_000

/**
 * A write that was ambiguous once may arrive hours later, after it was sent again or given up. For a day the service is
 * looked at for that, and what turns up is noticed; taking it back is for people.
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

  /** There may be something new to watch. */
  kick(): void {
    this.#worker.kick()
  }

  /** A login, or the line is back. */
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
    // what was due is, from this look on, due at its next time
    const next = watched.flatMap((one) => nextWatchAt(one.endedAt ?? 0, now) ?? [])
    return next.length === 0 ? null : Math.max(1_000, Math.min(...next) - clock.now())
  }

  #nextAt({ type, endedAt, watchedAt }: CommandRow): number | null {
    const canSee = this.#parts.types.get(type)?.sightings !== undefined
    return canSee && endedAt !== null ? nextWatchAt(endedAt, watchedAt) : null
  }

  /** Each list is walked once for all that are watched. False: the service would not tell. */
  async #look(due: readonly CommandRow[], watched: readonly CommandRow[]): Promise<boolean> {
    const { types, lists, store, clock } = this.#parts
    const first = Math.min(...watched.map(({ firstSentAt }) => firstSentAt ?? clock.now()))
    const once = readOnce(lists, { first, last: clock.now() })
    const at = clock.now()
    const seen: CommandId[] = []
    for (const command of due) {
      const sightings = await types.get(command.type)?.sightings?.(command, once)
      if (this.#isClosing) return false
      // refused for good: there is nothing to see, today or tomorrow
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
  readonly quietMs: number
}

const dayMs = 24 * 3600_000
const otherFailureMs = 10_000

/**
 * Two desks that look before either creation has arrived both create: nothing prevents that. So the service is looked at
 * again after each creation, soon and until no creation that was under way then can arrive any more (two and a half quiet
 * times), also over restarts; what another desk did like it becomes a notice at both desks.
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

  /** A creation has arrived. */
  kick(): void {
    this.#worker.kick()
  }

  /** The connection is back, or an operator logged in. */
  retryNow(): void {
    this.#pausedUntilTicks = 0
    this.kick()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#worker.close()
  }

  /** Returns the milliseconds until the next look; null: not before a kick. */
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

  /** Milliseconds until the next look for this one is due. A wall clock that was set back never puts it off. */
  #leftMs({ lookAroundAt }: CommandRow): number {
    const leftMs = (lookAroundAt ?? 0) - this.#parts.clock.now()
    const longestMs = this.#offsetsMs.at(-1) ?? 0
    return leftMs > longestMs ? 0 : Math.max(0, leftMs)
  }

  /** Each list is read once for all. False: the service cannot tell now. */
  async #look(due: readonly CommandRow[]): Promise<boolean> {
    const { types, lists, store, clock, noticed } = this.#parts
    const first = Math.min(...due.map(({ firstSentAt, createdAt }) => firstSentAt ?? createdAt))
    const once = readOnce(lists, { first, last: clock.now() })
    let isToldAll = true
    for (const command of due) {
      const at = clock.now()
      const type = types.get(command.type)
      const records = type?.neighbours ? await type.neighbours(command, once) : []
      if (this.#isClosing) return false
      // told before the look is noted as done: a crash in between looks again, and tells once
      if (records !== null && records.length > 0) noticed('other_desk', command.subject, records)
      const cannotTell = records === null && at - command.stateAt <= dayMs
      if (cannotTell) isToldAll = false
      else store.lookedAround(command.id, this.#nextAt(command, at))
    }
    return isToldAll
  }

  #nextAt({ stateAt }: CommandRow, at: number): number | null {
    // after the clock was set back, the offsets count from now
    const since = Math.min(stateAt, at)
    const next = this.#offsetsMs.find((offset) => offset > at - since)
    return next === undefined ? null : since + next
  }
}
