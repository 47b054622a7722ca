/** One keydown, as the decoder needs it. `timeStampMs` is the event's own time stamp: the clock lies under load. */
export interface WedgeKey {
  /** What the key types by this computer's keyboard layout. */
  readonly key: string
  /** Which key of the keyboard it is, whatever the layout; empty where the system does not say (remote desktops). */
  readonly code: string
  readonly timeStampMs: number
  readonly ctrl: boolean
  readonly alt: boolean
  readonly meta: boolean
  /** AltGr is ctrl and alt at once, and types a character all the same. */
  readonly altGraph: boolean
  readonly shift: boolean
  readonly capsLock: boolean
  readonly repeat: boolean
  readonly composing: boolean
  /** `secret`: a password field, where only an unmistakable burst counts as a scan. */
  readonly field: 'none' | 'text' | 'secret'
}

export const groupSeparator = '\x1d'

/** One key of a scan, in every way it can be read. */
export interface Stroke {
  /** The physical key with what was held: `KeyA`, `S+KeyA`, `G+KeyQ` (AltGr), `C+KeyD`; empty without a physical key. */
  readonly id: string
  /** As a scanner with the factory's US layout means it; null where that layout has nothing there. */
  readonly us: string | null
  /** What this computer's layout typed, without Caps Lock; null for a key that types nothing by itself. */
  readonly host: string | null
}

/** A character that arrived as such: an Alt code, or a key without a physical place. */
export function literalStroke(text: string): Stroke {
  return { id: '', us: text, host: text }
}

/** Scanners that know no Ctrl+] send GS by this key. */
const groupSeparatorKeys = new Set(['F8'])

/** Keys of this computer's layout that type nothing by themselves. */
const silentKeys = new Set(['Dead', 'Unidentified'])

/**
 * The stroke a keydown is, or null where it can be no part of a scan.
 * @param inBurst - whether it follows other keys faster than a hand: only then are control characters.
 */
export function strokeOf(key: WedgeKey, inBurst: boolean): Stroke | null {
  const separates = key.key === groupSeparator || (inBurst && groupSeparatorKeys.has(key.key))
  if (separates) return literalStroke(groupSeparator)
  const isControl = key.ctrl && !key.altGraph && !(key.alt && isCharacter(key.key))
  if (key.meta) return null
  if (isControl) return controlStroke(key, inBurst)
  if (key.alt && !key.altGraph && !key.ctrl) return null
  const types = isCharacter(key.key)
  // what types nothing here may type something where the scanner thinks it is: `[` is a dead key on a French keyboard
  if (!types && !silentKeys.has(key.key)) return null
  if (key.code === '') return types ? literalStroke(key.key) : null
  const altGraph = key.altGraph || (key.ctrl && key.alt)
  const id = (altGraph ? 'G+' : '') + (key.shift ? 'S+' : '') + key.code
  return {
    id,
    us: altGraph ? null : usCharacter(key.code, key.shift),
    host: types ? withoutCapsLock(key) : null,
  }
}

/** GS arrives as Ctrl+] on most scanners, whatever is printed on that key. Other control characters only in a burst. */
function controlStroke(key: WedgeKey, inBurst: boolean): Stroke | null {
  const text = controlCharacter(key)
  if (text === null || (text !== groupSeparator && !inBurst)) return null
  return { id: `C+${key.shift ? 'S+' : ''}${key.code}`, us: text, host: text }
}

/** RS and EOT stand in the two-dimensional codes of carriers and suppliers (ISO/IEC 15434). */
const controlKeys: Readonly<Record<string, string>> = {
  BracketLeft: '\x1b',
  Backslash: '\x1c',
  BracketRight: groupSeparator,
  Digit6: '\x1e',
  Minus: '\x1f',
}

