import type { CommandType } from './command-type.ts'
import type { RaiseNotice } from './notices.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { CommandRow, OutboxStore } from '../ports/commands.ts'
import type { Line } from '../service/line.ts'
import type { Session } from '../service/session.ts'
import { readOnce, type RecentLists } from './recent-lists.ts'
import { createWorker, type Worker } from '../timing/worker.ts'

export interface OtherDesksParts {
  readonly store: Pick<OutboxStore, 'toLookAround' | 'lookedAround'>
  readonly types: ReadonlyMap<string, CommandType>
  readonly lists: RecentLists
  readonly session: Session
  readonly line: Line
  readonly clock: ClockPort
  /** How long an ambiguous write may still arrive, in milliseconds. */
  readonly quietMs: number
  readonly noticed: RaiseNotice
  readonly onFault: (error: unknown) => void
}

const dayMs = 24 * 3600_000
const afterFailureMs = 10_000

/**
 * Two desks that look before either creation has arrived both create: nothing prevents that. So the service is looked at
 * again after each creation, soon and until no creation that was under way then can arrive any more (two and a half quiet
 * times), also over restarts; what another desk did like it becomes a notice at both desks. It never
 * holds up a write.
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
      this.#pausedUntilTicks = clock.ticks() + afterFailureMs
      return afterFailureMs
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
