import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { SpeedView } from '#shared/bridge/speed-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

const readEveryMs = 2_000

/** The durations that main has measured today. */
export class SpeedState {
  readonly #bridge: ScandeskBridge
  #view = $state.raw<SpeedView | null>(null)
  #failure = $state.raw<Failure | null>(null)

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /** The measured durations; null until they are read. */
  get view(): SpeedView | null {
    return this.#view
  }
  get failure(): Failure | null {
    return this.#failure
  }
  /** Whether nothing was measured today. */
  get isEmpty(): boolean {
    return this.#view?.rows.every(({ count }) => count === 0) ?? false
  }

  /** Reads the durations now and every two seconds, until the returned function is called. */
  follow(): () => void {
    void this.#read()
    const timer = setInterval(() => void this.#read(), readEveryMs)
    return () => {
      clearInterval(timer)
    }
  }

  async #read(): Promise<void> {
    const result = await this.#bridge.speed.today()
    if (result.ok) this.#view = result.value
    this.#failure = result.ok ? null : result.error
  }
}
