import { hasValidCheckDigit } from '../gtin.ts'
import { looksLikeCommand } from '../commands.ts'
import { parseReference } from '../references.ts'
import { BurstWatch } from '../scan-burst.ts'
import {
  burstGapMs,
  burstStart,
  gapsOf,
  isEven,
  literalStroke,
  maxGapMs,
  median,
  quickGapMs,
  shortBurstGapMs,
  slowGapMs,
  type Stroke,
  strokeOf,
  type WedgeKey,
} from './stroke.ts'
import { type ScannerProfile, strokeName } from './scanner-profile.ts'

export type WedgeDecision<Snapshot> =
  /** The key is not part of any scan: let it through, after the keys that were held back. */
  | { readonly kind: 'ignore' }
  /** A modifier, pressed by a scanner or an operator: let it through, and keep holding the other keys back. */
  | { readonly kind: 'modifier' }
  /** The key may be part of a scan. */
  | {
      readonly kind: 'character'
      /**
       * Whether the event of the key must be stopped: the key follows another character faster than an operator types,
       * or it is a digit of an Alt code after another character.
       */
      readonly burst: boolean
      /**
       * Whether the key arrives at the time at which the next key of a scanner would arrive. If so, the keys held back
       * before it may belong to the same scan.
       */
      readonly follows: boolean
      /**
       * The text that the key would type into a field; empty for a key that a field must handle itself, or must not
       * receive.
       */
      readonly text: string
      /**
       * Time in milliseconds to wait for the next key. If no key arrives within this time, the key belongs to no scan,
       * or its scan has ended.
       */
      readonly holdMs: number
    }
  /**
   * The key that ends a scan: stop the event of this key, and restore the field's content from before the scan.
   * `sinceMs`: time of the first key of the scan.
   */
  | {
      readonly kind: 'scan'
      readonly text: string
      readonly sinceMs: number
      readonly restore: Snapshot | null
      /**
       * Whether the scan began so soon after other characters that one barcode may contain these characters and the
       * scan.
       */
      readonly inBurst: boolean
    }
  /**
   * The key at the end of a burst that is no scan: stop the event of this key, and remove the burst from the field as
   * for a scan. The desk gets no text.
   */
  | { readonly kind: 'drop'; readonly sinceMs: number; readonly restore: Snapshot | null }
  /**
   * A key that no operator typed (LF after CR, a key after a scan), or that an operator has to press again: only stop
   * the event of this key.
   */
  | { readonly kind: 'swallow' }

interface Character<Snapshot> {
  readonly stroke: Stroke
  readonly timeStampMs: number
  readonly snapshot: Snapshot | null
  /** Whether other characters precede this character without a silence between them. */
  readonly inBurst: boolean
  /** The value of `hasTyped` for the key of this character, from the time before the character reached the field. */
  readonly hasTyped: boolean
}

/** The end of a text: its key, null for a pause, and the milliseconds between the last character and this key. */
interface TextEnd {
  readonly gapMs: number
  readonly key: string | null
}

const minLength = 3
const maxLength = 8000
/** A burst of at least this number of keys was certainly not typed by an operator. */
const certainBurst = 4

/** Values of `WedgeKey.key` for modifiers, which type nothing themselves. */
export const modifierKeys = new Set([
  'Shift',
  'Control',
  'Alt',
  'AltGraph',
  'Meta',
  'CapsLock',
  'NumLock',
  'Fn',
])
const terminators = new Set(['Enter', 'Tab'])

/**
 * Distinguishes a keyboard scanner from an operator who types. Reads the text of a scan by physical keys, so that
 * neither this computer's layout nor Caps Lock changes a code. Feed it every keydown; it returns what to do with that
 * key. It has no clock and no timer, so a busy machine never splits a scan. A scan must end with Enter or Tab. If the
 * profile has no terminator, a call of `pause` ends the scan. The decoder calls `snapshot` where a scan may begin. If a
 * scan did begin there, the decoder returns that snapshot in `restore`.
 */
