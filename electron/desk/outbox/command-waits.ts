import type { CommandId } from '#shared/domain/ids.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { CommandRow } from '../ports/commands.ts'
import { type Backoff, createBackoff } from '../timing/worker.ts'

/** How fast the outbox works, in milliseconds. Tests use shorter times. */
export interface Pace {
  /** The first pause after a try that was not sent, which doubles with each such try, and the longest pause. */
  readonly firstRetryMs: Milliseconds
  readonly slowestRetryMs: Milliseconds
  /** A command that is tried later than this after its creation is checked again before it is sent. */
  readonly waitedMs: Milliseconds
}

export const standardPace: Pace = { firstRetryMs: 1_000, slowestRetryMs: 60_000, waitedMs: 60_000 }

/** The looks for the effect of an ambiguous try. All ticks are of the monotonic clock. */
interface Looks {
  readonly sinceTicks: number
  count: number
  nextTicks: number
  /** When a record was first seen that may be the result of this command or of another desk. */
  seenTicks: number | null
}

/** The state of one command between two steps. */
interface Memory {
  /** When the command was last checked, or when an operator last decided to send it. */
  checkedTicks: number | null
  /** The pause of this command alone; null: no reason of this command prevents a try. */
  pause: Backoff | null
  /** Null: no try was ambiguous since the start. */
  looks: Looks | null
  /**
   * Whether the service refused the token of this command once. After the first refusal the command is tried at once
   * with a fresh token.
   */
  isTokenRefused: boolean
  /** Number of consecutive unreadable responses. */
  unreadableLooks: number
}

const latestFirstLookMs = 500
const slowestLookMs = 5 * 60_000
const mostFrequentLooks = 20
/** After this number of consecutive unreadable responses, and after the quiet time, a look counts as hopeless. */
const mostUnreadableLooks = 4

/**
 * Decides when each command may be sent, when it may be looked for, and when it must be checked. Keeps one record per
 * command, in memory only. A restart begins with no records; only the quiet time continues, by the wall clock.
 */
export class CommandWaits {
  readonly #clock: ClockPort
  readonly #pace: Pace
  readonly #quietMs: Milliseconds
  readonly #firstLookMs: Milliseconds
  readonly #username: () => string | null
  /** Pauses all commands because of the connection, the login, or too many calls at the service. */
  readonly #all: Backoff
  readonly #memories = new Map<CommandId, Memory>()

  /** `quietMs`: how long an ambiguous write may still arrive. `username`: returns the name of the signed-in user. */
  constructor(clock: ClockPort, pace: Pace, quietMs: Milliseconds, username: () => string | null) {
    this.#clock = clock
    this.#pace = pace
    this.#quietMs = quietMs
    this.#firstLookMs = Math.min(latestFirstLookMs, quietMs / 4)
    this.#username = username
    this.#all = createBackoff(clock, pace.firstRetryMs, pace.slowestRetryMs)
  }

  /** Milliseconds until any command may be sent. */
  allPausedMs(): Milliseconds {
    return this.#all.waitMs()
  }

  /** Pauses all commands, because the reason that stopped this one would stop every other too. */
  pauseAll(): void {
    this.#all.failed()
  }

  /** Milliseconds until this command may be tried, apart from its quiet time. */
  pausedMs(commandId: CommandId): Milliseconds {
    return this.#memories.get(commandId)?.pause?.waitMs() ?? 0
  }

