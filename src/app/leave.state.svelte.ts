import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { Closing } from '#shared/bridge/views.ts'
import type { Command } from '#shared/domain/commands.ts'
import type { Sound } from '#scanner/sound.ts'

/** How somebody is about to leave what waits behind. */
export type Leaving = 'logout' | 'station' | 'close'

interface Question {
  readonly leaving: Leaving
  readonly unsent: Closing
  readonly go: () => void
}

export interface LeaveDeps {
  readonly bridge: ScandeskBridge
  readonly play: (sound: Sound) => void
}

/** The scans that wait behind a question. */
interface WaitingScans {
  /** Writes them down in their order, and those that come meanwhile. */
  readonly writeDown: () => Promise<void>
  /** The question is answered: they may have their turn. */
  readonly release: () => void
}

/** Asks before somebody leaves with unsent work. What is scanned meanwhile waits in the line for the answer. */
export class LeaveState {
  readonly #deps: LeaveDeps
  #question = $state.raw<Question | null>(null)
  /** How many scans wait for the answer; the line of scans counts them. */
  heldScans = $state(0)
  /** A command that was scanned while the question stood: it was not done. */
  #refused = $state<Command | null>(null)
  #scans: WaitingScans = { writeDown: () => Promise.resolve(), release: () => undefined }
  #isLeaving = false

  constructor(deps: LeaveDeps) {
    this.#deps = deps
  }

  get leaving(): Leaving | null {
    return this.#question?.leaving ?? null
  }
  get unsent(): Closing {
    return this.#question?.unsent ?? { waiting: 0, asking: 0 }
  }
  /** The operator leaves: what waits is being written down. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }
  get refused(): Command | null {
    return this.#refused
  }

  /** The line in which scans wait for the answer. */
  holdIn(scans: WaitingScans): void {
    this.#scans = scans
  }

  /** Asks only where something is unsent; else leaves at once. A later question takes the place of an open one. */
  ask(leaving: Leaving, unsent: Closing, go: () => void): void {
    if (unsent.waiting + unsent.asking === 0) {
      go()
      return
    }
    this.#question = { leaving, unsent, go }
    this.#refused = null
    this.#deps.play('decide')
  }

  /**
   * A scan while the question is open: a command, or null for any other. It sounds as a question, because nothing of it is
   * saved yet.
   */
  answer(command: Command | null): void {
    if (command === 'HOME' || command === 'NO') this.stay()
    else if (command === 'YES') void this.leave()
    else {
      // a command means what stands behind the question, which may be gone after it
      this.#refused = command
      this.#deps.play('decide')
    }
  }

  stay(): void {
    if (this.#isLeaving) return
    this.#question = null
    this.#scans.release()
  }

  /** Leaves; what was scanned meanwhile is written down first, in its order, also while that goes on. */
  async leave(): Promise<void> {
    const question = this.#question
    if (!question || this.#isLeaving) return
    this.#isLeaving = true
    await this.#scans.writeDown()
    this.#isLeaving = false
    // another one may stand in its place by now
    if (this.#question === question) this.#question = null
    question.go()
    this.#scans.release()
  }
}
