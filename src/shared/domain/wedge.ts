import { commandPrefix } from './commands.ts'
import { hasValidCheckDigit } from './check-digit.ts'
import { parseReference } from './references.ts'

/** One keydown, as the decoder needs it. `timeStampMs` is the event's own time stamp: the clock lies under load. */
export interface WedgeKey {
  readonly key: string
  readonly code: string
  readonly timeStampMs: number
  readonly ctrl: boolean
  readonly alt: boolean
  readonly meta: boolean
  /** AltGr is ctrl and alt at once, and types a character all the same. */
  readonly altGraph: boolean
  readonly shift: boolean
  readonly repeat: boolean
  readonly composing: boolean
  /** `secret`: a password field, where only an unmistakable burst counts as a scan. */
  readonly field: 'none' | 'text' | 'secret'
}

export type WedgeDecision<Snapshot> =
  /** Not part of any scan: leave the key alone. */
  | { readonly kind: 'ignore' }
  /** May be part of a scan. `burst`: follows another character faster than a hand. */
  | { readonly kind: 'character'; readonly burst: boolean }
  /** The terminator of a scan: swallow the key, put back what the field had. */
  | { readonly kind: 'scan'; readonly text: string; readonly restore: Snapshot | null }
  /** A terminator nobody typed (CR after LF, or after too short a burst): swallow it, nothing else. */
  | { readonly kind: 'swallow' }

interface Character<Snapshot> {
  readonly text: string
  readonly timeStampMs: number
  readonly snapshot: Snapshot | null
}

/** A longer pause ends whatever was being read. Wireless scanners hiccup by 100 ms and more. */
const maxGapMs = 250
/** No hand keeps this pace over several keys; every USB scanner left on its defaults does. */
const burstGapMs = 35
/** The slowest scanners, told from a typist by their even pace and by what they sent. */
const slowGapMs = 100
const minLength = 3
const maxLength = 8000

const groupSeparator = '\x1d'
const modifierKeys = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'NumLock', 'Fn'])
const terminators = new Set(['Enter', 'Tab'])

/**
 * Tells a keyboard-wedge scanner from a hand. Feed it every keydown; it answers what to do with that key. It keeps
 * no clock and no timer, so a scan is never split because the machine was busy. Scanners must end with Enter or Tab.
 * `snapshot` is called where a scan may begin; what it returned comes back in `restore` if one did.
 */
export class WedgeDecoder<Snapshot> {
  #characters: Character<Snapshot>[] = []
  #altDigits = ''
  #altTimeStampMs = 0
  #scanEndedAtMs = Number.NEGATIVE_INFINITY