export class WedgeDecoder<Snapshot> {
  readonly #profile: () => ScannerProfile | null
  #characters: Character<Snapshot>[] = []
  #altDigits = ''
  /** Time of the last digit of the current Alt code. `#altInBurst`: see `inBurst` of `Character`. */
  #altTimeStampMs = 0
  #altInBurst = false
  /** The value of `hasTyped` for the first digit of the current Alt code. */
  #altHasTyped = false
  /**
   * Records every key, from a scanner or an operator: the burst of a barcode also contains keys that the decoder
   * ignores.
   */
  readonly #bursts = new BurstWatch()
  /**
   * Time of the last key that certainly came from a scanner: the key that ended a scan, or a key that followed at the
   * pace of the scanner.
   */
  #scannerAtMs = Number.NEGATIVE_INFINITY
  /**
   * Time in milliseconds after `#scannerAtMs`. A key within this time comes from the scanner, because no operator is so
   * fast.
   */
  #echoMs = burstGapMs * 2
  /** Time of the last key that types nothing and is no terminator, without the repetitions of a held key. */
  #otherAtMs = Number.NEGATIVE_INFINITY
  /**
   * Time of the last key that is no modifier. `#shortGaps`: the number of gaps of at most `shortBurstGapMs` in an
   * unbroken row before this key, counted between keys that are no modifiers.
   */
  #keyAtMs = Number.NEGATIVE_INFINITY
  #shortGaps = 0
  /** The layout that the last unambiguous scan showed; before the first such scan, the US layout. */
  #layout: Layout = 'us'

  /** @param profile - how this computer's scanner types, if it was calibrated. */
  constructor(profile: () => ScannerProfile | null = () => null) {
    this.#profile = profile
  }

