import { type CalibrationResult, learnProfile, type TimedStroke } from './calibration.ts'
import { burstGapMs, gapsOf, literalStroke, median, strokeOf, type WedgeKey } from './stroke.ts'
import type { ScannerProfile } from './scanner-profile.ts'

const modifierKeys = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'NumLock', 'Fn'])
/** Keys that move the focus or the view; no scanner sends them. */
const wayKeys = /^(Escape|Arrow|Home|End|Page)/

/** Maximum number of keys that are recorded: several times the keys of a calibration barcode with prefix and suffix. */
const mostStrokes = 8000

/** Records every key of one scan of a calibration barcode, including keys that type nothing. */
export class StrokeRecorder {
  #typed: TimedStroke[] = []
  #terminator: ScannerProfile['terminator'] = null
  #altDigits = ''
  #altTimeStampMs = 0
  #hadCapsLock = false

  /** Records a key. Returns true if the key was recorded and must not reach anything else. */
  feed(key: WedgeKey): boolean {
    if (key.composing || key.repeat) return false
    if (key.alt && !key.altGraph && /^Numpad\d$/.test(key.code)) {
      this.#altDigits += key.code.slice(-1)
      this.#altTimeStampMs = key.timeStampMs
      return true
    }
    if (modifierKeys.has(key.key)) {
      if (key.key === 'Alt') this.#endAltCode()
      return false
    }
    this.#endAltCode()
    if (wayKeys.test(key.key)) return false
    if (key.key === 'Enter' || key.key === 'Tab') {
      if (this.#typed.length === 0) return false
      this.#terminator ??= key.key
      return true
    }
    const stroke = strokeOf(key, true) ?? { id: key.code, us: null, host: null }
    if (stroke.id === '' && stroke.us === null) return false
    this.#hadCapsLock ||= key.capsLock
    this.#take({ stroke, timeStampMs: key.timeStampMs })
    return true
  }

  /**
   * Returns the result of the keys since the last call and starts a new recording; null if no keys, or only a few typed
   * keys, were recorded.
   */
  finish(): CalibrationResult | null {
    this.#endAltCode()
    const typed = this.#typed
    const terminator = this.#terminator
    const hadCapsLock = this.#hadCapsLock
    this.#typed = []
    this.#terminator = null
    this.#hadCapsLock = false
    const isHand = typed.length < 3 || (typed.length < 20 && median(gapsOf(typed)) > burstGapMs)
    if (isHand) return null
    // some scanners invert their letters while Caps Lock is on, so a profile that is learnt in this state is wrong
    // without Caps Lock
    if (hadCapsLock) return { kind: 'failed', why: 'caps_lock' }
    return learnProfile(typed, terminator)
  }

  #take(typed: TimedStroke): void {
    // further keys are not recorded, because a scan with more keys than the maximum is invalid
    if (this.#typed.length < mostStrokes) this.#typed.push(typed)
  }

  #endAltCode(): void {
    const code = Number(this.#altDigits)
    if (this.#altDigits !== '' && code > 0 && code < 127) {
      const stroke = literalStroke(String.fromCharCode(code))
      this.#take({ stroke, timeStampMs: this.#altTimeStampMs })
    }
    this.#altDigits = ''
  }
}
