import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { Closing } from '#shared/bridge/views.ts'
import { parseCommand } from '#shared/domain/commands.ts'
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

/** Asks before somebody leaves with unsent work. What is scanned meanwhile is handled after the answer. */
export class LeaveState {
  readonly #deps: LeaveDeps
  #question = $state.raw<Question | null>(null)
  #held = $state.raw<readonly string[]>([])
  #replay: (raw: string) => void = () => undefined

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

  /** Where held scans go once the operator stays. */
  replayTo(route: (raw: string) => void): void {
    this.#replay = route
  }

  /** Asks only where something is unsent; else leaves at once. A later question takes the place of an open one. */
  ask(leaving: Leaving, unsent: Closing, go: () => void): void {
    if (unsent.waiting + unsent.asking === 0) {
      go()
      return
    }
    this.#question = { leaving, unsent, go }
    this.#deps.play('decide')
  }

  /** A scan while the question is open. It sounds as a question, because nothing of it is saved yet. */
  hold(raw: string): void {
    const command = parseCommand(raw)
    if (command === 'HOME') {
      this.stay()
      return
    }
    // a command means what stands behind the question, which may be gone after it
    if (command === null) this.#held = [...this.#held, raw]
    this.#deps.play('decide')
  }

  stay(): void {
    const held = this.#close()
    for (const raw of held) this.#replay(raw)
  }

  /** Leaves; what was scanned meanwhile is written down first. */
  async leave(): Promise<void> {
    const go = this.#question?.go
    const held = this.#close()
    for (const raw of held) await this.#deps.bridge.scan.submit({ raw, expect: 'anything' })
    go?.()
  }

  #close(): readonly string[] {
    const held = this.#held
    this.#question = null
    this.#held = []
    return held
  }
}