  feed(key: WedgeKey, snapshot: () => Snapshot): WedgeDecision<Snapshot> {
    this.#bursts.heard(key.timeStampMs)
    if (key.composing) return { kind: 'ignore' }
    if (key.alt && !key.altGraph && /^Numpad\d$/.test(key.code)) return this.#altDigit(key)
    // each Alt code begins with a new press of Alt, so this press ends the previous Alt code
    if (key.key === 'Alt') this.#endAltCode(snapshot)
    if (modifierKeys.has(key.key)) return { kind: 'modifier' }
    this.#endAltCode(snapshot)
    this.#countGap(key)
    if (terminators.has(key.key)) return this.#terminator(key)
    const inBurst = key.timeStampMs - (this.#characters.at(-1)?.timeStampMs ?? -1000) <= burstGapMs
    const mark = this.#mark(key)
    const stroke = mark ?? strokeOf(key, inBurst)
    if (stroke === null || key.repeat) return this.#otherKey(key)
    const stamp = {
      timeStampMs: key.timeStampMs,
      inBurst: this.#bursts.begin(key.timeStampMs),
      hasTyped: key.hasTyped,
    }
    const { burst, follows } = this.#push(stroke, stamp, snapshot)
    if (mark) return { kind: 'swallow' }
    const text = stroke.id.startsWith('C+') || stroke.host === null ? '' : key.key
    return { kind: 'character', burst, follows, text, holdMs: this.#holdMs() }
  }

  /**
   * Handles a pause that is longer than the gap between a scanner's keys. If the scanner sends no key at the end of a
   * scan, the pause ends the scan.
   */
  pause(field: WedgeKey['field']): WedgeDecision<Snapshot> {
    if (!this.endsByPause) return { kind: 'ignore' }
    const typed = this.#characters
    const gapMs = median(gapsOf(typed))
    // an operator who stops typing must not cause a scan, so the text counts only if it has a machine's pace or the
    // prefix
    const isMachine = typed.length >= minLength && (gapMs <= burstGapMs || this.#beginsWithPrefix(typed))
    if (!isMachine) return { kind: 'ignore' }
    this.reset()
    const scan = this.#decide(typed, { gapMs, key: null }, field)
    if (scan) this.#ended(typed.at(-1)?.timeStampMs ?? 0, gapMs)
    return scan ?? { kind: 'ignore' }
  }

  /** Whether a pause may end a scan, so that the caller has to report pauses. */
  get endsByPause(): boolean {
    return this.#profile()?.terminator === null
  }

  /** Discards the current keys, for instance when the window loses its focus. */
  reset(): void {
    this.#characters = []
    this.#altDigits = ''
  }

  #countGap({ timeStampMs, repeat }: WedgeKey): void {
    const isShort = !repeat && timeStampMs - this.#keyAtMs <= shortBurstGapMs
    this.#shortGaps = isShort ? this.#shortGaps + 1 : 0
    this.#keyAtMs = timeStampMs
  }

  /** Returns the stroke of a key that types no character and is in this scanner's prefix or suffix; otherwise null. */
  #mark({ key, code }: WedgeKey): Stroke | null {
    const profile = this.#profile()
    if (!profile || Array.from(key).length === 1) return null
    const isMark = profile.prefix.includes(code) || profile.suffix.includes(code)
    return isMark ? { id: code, us: null, host: null } : null
  }

  /** Some scanners send GS as Alt+029 on the number pad, and some send every character as such an Alt code. */
  #altDigit(key: WedgeKey): WedgeDecision<Snapshot> {
    if (this.#altDigits === '') {
      this.#altInBurst = this.#bursts.begin(key.timeStampMs)
      this.#altHasTyped = key.hasTyped
    }
    this.#altDigits += key.code.slice(-1)
    this.#altTimeStampMs = key.timeStampMs
    const burst = this.#characters.length > 0
    return { kind: 'character', burst, follows: true, text: '', holdMs: this.#holdMs() }
  }

  #endAltCode(snapshot: () => Snapshot): void {
    const code = Number(this.#altDigits)
    const isAscii = this.#altDigits !== '' && code > 0 && code < 127
    this.#altDigits = ''
    if (!isAscii) return
    const stamp = {
      timeStampMs: this.#altTimeStampMs,
      inBurst: this.#altInBurst,
      hasTyped: this.#altHasTyped,
    }
    this.#push(literalStroke(String.fromCharCode(code)), stamp, snapshot)
  }

  #push(
    stroke: Stroke,
    { timeStampMs, inBurst, hasTyped }: Pick<Character<Snapshot>, 'timeStampMs' | 'inBurst' | 'hasTyped'>,
    snapshot: () => Snapshot,
  ): { readonly burst: boolean; readonly follows: boolean } {
    const last = this.#characters.at(-1)
    const gapMs = last ? timeStampMs - last.timeStampMs : Number.POSITIVE_INFINITY
    const isFull = this.#characters.length >= maxLength
    if (gapMs > maxGapMs || isFull) this.#characters = []
    // a scan is separated from typing only at a pause, so no snapshot, which needs memory, is taken inside a burst
    const mayBegin = this.#characters.length === 0 || gapMs > burstGapMs
    this.#characters.push({ stroke, timeStampMs, snapshot: mayBegin ? snapshot() : null, inBurst, hasTyped })
    const burst = gapMs <= burstGapMs
    return { burst, follows: burst || this.#isPace(gapMs) || this.#isCertain(gapMs) }
  }

  /** Whether a gap is a delay in the middle of keys that certainly came from a scanner. */
  #isCertain(gapMs: number): boolean {
    const before = this.#characters.slice(-1 - certainBurst, -1)
    return (
      gapMs <= maxGapMs && before.length === certainBurst && gapsOf(before).every((gap) => gap <= burstGapMs)
    )
  }

