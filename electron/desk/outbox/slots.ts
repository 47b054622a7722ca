import type { CommandId } from '#shared/domain/ids.ts'

/** Maximum number of commands that are sent or looked up at the same time. */
export const mostAtOnce = 4
/**
 * Maximum number of repeated attempts and of looks at the same time. The other slot stays free for commands without an
 * attempt, because a call takes up to 20 seconds if the service or the carrier does not respond.
 */
const mostRepeated = mostAtOnce - 1

/** A command that may be sent or looked up now. */
export interface Due {
  readonly id: CommandId
  /** Whether the command is looked up, or sent again after an earlier attempt. */
  readonly isRepeated: boolean
  /** Whether an operator has just asked for the command (`CommandWaits.isAwaited`). */
  readonly isAwaited: boolean
  /** Sends the command or looks for its effect. Never rejects. */
  readonly run: () => Promise<void>
}

/** Decides which commands are sent and looked up at the same time. */
export class Slots {
  readonly #onFree: () => void
  readonly #running = new Map<CommandId, Pick<Due, 'isRepeated' | 'isAwaited'> & { ended: Promise<void> }>()

  /** `onFree`: called whenever a command has ended. */
  constructor(onFree: () => void) {
    this.#onFree = onFree
  }

  isRunning(commandId: CommandId): boolean {
    return this.#running.has(commandId)
  }

  /**
   * Starts commands in the given order while slots are free. Commands without an attempt start first, but leave a slot
   * for repeated attempts and looks. If no awaited command is running, the first awaited one starts before the others,
   * because after a long outage hundreds of older commands may be due.
   */
  fill(due: readonly Due[]): void {
    const repeated = due.filter(({ isRepeated }) => isRepeated)
    const first = due.filter(({ isRepeated }) => !isRepeated)
    const awaited = this.#isAwaitedRunning ? null : first.find(({ isAwaited }) => isAwaited)
    for (const one of awaited ? [awaited, ...first.filter((each) => each !== awaited)] : first) {
      const kept = repeated.length > 0 && this.#repeatedCount === 0 ? 1 : 0
      if (this.#running.size + kept < mostAtOnce) this.#start(one)
    }
    for (const one of repeated)
      if (this.#running.size < mostAtOnce && this.#repeatedCount < mostRepeated) this.#start(one)
  }

  /** Resolves when all commands that are running now have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  get #repeatedCount(): number {
    return [...this.#running.values()].filter(({ isRepeated }) => isRepeated).length
  }

  get #isAwaitedRunning(): boolean {
    return [...this.#running.values()].some(({ isAwaited }) => isAwaited)
  }

  #start({ id, isRepeated, isAwaited, run }: Due): void {
    const ended = run().finally(() => {
      this.#running.delete(id)
      this.#onFree()
    })
    this.#running.set(id, { isRepeated, isAwaited, ended })
  }
}
