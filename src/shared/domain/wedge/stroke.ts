/**
 * One keydown event as the decoder needs it. `timeStampMs` is the event's own time stamp, because a clock that is read
 * in the handler is late under load.
 */
export interface WedgeKey {
  /** The character or key name according to this computer's keyboard layout. */
  readonly key: string
  /** The physical key, whatever the layout; empty if the system does not report it (remote desktops). */
  readonly code: string
  readonly timeStampMs: number
  readonly ctrl: boolean
  readonly alt: boolean
  readonly meta: boolean
  /** AltGr is ctrl and alt at once, but types a character. */
  readonly altGraph: boolean
  readonly shift: boolean
  readonly capsLock: boolean
  readonly repeat: boolean
  readonly composing: boolean
  /**
   * The kind of field that has the focus. `secret`: a password field, where only an unmistakable burst counts as a
   * scan.
   */
  readonly field: 'none' | 'text' | 'secret'
  /** Whether the field has a text, and was the last one whose value an operator changed, for instance by typing. */
  readonly hasTyped: boolean
}

export const groupSeparator = '\x1d'

/** One key of a scan: the physical key, and its characters on two keyboard layouts. */
export interface Stroke {
  /**
   * The physical key with its modifiers: `KeyA`, `S+KeyA`, `G+KeyQ` (AltGr), `C+KeyD`, `C+S+KeyD`. If Ctrl+] is sent
   * without a physical key, this text contains only the modifiers. If another character is sent without a physical key,
   * this text is empty. It is also empty for a key whose character is GS, and for F8 in place of GS.
   */
  readonly id: string
  /** The character on the US layout, the factory default of scanners; null if that layout has none on this key. */
  readonly us: string | null
  /** The character on this computer's layout, without Caps Lock; null for a key that types nothing alone. */
  readonly host: string | null
}

/** Creates the stroke of a character without a physical key, such as an Alt code. */
export function literalStroke(text: string): Stroke {
  return { id: '', us: text, host: text }
}

/** Scanners that cannot send Ctrl+] send this key for GS. */
const groupSeparatorKeys = new Set(['F8'])

/** Values of `WedgeKey.key` for a key that alone types no character on this computer's layout, such as a dead key. */
const silentKeys = new Set(['Dead', 'Unidentified'])

/**
 * Returns the stroke of a keydown, or null if it cannot be part of a scan.
 * @param inBurst - whether the key follows other keys faster than an operator types. Only in a burst do control
 * characters other than GS count, and only in a burst does F8 count as GS.
 */
export function strokeOf(key: WedgeKey, inBurst: boolean): Stroke | null {
  const separates = key.key === groupSeparator || (inBurst && groupSeparatorKeys.has(key.key))
  if (separates) return literalStroke(groupSeparator)
  const isControl = key.ctrl && !key.altGraph && !(key.alt && isCharacter(key.key))
  if (key.meta) return null
  if (isControl) return controlStroke(key, inBurst)
  if (key.alt && !key.altGraph && !key.ctrl) return null
  const types = isCharacter(key.key)
  // a key that types nothing here may type a character on the scanner's layout, so it counts as a stroke: `[` is a dead
  // key on a French keyboard
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

/**
 * Returns the stroke of a control character, or null. Most scanners send GS as Ctrl+], whatever is printed on that key.
 * Any other control character is accepted only if its key follows other keys faster than an operator types (`inBurst`).
 */
function controlStroke(key: WedgeKey, inBurst: boolean): Stroke | null {
  const text = controlCharacter(key)
  if (text === null || (text !== groupSeparator && !inBurst)) return null
  return { id: `C+${key.shift ? 'S+' : ''}${key.code}`, us: text, host: text }
}

/** RS and EOT occur in the two-dimensional codes of carriers and suppliers (ISO/IEC 15434). */
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

/**
 * Keys of the US layout that are neither letters nor digits, each with its character without Shift and with Shift. This
 * layout is the factory default of scanners.
 */
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

/** Returns the character of a key on a US keyboard with Caps Lock off; null for keys without a character. */
export function usCharacter(code: string, shift: boolean): string | null {
  const [, kind, mark] = /^(Key|Digit|Numpad)([A-Z]|\d)$/.exec(code) ?? []
  if (kind === 'Key' && mark !== undefined) return shift ? mark : mark.toLowerCase()
  if (kind === 'Digit' && mark !== undefined) return shift ? (shiftedDigits[Number(mark)] ?? null) : mark
  if (kind === 'Numpad' && mark !== undefined) return mark
  return symbols[code]?.[shift ? 1 : 0] ?? keypad[code] ?? null
}

/** Longest pause within a scan, in milliseconds. Wireless scanners pause for 100 ms and more. */
export const maxGapMs = 250
/**
 * Longest time between two keys of a burst, in milliseconds. No operator types several keys as fast, but every USB
 * scanner with default settings does.
 */
export const burstGapMs = 35
/**
 * Longest time between two keys of a burst of fewer than four keys, in milliseconds. An operator who lets go of a key
 * after the next one may press two or three keys within `burstGapMs` each, but not within this time.
 */
export const shortBurstGapMs = 20
/**
 * Time between two keys of the slowest scanners, in milliseconds. The even pace and the text of such scanners
 * distinguish them from a typist.
 */
export const slowGapMs = 100

/**
 * Time between two keys, in milliseconds. An operator seldom types three keys and Enter evenly at this pace or faster.
 */
export const quickGapMs = 60

export function gapsOf(characters: readonly { readonly timeStampMs: number }[]): number[] {
  return characters.slice(1).map((character, i) => character.timeStampMs - (characters[i]?.timeStampMs ?? 0))
}

/**
 * Returns where the scan begins in a field in which an operator was typing. A scan begins after the last pause that is
 * long compared with the pace of the following keys. A pause within a burst is a delay of a wireless scanner, so no
 * scan begins after it.
 * @param paceMs - time between two keys of the calibrated scanner, in milliseconds; 0 without a calibration. A last gap
 * of this pace is no pause.
 */
export function burstStart(gapsMs: readonly number[], paceMs = 0): number {
  let sumMs = 0
  // number of short gaps before gap `i`; each step updates it, because a new count for each gap would take quadratic
  // time
  let quick = gapsMs.filter((gapMs) => gapMs <= burstGapMs).length
  for (let i = gapsMs.length - 1; i >= 0; i--) {
    const gapMs = gapsMs[i] ?? 0
    const seen = gapsMs.length - 1 - i
    const limitMs = Math.max(90, seen === 0 ? 1.25 * paceMs : (4 * sumMs) / seen)
    if (gapMs <= burstGapMs) quick--
    // if more than half of the earlier gaps are as short as a scanner's, their median is as short, too; a longer gap is
    // then a delay within a burst, and no scan begins after it
    const isInBurst = i > 0 && quick > Math.floor(i / 2)
    if (gapMs > limitMs && !isInBurst) return i + 1
    sumMs += gapMs
  }
  return 0
}

/**
 * Whether the pace is that of a machine: each gap differs from the median by at most a quarter of the median. Gaps of
 * typing vary by half and more.
 */
export function isEven(gapsMs: readonly number[]): boolean {
  const middleMs = median(gapsMs)
  return gapsMs.every((gapMs) => Math.abs(gapMs - middleMs) <= middleMs / 4)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