  /** Whether a command waits for the end of a pause. */
  get hasPauses(): boolean {
    return (
      this.allPausedMs() > 0 ||
      [...this.#memories.values()].some(({ pause }) => pause !== null && pause.waitMs() > 0)
    )
  }

  get pausedCount(): number {
    return [...this.#memories.values()].filter(({ pause }) => pause !== null).length
  }

  /**
   * Pauses one command for a reason that concerns this command alone, such as a list that the service does not return.
   * The pause grows each time, and the other commands do not wait for it.
   */
  pause(commandId: CommandId): void {
    const { firstRetryMs, slowestRetryMs } = this.#pace
    const memory = this.#remember(commandId)
    memory.pause ??= createBackoff(this.#clock, firstRetryMs, slowestRetryMs)
    memory.pause.failed()
  }

  /** Ends all pauses, because their reasons may be gone. */
  endPauses(): void {
    this.#all.reset()
    for (const memory of this.#memories.values()) memory.pause = null
  }

  /** Removes the record of a command that has ended with a real response of the service. */
  ended(commandId: CommandId): void {
    this.#all.reset()
    this.forget(commandId)
  }

  /** Removes the record of a command that has ended without a call. */
  forget(commandId: CommandId): void {
    this.#memories.delete(commandId)
  }

  /** Notes a try that was surely not applied. `isTokenRefused`: only the token was refused. */
  notApplied(commandId: CommandId, isTokenRefused: boolean): void {
    const memory = this.#remember(commandId)
    memory.pause = null
    if (!isTokenRefused || memory.isTokenRefused) this.#all.failed()
    else memory.isTokenRefused = true
  }

  /** Notes an ambiguous try: the quiet time and the looks begin. */
  ambiguous(commandId: CommandId): void {
    this.#remember(commandId).pause = null
    this.#beginLooks(commandId, 0)
  }

  /** Whether the command is old or was created by another user, and was not checked recently. */
  hasWaited({ id, createdAt, madeBy }: CommandRow): boolean {
    const checked = this.#memories.get(id)?.checkedTicks ?? null
    if (checked !== null && this.#clock.ticks() - checked <= this.#pace.waitedMs) return false
    // a creation time in the future (the wall clock was set back) counts as old too
    const isOld = Math.abs(this.#clock.now() - createdAt) > this.#pace.waitedMs
    return isOld || (madeBy !== null && madeBy !== this.#username())
  }

  checked(commandId: CommandId): void {
    this.#remember(commandId).checkedTicks = this.#clock.ticks()
  }

  /**
   * Milliseconds left of the quiet time. A write whose connection ended without a response may still arrive, and until
   * then its absence proves nothing. 0 also for a command that was never ambiguous.
   */
  quietMs(command: Pick<CommandRow, 'id' | 'endedAt'>): Milliseconds {
    if (command.endedAt === null) return 0
    const looks = this.#memories.get(command.id)?.looks
    if (looks) return Math.max(0, Math.ceil(looks.sinceTicks + this.#quietMs - this.#clock.ticks()))
    return this.#quietMs - this.#passedMs(command.endedAt)
  }

  /** Milliseconds until the next look: short at first, a few minutes later on. */
  nextLookMs(command: CommandRow): Milliseconds {
    const looks = this.#memories.get(command.id)?.looks
    if (looks) return Math.max(0, Math.ceil(looks.nextTicks - this.#clock.ticks()))
    this.#beginLooks(command.id, command.endedAt === null ? 0 : this.#passedMs(command.endedAt))
    return this.#firstLookMs
  }

  /**
   * Notes that a look begins. The time to the next look grows, and one look always follows right after the quiet time.
   */
  looked(command: CommandRow): void {
    const looks = this.#memories.get(command.id)?.looks
    if (!looks) return
    looks.count++
    const doubled = this.#firstLookMs * 2 ** looks.count
    const pause = looks.count > mostFrequentLooks ? slowestLookMs : Math.min(doubled, this.#quietMs)
    const leftMs = this.quietMs(command)
    looks.nextTicks = this.#clock.ticks() + (leftMs > 0 ? Math.min(pause, leftMs + 1) : pause)
  }

  /**
   * Whether to look once more before a record that another desk may have created is adopted. A desk requests its label
   * right after creating it, and a requested label is then known to be another desk's. The second look follows after a
   * thirtieth of the quiet time.
   */
  isToBeSeenAgain(commandId: CommandId): boolean {
    const looks = this.#memories.get(commandId)?.looks
    if (!looks) return false
    const ticks = this.#clock.ticks()
    looks.seenTicks ??= ticks
    const dueTicks = looks.seenTicks + this.#quietMs / 30
    if (ticks >= dueTicks) return false
    looks.nextTicks = dueTicks
    return true
  }

  /** Counts one more unreadable response. Returns whether looking is hopeless. */
  isUnreadableForGood(commandId: CommandId): boolean {
    return ++this.#remember(commandId).unreadableLooks >= mostUnreadableLooks
  }

  /** Resets the count of unreadable responses: the list was readable, or the look failed for another reason. */
  wasReadable(commandId: CommandId): void {
    const memory = this.#memories.get(commandId)
    if (memory) memory.unreadableLooks = 0
  }

  /** Makes the next look of this command, or of all commands, due now. */
  lookNow(commandId: CommandId | null = null): void {
    for (const [id, { looks }] of this.#memories)
      if (looks && (commandId === null || id === commandId)) looks.nextTicks = this.#clock.ticks()
  }

  /** `passedMs`: the part of the quiet time that passed before a restart. */
  #beginLooks(commandId: CommandId, passedMs: Milliseconds): void {
    const ticks = this.#clock.ticks()
    const nextTicks = ticks + this.#firstLookMs
    this.#remember(commandId).looks = { sinceTicks: ticks - passedMs, count: 0, nextTicks, seenTicks: null }
  }

  /**
   * Milliseconds of the quiet time that have passed, by the wall clock, at most the whole quiet time. A clock that was
   * set back makes the wait longer, never shorter.
   */
  #passedMs(endedAt: Instant): Milliseconds {
    return Math.min(this.#quietMs, Math.max(0, this.#clock.now() - endedAt))
  }

  #remember(commandId: CommandId): Memory {
    const known = this.#memories.get(commandId)
    if (known) return known
    const memory: Memory = {
      checkedTicks: null,
      pause: null,
      looks: null,
      isTokenRefused: false,
      unreadableLooks: 0,
    }
    this.#memories.set(commandId, memory)
    return memory
  }
}