  /**
   * Whether a gap differs by a quarter at most from the pace of the calibrated scanner. The slowest scanners are as
   * slow as an operator, so a fixed limit does not suffice.
   */
  #isPace(gapMs: number): boolean {
    const paceMs = this.#profile()?.gapMs ?? 0
    return Math.abs(gapMs - paceMs) <= paceMs / 4
  }

  #holdMs(): number {
    const last = this.#characters.slice(-certainBurst)
    const isCertain = last.length === certainBurst && gapsOf(last).every((gapMs) => gapMs <= burstGapMs)
    const { terminator, gapMs: paceMs } = this.#profile() ?? { terminator: 'Enter', gapMs: 0 }
    if (terminator === null) return Math.max(burstGapMs, paceMs * 3) + 5
    if (isCertain || this.#beginsWithPrefix(this.#characters)) return maxGapMs
    return Math.max(burstGapMs, paceMs * 1.25) + 5
  }

  #beginsWithPrefix(characters: readonly Character<Snapshot>[]): boolean {
    const prefix = this.#profile()?.prefix ?? []
    const first = characters.slice(0, prefix.length)
    return startsWith(
      first.map(({ stroke }) => strokeName(stroke)),
      prefix,
    )
  }

  /**
   * Handles a key that types nothing and does not end a scan. The key ends the current text. If a scanner sent the key,
   * its event is stopped.
   */
  #otherKey(key: WedgeKey): WedgeDecision<Snapshot> {
    const typed = this.#characters
    this.reset()
    // a held key is from an operator, because no scanner holds a key, so the keys before it are not dropped
    if (key.repeat) return this.#echo(key.timeStampMs)
    this.#otherAtMs = key.timeStampMs
    return this.#dropped(typed, key) ?? this.#echo(key.timeStampMs)
  }

  /**
   * Handles the key after a burst that is no scan. If the burst has the pace of a machine, returns `drop`, or `swallow`
   * for an Enter or Tab that ends the typing of a text; otherwise null. Records each key that it stops in
   * `#scannerAtMs`.
   */
  #dropped(
    typed: readonly Character<Snapshot>[],
    { key, timeStampMs, field }: WedgeKey,
  ): WedgeDecision<Snapshot> | null {
    const burst = typed.slice(this.#startOf(typed, field))
    const [first] = burst
    if (!first) return null
    const gapsMs = gapsOf([...burst, { timeStampMs }])
    const isCertain = field === 'none' || Math.max(gapsMs.length, this.#shortGaps) >= certainBurst
    const limitMs = isCertain ? burstGapMs : shortBurstGapMs
    if (gapsMs.some((gapMs) => gapMs > limitMs)) return null
    // A delayed computer gives two keys of an operator the same time, so typed keys may look like a burst. If they were
    // removed, the text might be sent without its last characters and without notice. The text therefore stays, and the
    // operator presses Enter again. `hasTyped` is taken from the first key, because on a busy computer the later keys
    // of a barcode may have reached the field already.
    const isTyping = !isCertain && (first.hasTyped || burst.length < typed.length)
    if (isTyping && !terminators.has(key)) return null
    this.#scannerAtMs = timeStampMs
    return isTyping
      ? { kind: 'swallow' }
      : { kind: 'drop', sinceMs: first.timeStampMs, restore: first.snapshot }
  }

  /**
   * Stops a key that follows a scanner's keys faster than an operator can press a key. The time limit for the next key
   * starts again with this key.
   * @param isAfterOther - whether the key directly follows a key that types nothing. If it does, the key is stopped
   * whatever its time.
   */
  #echo(timeStampMs: number, isAfterOther = false): WedgeDecision<Snapshot> {
    if (!isAfterOther && timeStampMs - this.#scannerAtMs > this.#echoMs) return { kind: 'ignore' }
    this.#scannerAtMs = timeStampMs
    return { kind: 'swallow' }
  }

  /** Records the time of the key that ended a scan, and the median gap between the keys of the scan. */
  #ended(timeStampMs: number, middleGapMs: number): void {
    this.#scannerAtMs = timeStampMs
    const paceMs = middleGapMs <= burstGapMs || this.#isPace(middleGapMs) ? middleGapMs : 0
    this.#echoMs = Math.max(burstGapMs * 2, paceMs * 3)
  }

  #terminator(key: WedgeKey): WedgeDecision<Snapshot> {
    const typed = this.#characters
    this.reset()
    const last = typed.at(-1)
    const chord = key.ctrl || key.alt || key.meta || key.shift || key.repeat
    if (chord) return this.#dropped(typed, key) ?? this.#echo(key.timeStampMs)
    // a barcode may contain a key that changes a field, such as Delete, directly before the Enter, so such an Enter is
    // stopped in a field
    const isAfterOther = key.key === 'Enter' && key.timeStampMs - this.#otherAtMs <= shortBurstGapMs
    if (!last) return this.#echo(key.timeStampMs, key.field !== 'none' && isAfterOther)
    const endGapMs = key.timeStampMs - last.timeStampMs
    if (endGapMs > maxGapMs) return { kind: 'ignore' }
    const gapsMs = [...gapsOf(typed), endGapMs]
    const scan = this.#decide(typed, { gapMs: endGapMs, key: key.key }, key.field)
    if (scan) {
      this.#ended(key.timeStampMs, median(gapsMs))
      return scan
    }
    return this.#dropped(typed, key) ?? { kind: 'ignore' }
  }

  /** Returns the scan at the end of the typed text, or null. */
  #decide(
    typed: readonly Character<Snapshot>[],
    end: TextEnd,
    field: WedgeKey['field'],
  ): WedgeDecision<Snapshot> | null {
    const start = this.#startOf(typed, field, this.#profile()?.gapMs)
    const scan = typed.slice(start)
    const strokes = scan.map(({ stroke }) => stroke)
    const gapsMs = gapsOf(scan)
    const middleMs = median([...gapsMs, end.gapMs])
    const isMachine = middleMs <= burstGapMs || (isEven(gapsMs) && this.#isPace(middleMs))
    const text = this.#textOf(strokes, isMachine)
    const isOne = this.#beginsWithPrefix(scan) || this.#isScan(text, gapsMs, end, field)
    if (!isOne || text.length < minLength) return null
    const [first] = scan
    if (!first) return null
    const { timeStampMs: sinceMs, snapshot: restore, inBurst } = first
    return { kind: 'scan', text, sinceMs, restore, inBurst }
  }

  /**
   * Returns where the scan begins: at the scanner's prefix; otherwise, in a field, after the last pause that is longer
   * than the pauses of the scanner; otherwise at the first character.
   * @param paceMs - see `burstStart`. `#dropped` does not pass this argument, because `#dropped` looks for keys that
   * are faster than those of a slow scanner.
   */
  #startOf(typed: readonly Character<Snapshot>[], field: WedgeKey['field'], paceMs?: number): number {
    const gapsMs = gapsOf(typed)
    const profile = this.#profile()
    if (profile && profile.prefix.length > 0) {
      const starts = typed
        .map((_, i) => i)
        .filter((i) => this.#beginsWithPrefix(typed.slice(i, i + profile.prefix.length)))
      // The code itself may contain the characters of the prefix. For a slow scanner, the prefix is the first
      // occurrence of these characters; for any other scanner, it is the last occurrence at the start or after a pause.
      const isSlow = profile.gapMs > burstGapMs
      const start = isSlow ? starts[0] : starts.findLast((i) => i === 0 || (gapsMs[i - 1] ?? 0) > burstGapMs)
      if (start !== undefined) return start
    }
    return field === 'none' ? 0 : burstStart(gapsMs, paceMs)
  }

  #textOf(strokes: readonly Stroke[], isMachine: boolean): string {
    const profile = this.#profile()
    if (profile && isMachine) return calibratedText(strokes, profile)
    const shown = layoutShown(strokes)
    // An operator types on this computer's layout. Therefore the text of the US layout is used only if hasKnownShape is
    // true of that text and false of the text of this computer's layout.
    if (!isMachine) return textBy(shown ?? 'host', strokes)
    this.#layout = shown ?? this.#layout
    return textBy(this.#layout, strokes)
  }

  #isScan(text: string, gapsMs: readonly number[], end: TextEnd, field: WedgeKey['field']): boolean {
    if (text.length < minLength) return false
    const all = [...gapsMs, end.gapMs]
    const middleMs = median(all)
    // the focus is not in a field, so a text that ends in Enter is a scan if it has the pace of a machine or of a fast
    // typist
    if (field === 'none') return middleMs <= 120
    if (field === 'text' && this.#isSlowScanner(text, all, end.key)) return true
    // a few keys that an operator types in quick succession have a short median gap too, but not every gap is short, so
    // every gap of a short text must be short
    if (text.length < 6) return all.every((gapMs) => gapMs <= burstGapMs)
    if (middleMs <= burstGapMs) return true
    return field === 'text' && middleMs <= slowGapMs && isEven(gapsMs) && hasKnownShape(text)
  }

  /**
   * Whether the text comes from a calibrated scanner that is slower than a burst: each key, also the last, has the pace
   * of this scanner, and the text ends with the key with which this scanner ends a scan. An operator ends most texts
   * with a different key, such as Tab in a form.
   */
  #isSlowScanner(text: string, gapsMs: readonly number[], endKey: string | null): boolean {
    const { gapMs: paceMs, terminator } = this.#profile() ?? { gapMs: 0, terminator: null }
    if (endKey !== terminator) return false
    // the fewer keys a text has, the more often an operator types all of them at the pace of a slow scanner, so a short
    // text must have a faster pace
    const limitMs = text.length < 6 ? quickGapMs : slowGapMs
    return paceMs > burstGapMs && paceMs <= limitMs && gapsMs.every((gapMs) => this.#isPace(gapMs))
  }
}

