import type { ClockPort } from '../ports/clock.ts'
import type { CommandRow } from '../ports/commands.ts'

/** Which writes have waited, so that the world may have changed since somebody asked for them. */
export class Freshness {
  readonly #clock: ClockPort
  readonly #waitedMs: number
  readonly #username: () => string | null
  /** When it was last checked, or an operator last said that it should go. */
  readonly #checkedTicks = new Map<string, number>()

  constructor(clock: ClockPort, waitedMs: number, username: () => string | null) {
    this.#clock = clock
    this.#waitedMs = waitedMs
    this.#username = username
  }

  /** It was made long ago, or by somebody who is no longer here, and nobody has checked it since. */
  hasWaited({ id, createdAt, madeBy }: CommandRow): boolean {
    const checked = this.#checkedTicks.get(id)
    if (checked !== undefined && this.#clock.ticks() - checked <= this.#waitedMs) return false
    // a wall clock that was set says nothing about now
    const isOld = Math.abs(this.#clock.now() - createdAt) > this.#waitedMs
    return isOld || (madeBy !== null && madeBy !== this.#username())
  }

  checked(commandId: string): void {
    this.#checkedTicks.set(commandId, this.#clock.ticks())
  }

  forget(commandId: string): void {
    this.#checkedTicks.delete(commandId)
  }
}
