import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { Closing } from '#shared/bridge/views.ts'
import type { Command } from '#shared/domain/commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Sound } from '#scanner/sound.ts'

/** The act about which the operator is asked: to log out, to use another station, or to close the window. */
export type Leaving = 'logout' | 'station' | 'close'

interface Question {
  readonly leaving: Leaving
  readonly unsent: Closing
  /** Whether the act is a logout during an outage. Then no login is possible until the connection is back. */
  readonly locksOut: boolean
  readonly go: () => void
}

export interface LeaveDeps {
  readonly bridge: ScandeskBridge
  readonly play: (sound: Sound) => void
  /** Whether the desk has no connection to the service. */
  readonly isOffline: () => boolean
}

/** Functions for the scans that wait until the operator has answered the question whether to leave. */
interface WaitingScans {
  /**
   * Writes the scans to the journal in their order, including those that arrive meanwhile. Stops at the first scan that
   * the journal refuses and returns the reason; this scan and all later ones keep waiting. Returns null after the last
   * scan.
   */
  readonly writeDown: () => Promise<Failure | null>
  /** Lets the queue of scans handle the waiting scans, after the operator has answered the question. */
  readonly release: () => void
}

/**
 * Asks before the operator leaves with unsent work, or logs out while the desk is offline. Scans that arrive while the
 * question is open wait in the queue of scans.
 */
export class LeaveState {
  readonly #deps: LeaveDeps
  #question = $state.raw<Question | null>(null)
  /** Number of scans that wait for the operator's answer. The queue of scans sets this number. */
  heldScans = $state(0)
  /** A command that was scanned while the question whether to leave was open, and was not run. */
  #refused = $state<Command | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #scans: WaitingScans = { writeDown: () => Promise.resolve(null), release: () => undefined }
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
  /** Whether no login is possible after the logout until the connection is back. */
  get locksOut(): boolean {
    return this.#question?.locksOut ?? false
  }
  /** Whether the operator has decided to leave, and the waiting scans are still being written to the journal. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }
  get refused(): Command | null {
    return this.#refused
  }
  /**
   * The failure because of which the operator did not leave: a waiting scan could not be saved. Null: there was no such
   * failure.
   */
  get failure(): Failure | null {
    return this.#failure
  }

  /** Sets the queue in which scans wait while the question whether to leave (see `Leaving`) is open. */
  holdIn(scans: WaitingScans): void {
    this.#scans = scans
  }

  /**
   * If writes are unsent, asks the operator whether to leave; otherwise leaves at once. Always asks before a logout
   * while the desk is offline: a login needs the connection, so no operator could log in for the rest of the outage. A
   * later question replaces an open question.
   */
  ask(leaving: Leaving, unsent: Closing, go: () => void): void {
    const locksOut = leaving === 'logout' && this.#deps.isOffline()
    if (unsent.waiting + unsent.asking === 0 && !locksOut) {
      go()
      return
    }
    this.#question = { leaving, unsent, locksOut, go }
    this.#refused = null
    this.#failure = null
    this.#deps.play('decide')
  }

  /**
   * Handles a scan while the question whether to leave is open. `command` is null for a scan that does not count as a
   * command. If the scan does not answer the question, plays the sound of a question again, as a sign that the scan is
   * not saved yet.
   */
  answer(command: Command | null): void {
    if (command === 'HOME' || command === 'NO') this.stay()
    else if (command === 'YES') void this.leave()
    else {
      // the command is refused, because it would act on the place behind the dialog, and that place may be closed after
      // the answer
      this.#refused = command
      this.#deps.play('decide')
    }
  }

  stay(): void {
    if (this.#isLeaving) return
    this.#question = null
    this.#scans.release()
  }

  /**
   * Carries out the act about which the operator was asked (see `Leaving`). Before the act, the waiting scans are
   * written to the journal in their order, including scans that arrive during the writing. If a scan cannot be saved,
   * the act is not carried out, because no operator would handle the scan later. The question then stays open and shows
   * the reason.
   */
  async leave(): Promise<void> {
    const question = this.#question
    if (!question || this.#isLeaving) return
    this.#isLeaving = true
    this.#failure = await this.#scans.writeDown()
    this.#isLeaving = false
    if (this.#failure !== null) {
      this.#deps.play('stop')
      return
    }
    // if another question has replaced the answered question, it stays open
    if (this.#question === question) this.#question = null
    question.go()
    this.#scans.release()
  }
}