/** The layout that the scanner uses: the factory's US layout, or this computer's. */
export type Layout = 'us' | 'host'

/** Returns the text of a calibrated scanner, without its prefix and suffix. */
export function calibratedText(strokes: readonly Stroke[], profile: ScannerProfile): string {
  const { keys, prefix, suffix } = profile
  const names = strokes.map(strokeName)
  const from = startsWith(names, prefix) ? prefix.length : 0
  const to = names.length - (endsWith(names.slice(from), suffix) ? suffix.length : 0)
  let text = ''
  for (let i = from; i < to; i++) {
    const pair = i + 1 < to ? keys[`${names[i] ?? ''} ${names[i + 1] ?? ''}`] : undefined
    const stroke = strokes[i]
    text += pair ?? keys[names[i] ?? ''] ?? stroke?.us ?? stroke?.host ?? ''
    if (pair !== undefined) i++
  }
  return text
}

/**
 * Returns the text by the given layout. A stroke without a character on the given layout gets its character on the
 * other layout.
 */
export function textBy(layout: Layout, strokes: readonly Stroke[]): string {
  return strokes
    .map(({ us, host }) => (layout === 'us' ? us : host) ?? (layout === 'us' ? host : us) ?? '')
    .join('')
}

/**
 * Returns the only layout whose text has a known shape (`hasKnownShape`). Returns null if the texts of both layouts or
 * of neither have a known shape, or if the two texts are equal.
 */
export function layoutShown(strokes: readonly Stroke[]): Layout | null {
  const us = textBy('us', strokes)
  const host = textBy('host', strokes)
  if (us === host) return null
  const shape = { us: hasKnownShape(us), host: hasKnownShape(host) }
  if (shape.us === shape.host) return null
  return shape.us ? 'us' : 'host'
}

/** Whether `names` begins with the entries of `marks`; false if `marks` is empty. */
export function startsWith(names: readonly string[], marks: readonly string[]): boolean {
  return marks.length > 0 && marks.length <= names.length && marks.every((mark, i) => names[i] === mark)
}

function endsWith(names: readonly string[], marks: readonly string[]): boolean {
  return startsWith(names.slice(Math.max(0, names.length - marks.length)), marks)
}

/**
 * Whether the text has a form that only the contents of barcodes usually have: a command, a text with an AIM identifier
 * at its start, the reference of a record, or a GS1 number with a correct check digit.
 */
export function hasKnownShape(text: string): boolean {
  if (looksLikeCommand(text) || /^\][A-Za-z]\d/.test(text)) return true
  if (parseReference(text) !== null) return true
  return [12, 13, 14, 18].includes(text.length) && hasValidCheckDigit(text)
}
