import type { CommandId } from '#shared/domain/ids.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { CommandRow } from '../ports/commands.ts'
import { type Backoff, createBackoff } from '../timing/worker.ts'

/** The pauses of the outbox, in milliseconds. Tests use shorter pauses. */
export interface Pace {
  /**
   * The pause after the first attempt that did not reach the service. The pause doubles with each such attempt, up to
   * `slowestRetryMs`.
   */
  readonly firstRetryMs: Milliseconds
  readonly slowestRetryMs: Milliseconds
  /**
   * A command that is older than this time is checked again before it is sent, unless it was checked within this time
   * for the same user.
   */
  readonly waitedMs: Milliseconds
  /**
   * The time for which the checks of a write must have failed, while other calls succeeded, before the operator is
   * asked about the write.
   */
  readonly failedChecksMs: Milliseconds
}

/**
 * The time in milliseconds for which the operator probably waits for a new command. It is longer than the checks of
 * older commands, which may use all slots when the command is requested.
 */
const awaitedMs = 10 * 60_000

export const standardPace: Pace = {
  firstRetryMs: 1_000,
  slowestRetryMs: 60_000,
  waitedMs: 60_000,
  failedChecksMs: 10 * 60_000,
}

/**
 * The looks for the effect of an ambiguous attempt. The fields that end in `Ticks` are milliseconds on the monotonic
 * clock.
 */
interface Looks {
  readonly sinceTicks: number
  count: number
  nextTicks: number
  /**
   * When a look first found a record that this command or another desk may have created; null: no look has found one.
   */
  seenTicks: number | null
}

/** Failures of one command, one after another. */
interface Failures {
  count: number
  /** How long they have lasted while the desk was connected, in milliseconds. */
  ms: Milliseconds
  /** The time up to which `ms` has been counted (monotonic clock). */
  untilTicks: number
  /** When the last counted one happened (monotonic clock). */
  lastTicks: number
}

/** The state of one command that the outbox keeps in memory between its attempts and looks. */
interface Memory {
  /**
   * When the command was last checked, or when an operator last decided to send it, by the monotonic clock (`ticks`)
   * and by the wall clock (`at`), and the user who was logged in then. Null: neither has happened since the start of
   * the desk.
   */
  checked: { readonly ticks: number; readonly at: Instant; readonly by: string | null } | null
  /** The pause that concerns only this command; null: there is none. */
  pause: Backoff | null
  /**
   * The number of the last attempt or look after which this command stayed open. One counter numbers the attempts and
   * looks of all commands, so a later one has a higher number. 0: `putFirst` was called since. Null: there was no such
   * attempt or look since the start of the desk.
   */
  lastTurn: number | null
  /** The looks for this command; null: this command had no ambiguous attempt since the start of the desk. */
  looks: Looks | null
  /**
   * Whether the service has refused the token of this command once. After this first refusal the command is sent again
   * at once with a new token.
   */
  isTokenRefused: boolean
  /**
   * The looks, or checks before an attempt, that have failed since the last look or check that could read the list.
   * Looks during the quiet time do not count.
   */
  failed: Failures | null
  /** The attempts that another program answered while other calls succeeded. */
  blocked: Failures | null
}

/** The pause of an unfinished check, as a multiple of `firstRetryMs`. */
const unfinishedPauses = 5
const latestFirstLookMs = 500
const slowestLookMs = 5 * 60_000
const mostFrequentLooks = 20
/** The operator is asked after this number of failed looks or checks. Looks during the quiet time do not count. */
const mostFailedChecks = 4

/**
 * Decides when each command may be sent, when a look for its effect is due, and when it must be checked. Keeps its
 * state only in memory, so after a restart everything starts again, also the quiet time.
 */
