import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { CalibrationFailure, CalibrationResult } from '#shared/domain/wedge/calibration.ts'
import type { ScannerProfile } from '#shared/domain/wedge/scanner-profile.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/** Takes down the keys of each scan until the function that it returns is called. */
type Record = (onScan: (result: CalibrationResult) => void) => () => void

/** How the keyboard scanner of this computer types, and the one scan that tells. */
export class CalibrationState {
  readonly #bridge: ScandeskBridge
  #record: Record = () => () => undefined
  #profile = $state.raw<ScannerProfile | null>(null)
  #isListening = $state(false)
  #refused = $state<CalibrationFailure | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #isJustLearned = $state(false)
  #stop: () => void = () => undefined

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /** Null: not calibrated; then scanners are read as they leave the factory. */
  get profile(): ScannerProfile | null {
    return this.#profile
  }
  /** The next scan is the calibration barcode. */
  get isListening(): boolean {
    return this.#isListening
  }
  /** Why the last scan taught nothing; null before one, and after one that did. */
  get refused(): CalibrationFailure | null {
    return this.#refused
  }
  get failure(): Failure | null {
    return this.#failure
  }
  /** The profile is of the scan just made. */
  get isJustLearned(): boolean {
    return this.#isJustLearned
  }

  /** @param record - of the window's own capture, which gives the keys away while it records. */
  recordWith(record: Record): void {
    this.#record = record
  }

  async load(): Promise<void> {
    const read = await this.#bridge.keyboardScanner.profile()
    if (read.ok) this.#profile = read.value
    else this.#failure = read.error
  }

  begin(): void {
    this.#stop()
    this.#refused = null
    this.#failure = null
    this.#isJustLearned = false
    this.#isListening = true
    this.#stop = this.#record((result) => void this.#take(result))
  }

  /** Keys are a hand's again. */
  end(): void {
    this.#stop()
    this.#stop = () => undefined
    this.#isListening = false
    this.#refused = null
  }

  /** Scanners are read as they leave the factory again. */
  async forget(): Promise<void> {
    await this.#save(null)
  }

  async #take(result: CalibrationResult): Promise<void> {
    if (!this.#isListening) return
    if (result.kind === 'failed') {
      this.#refused = result.why
      return
    }
    if (await this.#save(result.profile)) {
      this.end()
      this.#isJustLearned = true
    }
  }

  async #save(profile: ScannerProfile | null): Promise<boolean> {
    const saved = await this.#bridge.keyboardScanner.save({ profile })
    this.#failure = saved.ok ? null : saved.error
    if (saved.ok) this.#profile = saved.value
    this.#isJustLearned = false
    return saved.ok
  }
}