function controlCharacter({ key, code }: WedgeKey): string | null {
  if (key === ']') return groupSeparator
  const letter = /^Key([A-Z])$/.exec(code)?.[1]
  return letter === undefined ? (controlKeys[code] ?? null) : String.fromCharCode(letter.charCodeAt(0) - 64)
}

function withoutCapsLock({ key, capsLock }: WedgeKey): string {
  if (!capsLock) return key
  const upper = key.toUpperCase()
  return key === upper ? key.toLowerCase() : upper
}

function isCharacter(key: string): boolean {
  return Array.from(key).length === 1
}

/** Keys of the US layout that are neither letters nor digits: plain, with Shift. Scanners leave the factory with it. */
const symbols: Readonly<Record<string, string>> = {
  Backquote: '`~',
  Minus: '-_',
  Equal: '=+',
  BracketLeft: '[{',
  BracketRight: ']}',
  Backslash: '\\|',
  Semicolon: ';:',
  Quote: '\'"',
  Comma: ',<',
  Period: '.>',
  Slash: '/?',
  Space: '  ',
  // the key that ISO keyboards have beside the left Shift
  IntlBackslash: '\\|',
}
const keypad: Readonly<Record<string, string>> = {
  NumpadAdd: '+',
  NumpadSubtract: '-',
  NumpadMultiply: '*',
  NumpadDivide: '/',
  NumpadDecimal: '.',
  NumpadEqual: '=',
}
const shiftedDigits = ')!@#$%^&*('

/** What a key types on a US keyboard, Caps Lock off; null for keys that type nothing there. */
export function usCharacter(code: string, shift: boolean): string | null {
  const [, kind, mark] = /^(Key|Digit|Numpad)([A-Z]|\d)$/.exec(code) ?? []
  if (kind === 'Key' && mark !== undefined) return shift ? mark : mark.toLowerCase()
  if (kind === 'Digit' && mark !== undefined) return shift ? (shiftedDigits[Number(mark)] ?? null) : mark
  if (kind === 'Numpad' && mark !== undefined) return mark
  return symbols[code]?.[shift ? 1 : 0] ?? keypad[code] ?? null
}

/** A longer pause ends whatever was being read. Wireless scanners hiccup by 100 ms and more. */
export const maxGapMs = 250
/** No hand keeps this pace over several keys; every USB scanner left on its defaults does. */
export const burstGapMs = 35
/** The slowest scanners, told from a typist by their even pace and by what they sent. */
export const slowGapMs = 100

export function gapsOf(characters: readonly { readonly timeStampMs: number }[]): number[] {
  return characters.slice(1).map((character, i) => character.timeStampMs - (characters[i]?.timeStampMs ?? 0))
}

/**
 * Where the scan begins in a field somebody was typing in: after the last pause that is long beside the pace of
 * what follows it. A pause inside a burst is a wireless hiccup, not a beginning.
 */
export function burstStart(gapsMs: readonly number[]): number {
  let sumMs = 0
  // of the gaps before the one that is looked at: counting them anew at each one would take the square of their number
  let quick = gapsMs.filter((gapMs) => gapMs <= burstGapMs).length
  for (let i = gapsMs.length - 1; i >= 0; i--) {
    const gapMs = gapsMs[i] ?? 0
    const seen = gapsMs.length - 1 - i
    const limitMs = Math.max(90, seen === 0 ? 0 : (4 * sumMs) / seen)
    if (gapMs <= burstGapMs) quick--
    // more than half of what stands before is a scanner's: its median is
    const isInBurst = i > 0 && quick > Math.floor(i / 2)
    if (gapMs > limitMs && !isInBurst) return i + 1
    sumMs += gapMs
  }
  return 0
}

/** A machine's pace: slowest and fastest gap within a quarter of the middle. Hands vary by half and more. */
export function isEven(gapsMs: readonly number[]): boolean {
  const middleMs = median(gapsMs)
  return gapsMs.every((gapMs) => Math.abs(gapMs - middleMs) <= middleMs / 4)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
