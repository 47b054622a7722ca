import { nextWatchAt, watchForMs } from '#shared/domain/queue-rules.ts'
import { type CommandType, toSeen } from './command-type.ts'
import type { Line } from '../service/line.ts'
import type { RaiseNotice } from './notices.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { CommandRow, OutboxStore } from '../ports/commands.ts'
import { readOnce, type RecentLists } from './recent-lists.ts'
import type { Session } from '../service/session.ts'
import { createWorker, type Worker } from '../timing/worker.ts'

export interface LateWatchParts {
  readonly store: Pick<OutboxStore, 'endedAmbiguously' | 'watched'>
  readonly types: ReadonlyMap<string, CommandType>
  readonly lists: RecentLists
  readonly session: Session
  readonly line: Line
  readonly clock: ClockPort
  readonly noticed: RaiseNotice
  readonly onFault: (error: unknown) => void
}

/** One that was not looked at in its time, because nobody was here, is looked at once more until this long ago. */
const graceMs = 2 * watchForMs
const afterFailureMs = 60_000

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
      this.#pausedUntilTicks = clock.ticks() + afterFailureMs
      return afterFailureMs
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
    const seen: string[] = []
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
