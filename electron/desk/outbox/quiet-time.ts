import type { ClockPort } from '../ports/clock.ts'
import type { CommandRow } from '../ports/commands.ts'

const latestFirstLookMs = 500
const slowestLookMs = 5 * 60_000
const mostFrequentLooks = 20

interface Watch {
  readonly sinceTicks: number
  looks: number
  nextLookTicks: number
  /** When something that may be it was first seen. */
  seenTicks: number | null
}

/**
 * A write whose connection ended without an answer may still arrive at the service for a while. Until that time has
 * passed, not finding it proves nothing. Counted on the monotonic clock; only over a restart by the wall clock.
 */
export class QuietTime {
  readonly #clock: ClockPort
  readonly #quietMs: number
  readonly #firstLookMs: number
  readonly #watches = new Map<string, Watch>()

  constructor(clock: ClockPort, quietMs: number) {
    this.#clock = clock
    this.#quietMs = quietMs
    this.#firstLookMs = Math.min(latestFirstLookMs, quietMs / 4)
  }

  /** `passedMs`: how much of it is over already, after a restart. */
  begin(commandId: string, passedMs = 0): void {
    const ticks = this.#clock.ticks()
    const sinceTicks = ticks - passedMs
    const nextLookTicks = ticks + this.#firstLookMs
    this.#watches.set(commandId, { sinceTicks, looks: 0, nextLookTicks, seenTicks: null })
  }

  forget(commandId: string): void {
    this.#watches.delete(commandId)
  }

  /** Milliseconds until not finding it means something; 0 too for a command that never was ambiguous. */
  leftMs(command: Pick<CommandRow, 'id' | 'endedAt'>): number {
    if (command.endedAt === null) return 0
    const watch = this.#watches.get(command.id)
    if (watch) return Math.max(0, Math.ceil(watch.sinceTicks + this.#quietMs - this.#clock.ticks()))
    return this.#quietMs - this.#passedMs(command.endedAt)
  }

  /** By the wall clock, at most the whole time. A clock that was set back makes the wait longer, never shorter. */
  #passedMs(endedAt: number): number {
    return Math.min(this.#quietMs, Math.max(0, this.#clock.now() - endedAt))
  }

  /** Milliseconds until the next look is due: often at first, every few minutes later on. */
  nextLookMs(command: CommandRow): number {
    const watch = this.#watches.get(command.id)
    if (watch) return Math.max(0, Math.ceil(watch.nextLookTicks - this.#clock.ticks()))
    this.begin(command.id, command.endedAt === null ? 0 : this.#passedMs(command.endedAt))
    return this.#firstLookMs
  }

  /** A look begins. The next is due later and later, and always when the quiet time ends. */
  looked(command: CommandRow): void {
    const watch = this.#watches.get(command.id)
    if (!watch) return
    watch.looks++
    const doubled = this.#firstLookMs * 2 ** watch.looks
    const pause = watch.looks > mostFrequentLooks ? slowestLookMs : Math.min(doubled, this.#quietMs)
    const leftMs = this.leftMs(command)
    watch.nextLookTicks = this.#clock.ticks() + (leftMs > 0 ? Math.min(pause, leftMs + 1) : pause)
  }

  /**
   * Whether something that another desk may have made is to be looked at once more before it is taken for ours: a desk
   * requests its label right after it was made, and then it is known to be another's. A thirtieth of the quiet time later.
   */
  isToBeSeenAgain(commandId: string): boolean {
    const watch = this.#watches.get(commandId)
    if (!watch) return false
    const ticks = this.#clock.ticks()
    watch.seenTicks ??= ticks
    const dueTicks = watch.seenTicks + this.#quietMs / 30
    if (ticks >= dueTicks) return false
    watch.nextLookTicks = dueTicks
    return true
  }

  /** No reason to wait for the next look of this one, or of any. */
  lookNow(commandId: string | null = null): void {
    for (const [id, watch] of this.#watches)
      if (commandId === null || id === commandId) watch.nextLookTicks = this.#clock.ticks()
  }
}
