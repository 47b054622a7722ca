import type { CommandId } from '#shared/domain/ids.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { CommandRow } from '../ports/commands.ts'
import { type Backoff, createBackoff } from '../timing/worker.ts'

/** How fast the outbox works, in milliseconds. A test may want it faster. */
export interface Pace {
  /** The pause after a try that could not be sent, doubled with each, and the longest one. */
  readonly firstRetryMs: number
  readonly slowestRetryMs: number
  /** A write tried later than this after it was made is checked again before it is sent. */
  readonly waitedMs: number
}

export const standardPace: Pace = { firstRetryMs: 1_000, slowestRetryMs: 60_000, waitedMs: 60_000 }

/** The looks for the effect of an ambiguous try. All ticks are of the monotonic clock. */
interface Looks {
  readonly sinceTicks: number
  count: number
  nextTicks: number
  /** When a record was first seen that may be this write or another desk's. */
  seenTicks: number | null
}

/** What is remembered of one command between two steps. */
interface Memory {
  /** When it was last checked, or when an operator last said that it should go. */
  checkedTicks: number | null
  /** Its own pause; null: nothing of its own kept it from going. */
  pause: Backoff | null
  /** Null: no ambiguous try since the start. */
  looks: Looks | null
  /** The service refused its token once: the first refusal is followed by a try with a fresh token at once. */
  isTokenRefused: boolean
  /** Unreadable answers in a row. */
  unreadableLooks: number
}

const latestFirstLookMs = 500
const slowestLookMs = 5 * 60_000
const mostFrequentLooks = 20
/** After this many unreadable answers in a row, once the quiet time has passed, looking does not tell. */
const mostUnreadableLooks = 4

/**
 * When each command may go, may be looked for, and must be checked: one record per command, in memory only. A restart
 * begins with no records; the quiet time alone goes on, by the wall clock.
 */
export class CommandWaits {
  readonly #clock: ClockPort
  readonly #pace: Pace
  readonly #quietMs: number
  readonly #firstLookMs: number
  readonly #username: () => string | null
  /** Pauses all commands: the line, the login or the patience of the service is the reason. */
  readonly #all: Backoff
  readonly #memories = new Map<CommandId, Memory>()

  /** `quietMs`: how long an ambiguous write may still arrive. `username`: who is signed in. */
  constructor(clock: ClockPort, pace: Pace, quietMs: number, username: () => string | null) {
    this.#clock = clock
    this.#pace = pace
    this.#quietMs = quietMs
    this.#firstLookMs = Math.min(latestFirstLookMs, quietMs / 4)
    this.#username = username
    this.#all = createBackoff(clock, pace.firstRetryMs, pace.slowestRetryMs)
  }

  /** Milliseconds until any command may go. */
  allPausedMs(): number {
    return this.#all.waitMs()
  }

  /** No command can go now: none would fare better than the one that met this. */
  pauseAll(): void {
    this.#all.failed()
  }

  /** Milliseconds until this command may be tried, apart from its quiet time. */
  pausedMs(commandId: CommandId): number {
    return this.#memories.get(commandId)?.pause?.waitMs() ?? 0
  }

  get pausedCount(): number {
    return [...this.#memories.values()].filter(({ pause }) => pause !== null).length
  }

  /**
   * This command cannot go for a reason of its own, such as a list that the service does not give. It waits alone, and
   * longer each time, so that a few of them never hold up all others.
   */
  pause(commandId: CommandId): void {
    const { firstRetryMs, slowestRetryMs } = this.#pace
    const memory = this.#remember(commandId)
    memory.pause ??= createBackoff(this.#clock, firstRetryMs, slowestRetryMs)
    memory.pause.failed()
  }

  /** The reason of each pause may be gone. */
  endPauses(): void {
    this.#all.reset()
    for (const memory of this.#memories.values()) memory.pause = null
  }

  /** The command reached its end, and the service gave a real answer. */
  ended(commandId: CommandId): void {
    this.#all.reset()
    this.#memories.delete(commandId)
  }

  /** The try was surely not applied. `isTokenRefused`: only the token was refused. */
  notApplied(commandId: CommandId, isTokenRefused: boolean): void {
    const memory = this.#remember(commandId)
    memory.pause = null
    if (!isTokenRefused || memory.isTokenRefused) this.#all.failed()
    else memory.isTokenRefused = true
  }

  /** The try was ambiguous: the quiet time and the looks begin. */
  ambiguous(commandId: CommandId): void {
    this.#remember(commandId).pause = null
    this.#beginLooks(commandId, 0)
  }

  /** Whether the command is old, or its maker is not signed in, and it was not checked since. */
  hasWaited({ id, createdAt, madeBy }: CommandRow): boolean {
    const checked = this.#memories.get(id)?.checkedTicks ?? null
    if (checked !== null && this.#clock.ticks() - checked <= this.#pace.waitedMs) return false
    // a wall clock that was set says nothing about now
    const isOld = Math.abs(this.#clock.now() - createdAt) > this.#pace.waitedMs
    return isOld || (madeBy !== null && madeBy !== this.#username())
  }

  checked(commandId: CommandId): void {
    this.#remember(commandId).checkedTicks = this.#clock.ticks()
  }

  /**
   * Milliseconds of the quiet time that are left: a write whose connection ended without an answer may still arrive, and
   * until then not finding it proves nothing. 0 also for a command that never was ambiguous.
   */
  quietMs(command: Pick<CommandRow, 'id' | 'endedAt'>): number {
    if (command.endedAt === null) return 0
    const looks = this.#memories.get(command.id)?.looks
    if (looks) return Math.max(0, Math.ceil(looks.sinceTicks + this.#quietMs - this.#clock.ticks()))
    return this.#quietMs - this.#passedMs(command.endedAt)
  }

  /** Milliseconds until the next look is due: often at first, every few minutes later on. */
  nextLookMs(command: CommandRow): number {
    const looks = this.#memories.get(command.id)?.looks
    if (looks) return Math.max(0, Math.ceil(looks.nextTicks - this.#clock.ticks()))
    this.#beginLooks(command.id, command.endedAt === null ? 0 : this.#passedMs(command.endedAt))
    return this.#firstLookMs
  }

  /** A look begins. The next is due later and later, and always when the quiet time ends. */
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
   * Whether a record that another desk may have made is to be looked at once more before it is taken for ours: a desk
   * requests its label right after it was made, and then it is known to be another's. A thirtieth of the quiet time later.
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

  /** Whether one more unreadable answer makes looking hopeless. */
  isUnreadableForGood(commandId: CommandId): boolean {
    return ++this.#remember(commandId).unreadableLooks >= mostUnreadableLooks
  }

  /** The look failed for another reason than an unreadable answer. */
  wasReadable(commandId: CommandId): void {
    const memory = this.#memories.get(commandId)
    if (memory) memory.unreadableLooks = 0
  }

  /** No reason to wait for the next look of this command, or of any. */
  lookNow(commandId: CommandId | null = null): void {
    for (const [id, { looks }] of this.#memories)
      if (looks && (commandId === null || id === commandId)) looks.nextTicks = this.#clock.ticks()
  }

  /** `passedMs`: how much of the quiet time is over already, after a restart. */
  #beginLooks(commandId: CommandId, passedMs: number): void {
    const ticks = this.#clock.ticks()
    const nextTicks = ticks + this.#firstLookMs
    this.#remember(commandId).looks = { sinceTicks: ticks - passedMs, count: 0, nextTicks, seenTicks: null }
  }

  /** By the wall clock, at most the whole time. A clock that was set back makes the wait longer, never shorter. */
  #passedMs(endedAt: number): number {
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
