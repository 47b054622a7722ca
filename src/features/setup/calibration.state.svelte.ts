import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { CalibrationFailure, CalibrationResult } from '#shared/domain/wedge/calibration.ts'
import type { ScannerProfile } from '#shared/domain/wedge/scanner-profile.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/**
 * Starts to pass the result of each calibration scan to `onScan`: the profile, or why the scan cannot be used. The
 * returned function ends this.
 */
type Record = (onScan: (result: CalibrationResult) => void) => () => void

/** The typing profile of this computer's keyboard scanner, and the calibration scan that determines it. */
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

  /** The profile of the keyboard scanner. Null: not calibrated, so the scanner is read with its factory settings. */
  get profile(): ScannerProfile | null {
    return this.#profile
  }
  /** Whether the next scan must be the calibration barcode. */
  get isListening(): boolean {
    return this.#isListening
  }
  /** Why the last scan of this recording could not be used; null if there was no scan or the scan was usable. */
  get refused(): CalibrationFailure | null {
    return this.#refused
  }
  get failure(): Failure | null {
    return this.#failure
  }
  /** Whether the shown profile is the result of a calibration on this visit. */
  get isJustLearned(): boolean {
    return this.#isJustLearned
  }

  /**
   * @param record - passes the calibration result of each scan to a function. Meanwhile the window does not handle the
   * scans.
   */
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

  /** Ends the recording. Keys are handled as usual again. */
  end(): void {
    this.#stop()
    this.#stop = () => undefined
    this.#isListening = false
    this.#refused = null
  }

  /** Removes the profile. The scanner is then read with its factory settings again. */
  async forget(): Promise<void> {
    await this.#save(null)
  }

  async #take(result: CalibrationResult): Promise<void> {
    if (!this.#isListening) return
    if (result.kind === 'failed') {
      this.#refused = result.why
      return
    }
    this.#refused = null
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