  feed(key: WedgeKey, snapshot: () => Snapshot): WedgeDecision<Snapshot> {
    if (key.composing) return { kind: 'ignore' }
    if (key.alt && !key.altGraph && /^Numpad\d$/.test(key.code)) return this.#altDigit(key)
    if (modifierKeys.has(key.key)) return { kind: 'ignore' }
    this.#endAltCode(snapshot)
    if (terminators.has(key.key)) return this.#terminator(key)
    const text = characterOf(key)
    if (text === null || key.repeat) {
      this.reset()
      return { kind: 'ignore' }
    }
    return { kind: 'character', burst: this.#push(text, key.timeStampMs, snapshot) }
  }

  /** Forgets what was being read, for instance when the window loses its focus. */
  reset(): void {
    this.#characters = []
    this.#altDigits = ''
  }

  /** Alt+029 on the number pad is how some scanners send GS. */
  #altDigit(key: WedgeKey): WedgeDecision<Snapshot> {
    this.#altDigits += key.code.slice(-1)
    this.#altTimeStampMs = key.timeStampMs
    return { kind: 'character', burst: this.#characters.length > 0 }
  }

  #endAltCode(snapshot: () => Snapshot): void {
    if (Number(this.#altDigits) === 29) this.#push(groupSeparator, this.#altTimeStampMs, snapshot)
    this.#altDigits = ''
  }

  #push(text: string, timeStampMs: number, snapshot: () => Snapshot): boolean {
    const last = this.#characters.at(-1)
    const gapMs = last ? timeStampMs - last.timeStampMs : Number.POSITIVE_INFINITY
    if (gapMs > maxGapMs || this.#characters.length >= maxLength) this.#characters = []
    // a scan can only be cut out of typing at a pause, so only there is a snapshot worth its memory
    const mayBegin = this.#characters.length === 0 || gapMs > burstGapMs
    this.#characters.push({ text, timeStampMs, snapshot: mayBegin ? snapshot() : null })
    return gapMs <= burstGapMs
  }

  #terminator(key: WedgeKey): WedgeDecision<Snapshot> {
    const typed = this.#characters
    this.reset()
    const chord = key.ctrl || key.alt || key.meta || key.shift || key.repeat
    if (chord) return { kind: 'ignore' }
    const last = typed.at(-1)
    if (!last) {
      return key.timeStampMs - this.#scanEndedAtMs <= burstGapMs * 2
        ? { kind: 'swallow' }
        : { kind: 'ignore' }
    }
    const endGapMs = key.timeStampMs - last.timeStampMs
    if (endGapMs > maxGapMs) return { kind: 'ignore' }
    const start = key.field === 'none' ? 0 : burstStart(gapsOf(typed))
    const scan = typed.slice(start)
    const text = scan.map((character) => character.text).join('')
    const gapsMs = gapsOf(scan)
    if (isScan(text, gapsMs, endGapMs, key.field)) {
      this.#scanEndedAtMs = key.timeStampMs
      return { kind: 'scan', text, restore: scan[0]?.snapshot ?? null }
    }
    const tooFastForAHand = [...gapsMs, endGapMs].every((gapMs) => gapMs <= burstGapMs)
    return key.field === 'none' && tooFastForAHand ? { kind: 'swallow' } : { kind: 'ignore' }
  }
}

/** The character a key stands for; GS arrives as Ctrl+] on most scanners. Null for keys that type nothing. */
function characterOf(key: WedgeKey): string | null {
  const chord = (key.ctrl && !key.altGraph) || key.meta || (key.alt && !key.altGraph)
  if (key.key === groupSeparator || (key.ctrl && (key.key === ']' || key.code === 'BracketRight'))) {
    return key.altGraph && key.key !== groupSeparator ? key.key : groupSeparator
  }
  return chord || Array.from(key.key).length !== 1 ? null : key.key
}

function gapsOf(characters: readonly { readonly timeStampMs: number }[]): number[] {
  return characters.slice(1).map((character, i) => character.timeStampMs - (characters[i]?.timeStampMs ?? 0))
}

/**
 * Where the scan begins in a field somebody was typing in: after the last pause that is long beside the pace of
 * what follows it. A pause inside a burst is a wireless hiccup, not a beginning.
 */
function burstStart(gapsMs: readonly number[]): number {
  let sumMs = 0
  for (let i = gapsMs.length - 1; i >= 0; i--) {
    const gapMs = gapsMs[i] ?? 0
    const seen = gapsMs.length - 1 - i
    const limitMs = Math.max(90, seen === 0 ? 0 : (4 * sumMs) / seen)
    const before = gapsMs.slice(0, i)
    if (gapMs > limitMs && !(before.length > 0 && median(before) <= burstGapMs)) return i + 1
    sumMs += gapMs
  }
  return 0
}

function isScan(
  text: string,
  gapsMs: readonly number[],
  endGapMs: number,
  field: WedgeKey['field'],
): boolean {
  if (text.length < minLength) return false
  const all = [...gapsMs, endGapMs]
  const middleMs = median(all)
  // nothing to type into: whatever ends in Enter at a machine's or a fast hand's pace was meant for the desk
  if (field === 'none') return middleMs <= 120
  // three quick keys rolled by a hand have a fast middle too, but never a fast everything
  if (text.length < 6) return all.every((gapMs) => gapMs <= burstGapMs)
  if (middleMs <= burstGapMs) return true
  return field === 'text' && middleMs <= slowGapMs && isEven(gapsMs) && hasKnownShape(text)
}

/** A machine's pace: slowest and fastest gap within a quarter of the middle. Hands vary by half and more. */
function isEven(gapsMs: readonly number[]): boolean {
  const middleMs = median(gapsMs)
  return gapsMs.every((gapMs) => Math.abs(gapMs - middleMs) <= middleMs / 4)
}

/** Texts that only a barcode holds: commands, AIM identifiers, references, numbers with a right check digit. */
function hasKnownShape(text: string): boolean {
  if (text.toUpperCase().startsWith(commandPrefix) || /^\][A-Za-z]\d/.test(text)) return true
  if (parseReference(text) !== null) return true
  return [12, 13, 14, 18].includes(text.length) && hasValidCheckDigit(text)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
