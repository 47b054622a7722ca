import { stationCommand } from '#bridge/station-commands.svelte.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { HeardScan } from '#shared/domain/scan-burst.ts'
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

/** The scans of the window, as far as a question stands before them. */
interface HeldScans {
  /** Where held scans go once the operator stays. */
  readonly route: (scan: HeardScan) => void
  /** Those that came before the question and were not looked at yet. */
  readonly take: () => readonly HeardScan[]
  /** The question is answered. */
  readonly release: () => void
}

/** Asks before somebody leaves with unsent work. What is scanned meanwhile is handled after the answer. */
export class LeaveState {
  readonly #deps: LeaveDeps
  #question = $state.raw<Question | null>(null)
  #held = $state.raw<readonly HeardScan[]>([])
  /** A command that was scanned while the question stood: it was not done. */
  #refused = $state<Command | null>(null)
  #scans: HeldScans = { route: () => undefined, take: () => [], release: () => undefined }
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
  get heldScans(): number {
    return this.#held.length
  }
  get refused(): Command | null {
    return this.#refused
  }

  replayTo(scans: HeldScans): void {
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

  /** A scan while the question is open. It sounds as a question, because nothing of it is saved yet. */
  hold(scan: HeardScan): void {
    // a command in one burst with another code is no answer; its turn comes later, and says so
    const command = scan.inBurst ? null : stationCommand(scan.raw)
    if (command === 'HOME' || command === 'NO') {
      this.stay()
      return
    }
    if (command === 'YES') {
      void this.leave()
      return
    }
    // a command means what stands behind the question, which may be gone after it
    this.#refused = command
    if (command === null) this.#held = [...this.#held, scan]
    this.#deps.play('decide')
  }

  stay(): void {
    if (this.#isLeaving) return
    this.#question = null
    const held = this.#held
    this.#held = []
    this.#scans.release()
    for (const scan of held) this.#scans.route(scan)
  }

  /** Leaves; what was scanned meanwhile is written down first, in its order, also while that goes on. */
  async leave(): Promise<void> {
    const question = this.#question
    if (!question || this.#isLeaving) return
    this.#isLeaving = true
    this.#held = [...this.#scans.take(), ...this.#held]
    for (let scan = this.#held[0]; scan !== undefined; scan = this.#held[0]) {
      await this.#deps.bridge.scan.submit({ raw: scan.raw, expect: 'anything' })
      this.#held = this.#held.slice(1)
    }
    this.#isLeaving = false
    // another one may stand in its place by now
    if (this.#question === question) this.#question = null
    question.go()
    this.#scans.release()
  }
}