export class CommandWaits {
  readonly #clock: ClockPort
  readonly #startTicks: number
  readonly #pace: Pace
  readonly #quietMs: Milliseconds
  readonly #firstLookMs: Milliseconds
  readonly #username: () => string | null
  /** The pause of all commands. Its reason is the connection, the login, or too many calls. */
  readonly #all: Backoff
  /** The pause of all commands after an attempt that another program answered. It does not grow. */
  readonly #short: Backoff
  readonly #memories = new Map<CommandId, Memory>()
  /** The highest `lastTurn` that a command has got so far. */
  #lastTurn = 0

  /** `quietMs`: how long an ambiguous write may still arrive. `username`: returns the name of the signed-in user. */
  constructor(clock: ClockPort, pace: Pace, quietMs: Milliseconds, username: () => string | null) {
    this.#clock = clock
    this.#startTicks = clock.ticks()
    this.#pace = pace
    this.#quietMs = quietMs
    this.#firstLookMs = Math.min(latestFirstLookMs, quietMs / 4)
    this.#username = username
    this.#all = createBackoff(clock, pace.firstRetryMs, pace.slowestRetryMs)
    this.#short = createBackoff(clock, pace.firstRetryMs, pace.firstRetryMs)
  }

  /** Milliseconds until the pause of all commands ends. */
  allPausedMs(): Milliseconds {
    return Math.max(this.#all.waitMs(), this.#short.waitMs())
  }

  /** Pauses all commands. The reason that stopped this command would probably also stop every other command. */
  pauseAll(commandId: CommandId): void {
    this.#stayed(this.#remember(commandId))
    this.#all.failed()
  }

  /** Milliseconds until the pause of this command ends. The quiet time is not included. */
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

  /**
   * The commands for which an operator has asked (`putFirst`), and which have had no attempt and no look since then.
   */
  get first(): readonly CommandId[] {
    return [...this.#memories].filter(([, { lastTurn }]) => lastTurn === 0).map(([id]) => id)
  }

  /** Number of commands that stayed open after an attempt or a look. */
  get stayedCount(): number {
    return [...this.#memories.values()].filter(({ lastTurn }) => (lastTurn ?? 0) > 0).length
  }

  /**
   * Compares two commands by the order of their turns: first the commands for which an operator asks (`putFirst`), then
   * those without an attempt or a look since the start of the desk, then those whose last attempt or look is the
   * longest ago. Without this order, the oldest few commands could stop all others for ever, if the service never took
   * them. Returns 0 for two commands without an attempt or a look.
   */
  compareTurns(a: CommandId, b: CommandId): number {
    const turnOf = (id: CommandId): number => {
      const lastTurn = this.#memories.get(id)?.lastTurn ?? null
      return lastTurn === 0 ? -1 : (lastTurn ?? 0)
    }
    return turnOf(a) - turnOf(b)
  }

  /** Whether a queued command was never tried, or an operator asks for it (`putFirst`). */
  isFirst({ id, attempts }: Pick<CommandRow, 'id' | 'attempts'>): boolean {
    const lastTurn = this.#memories.get(id)?.lastTurn ?? null
    return lastTurn === null ? attempts === 0 : lastTurn === 0
  }

  /**
   * Whether an operator probably waits for a queued command: the command was never tried, and the user who is logged in
   * has requested it within `awaitedMs`; or an operator asks for it (`putFirst`).
   */
  isAwaited(command: CommandRow): boolean {
    const isNew = (): boolean => !this.#isOlderThan(awaitedMs, command) && this.#isOfUser(command)
    return this.isFirst(command) && (this.#memories.get(command.id)?.lastTurn === 0 || isNew())
  }

  /**
   * Makes this command the first one of `compareTurns`, and makes `isFirst` treat it like a command without an attempt.
   * Called when an operator asks for this command.
   */
  putFirst(commandId: CommandId): void {
    this.#remember(commandId).lastTurn = 0
  }

  /**
   * Pauses one command for a reason that concerns only this command, for example a list that the service does not
   * return. Each further pause of the command is longer than the one before, up to `slowestRetryMs`.
   */
  pause(commandId: CommandId): void {
    const { firstRetryMs, slowestRetryMs } = this.#pace
    const memory = this.#remember(commandId)
    this.#stayed(memory)
    memory.pause ??= createBackoff(this.#clock, firstRetryMs, slowestRetryMs)
    memory.pause.failed()
  }

  /**
   * Pauses one command whose check was not finished and continues next time. The pause has always the same length,
   * because such a check is not a failure.
   */
  pauseUnfinished(commandId: CommandId): void {
    const pauseMs = this.#pace.firstRetryMs * unfinishedPauses
    const memory = this.#remember(commandId)
    this.#stayed(memory)
    memory.pause = createBackoff(this.#clock, pauseMs, pauseMs)
    memory.pause.failed()
  }

  /**
   * Ends all pauses, because their reasons may no longer exist. The order of the commands does not change.
   * `keepsBlocked`: does not end the pause of a command that was blocked while other calls succeeded. Its reason is not
   * the connection or the login, so the return of these does not end it. Only the operator ends it (`putFirst`).
   */
  endPauses(keepsBlocked: boolean): void {
    this.#endPausesOfAll()
    for (const memory of this.#memories.values())
      if (!keepsBlocked || memory.lastTurn === 0 || (memory.blocked?.count ?? 0) === 0) memory.pause = null
  }

  #endPausesOfAll(): void {
    this.#all.reset()
    this.#short.reset()
  }

  /**
   * Removes the state of a command that has ended with a response of the service, and ends the pause of all commands.
   */
  ended(commandId: CommandId): void {
    this.#endPausesOfAll()
    this.forget(commandId)
  }

  /**
   * Removes what this object remembers about a command, with its own pause. Unlike `ended`, keeps the pause of all
   * commands, because the service has not responded to this command.
   */
  forget(commandId: CommandId): void {
    this.#memories.delete(commandId)
  }

  /** Notes an attempt that was certainly not applied. `isTokenRefused`: the service refused only the token. */
  notApplied(commandId: CommandId, isTokenRefused: boolean): void {
    const memory = this.#remember(commandId)
    memory.pause = null
    if (isTokenRefused && !memory.isTokenRefused) memory.isTokenRefused = true
    else this.pauseAll(commandId)
  }

  /**
   * Notes an attempt that another program answered, and that certainly was not applied, while the connection is good. A
   * firewall may block only this command, so only the pause of this command grows. All others wait for a short time, in
   * which another call tries the connection.
   */
  pauseBlocked(commandId: CommandId): void {
    this.pause(commandId)
    this.#short.failed()
  }

  /** Counts an attempt that another program answered while the connection is good, as `checkFailed` does. */
  countBlocked(commandId: CommandId, succeededTicks: number): void {
    const memory = this.#remember(commandId)
    memory.blocked = this.#counted(memory.blocked, succeededTicks)
  }

  /**
   * Whether other programs have responded to at least `mostFailedChecks` attempts of this command, in a time of at least
   * `failedChecksMs`. The operator must then be asked.
   */
  isBlockedForLong(commandId: CommandId): boolean {
    return this.#lastsLong(this.#memories.get(commandId)?.blocked ?? null)
  }

  /** Notes an ambiguous attempt. The quiet time and the looks begin. */
  ambiguous(commandId: CommandId): void {
    const memory = this.#remember(commandId)
    memory.pause = null
    // the failures were those of checks before this attempt
    memory.failed = null
    this.#stayed(memory)
    this.#beginLooks(commandId, 0)
  }

  /**
   * Whether the command must be checked: it is old or was created by another user, and it was not checked recently for
   * the user who is logged in.
   */
  hasWaited(command: CommandRow): boolean {
    const checked = this.#memories.get(command.id)?.checked ?? null
    if (checked !== null && this.#isRecent(checked) && checked.by === this.#username()) return false
    return this.isOld(command)
  }

  /** Whether the command is old or was created by another user than the one who is logged in. */
  isOld(command: Pick<CommandRow, 'createdAt' | 'madeBy'>): boolean {
    return this.#isOlderThan(this.#pace.waitedMs, command) || !this.#isOfUser(command)
  }

  #isOlderThan(ms: Milliseconds, { createdAt }: Pick<CommandRow, 'createdAt'>): boolean {
    // a creation time in the future also counts as old: the wall clock was set back
    return Math.abs(this.#clock.now() - createdAt) > ms
  }

  #isOfUser({ madeBy }: Pick<CommandRow, 'madeBy'>): boolean {
    return madeBy === null || madeBy === this.#username()
  }

  checked(commandId: CommandId): void {
    const [ticks, at] = [this.#clock.ticks(), this.#clock.now()]
    this.#remember(commandId).checked = { ticks, at, by: this.#username() }
  }

  /**
   * Whether a check was made within `waitedMs` by both clocks: the monotonic clock may stop while the PC sleeps, and
   * the wall clock may be set.
   */
  #isRecent({ ticks, at }: { readonly ticks: number; readonly at: Instant }): boolean {
    const passedMs = Math.max(this.#clock.ticks() - ticks, Math.abs(this.#clock.now() - at))
    return passedMs <= this.#pace.waitedMs
  }

  /**
   * Milliseconds left of the quiet time; 0 for a command without an ambiguous attempt. If a connection ends without a
   * response, its write may still arrive during the quiet time. Until then, a look that finds nothing proves nothing.
   */
  quietMs(command: Pick<CommandRow, 'id' | 'endedAt'>): Milliseconds {
    if (command.endedAt === null) return 0
    const looks = this.#memories.get(command.id)?.looks
    if (looks) return Math.max(0, Math.ceil(looks.sinceTicks + this.#quietMs - this.#clock.ticks()))
    return this.#quietMs - this.#passedMs(command.endedAt)
  }

  /**
   * Milliseconds until the next look for this command. The intervals between looks increase from less than a second to
   * a few minutes.
   */
  nextLookMs(command: Pick<CommandRow, 'id' | 'endedAt'>): Milliseconds {
    const looks = this.#memories.get(command.id)?.looks
    if (looks) return Math.max(0, Math.ceil(looks.nextTicks - this.#clock.ticks()))
    this.#beginLooks(command.id, command.endedAt === null ? 0 : this.#passedMs(command.endedAt))
    return this.#firstLookMs
  }

  /**
   * Notes that a look begins. The interval to the next look becomes longer each time. One look always follows right
   * after the end of the quiet time.
   */
  looked(command: Pick<CommandRow, 'id' | 'endedAt'>): void {
    const memory = this.#memories.get(command.id)
    const looks = memory?.looks
    if (!looks) return
    this.#stayed(memory)
    looks.count++
    const doubled = this.#firstLookMs * 2 ** looks.count
    const pause = looks.count > mostFrequentLooks ? slowestLookMs : Math.min(doubled, this.#quietMs)
    const leftMs = this.quietMs(command)
    looks.nextTicks = this.#clock.ticks() + (leftMs > 0 ? Math.min(pause, leftMs + 1) : pause)
  }

  /**
   * Whether the desk must look a second time before it adopts a record that may be from another desk. This desk has not
   * requested the label yet, but another desk requests its label soon after the creation. So if the label is requested
   * at the second look, the record is from another desk. The second look follows after a thirtieth of the quiet time.
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

  /**
   * Counts a failed look or check, and the time since the one before. `succeededTicks`: when another call last
   * succeeded (monotonic clock). The failure does not count if no other call has succeeded since the last counted
   * failure, because the whole service may fail. Null: the service has certainly responded, so the failure counts.
   * Returns whether this failure or an earlier one counts.
   */
  checkFailed(commandId: CommandId, succeededTicks: number | null): boolean {
    const memory = this.#remember(commandId)
    memory.failed = this.#counted(memory.failed, succeededTicks)
    return memory.failed.count > 0
  }

  /** Adds a failure to the earlier ones, if it counts (`checkFailed`). */
  #counted(earlier: Failures | null, succeededTicks: number | null): Failures {
    const ticks = this.#clock.ticks()
    const failures = earlier ?? { count: 0, ms: 0, untilTicks: ticks, lastTicks: ticks }
    const isFirst = earlier === null
    if (succeededTicks !== null && (isFirst || succeededTicks <= failures.untilTicks)) return failures
    failures.count++
    // no attempts are made without a login or while the PC sleeps, so only a part of a long interval counts
    failures.ms += Math.min(ticks - failures.untilTicks, this.#pace.failedChecksMs / mostFailedChecks)
    failures.untilTicks = ticks
    failures.lastTicks = ticks
    return failures
  }

  #lastsLong(failures: Failures | null): boolean {
    if (failures === null) return false
    return failures.count >= mostFailedChecks && failures.ms >= this.#pace.failedChecksMs
  }

  /**
   * Notes that a look or check failed because of the connection or the login. The time until now then does not count as
   * time in which the looks or checks of the command fail.
   */
  wasDisconnected(commandId: CommandId): void {
    const failed = this.#memories.get(commandId)?.failed
    if (failed) failed.untilTicks = this.#clock.ticks()
  }

  /** Whether at least `mostFailedChecks` looks or checks have failed. */
  hasFailedOften(commandId: CommandId): boolean {
    return (this.#memories.get(commandId)?.failed?.count ?? 0) >= mostFailedChecks
  }

  /** Whether the looks or checks have failed so often and for so long that the operator must be asked. */
  hasFailedForLong(commandId: CommandId): boolean {
    return this.#lastsLong(this.#memories.get(commandId)?.failed ?? null)
  }

  /**
   * Whether the looks or checks have failed so often and for so long, the last time within `failedChecksMs`. An older
   * failure may have ended meanwhile, because no checks are made while the operator is asked.
   */
  failsForLong(commandId: CommandId): boolean {
    const lastTicks = this.#memories.get(commandId)?.failed?.lastTicks ?? -Infinity
    return this.hasFailedForLong(commandId) && this.#clock.ticks() - lastTicks <= this.#pace.failedChecksMs
  }

  /** Forgets the failed looks and checks, because a list was readable. */
  wasReadable(commandId: CommandId): void {
    const memory = this.#memories.get(commandId)
    if (memory) memory.failed = null
  }

  /** Makes the next look of this command due now. Null: the next looks of all commands. */
  lookNow(commandId: CommandId | null = null): void {
    for (const [id, { looks }] of this.#memories)
      if (looks && (commandId === null || id === commandId)) looks.nextTicks = this.#clock.ticks()
  }

  /** Begins the looks of a command. `passedMs`: the part of the quiet time that has already passed. */
  #beginLooks(commandId: CommandId, passedMs: Milliseconds): void {
    const ticks = this.#clock.ticks()
    const nextTicks = ticks + this.#firstLookMs
    this.#remember(commandId).looks = { sinceTicks: ticks - passedMs, count: 0, nextTicks, seenTicks: null }
  }

  /**
   * Milliseconds of the quiet time that have passed for a command without looks. The time before the start of the desk
   * does not count, because the wall clock may have been corrected during the restart. If the wall clock was set back
   * later, fewer milliseconds count. In both cases the wait becomes longer, never shorter.
   */
  #passedMs(endedAt: Instant): Milliseconds {
    const byWallClock = Math.max(0, this.#clock.now() - endedAt)
    return Math.min(this.#quietMs, byWallClock, this.#clock.ticks() - this.#startTicks)
  }

  #stayed(memory: Memory): void {
    memory.lastTurn = ++this.#lastTurn
  }

  #remember(commandId: CommandId): Memory {
    const known = this.#memories.get(commandId)
    if (known) return known
    const memory: Memory = {
      checked: null,
      pause: null,
      lastTurn: null,
      looks: null,
      isTokenRefused: false,
      failed: null,
      blocked: null,
    }
    this.#memories.set(commandId, memory)
    return memory
  }
}
