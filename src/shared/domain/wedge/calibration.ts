import type { ScannerProfile } from './scanner-profile.ts'
import { strokeName } from './scanner-profile.ts'
import { gapsOf, groupSeparator, median, type Stroke } from './stroke.ts'

const digits = '0123456789'
const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** Characters that one key, with or without modifiers, types on every layout that contains these characters. */
const plainMarks = '-. $/+%*:;,=_()#&@!?<>'
const otherMarks = '[]{}\\|'
/**
 * Characters that need two keys in turn on some layouts. A digit follows each of them, so that the end of its strokes
 * is recognised.
 */
const composedMarks = '^0`1~2\'3"4'

/**
 * The texts of the two calibration barcodes: the complete text for scanners of two-dimensional codes, a shorter text
 * for other scanners.
 */
export const calibrationCodes = {
  matrix: `${digits}${capitals}${capitals.toLowerCase()}${plainMarks}5${otherMarks}6${composedMarks}${groupSeparator}9`,
  line: `${digits}${capitals}-. $/+%:_()5]6${groupSeparator}9`,
} as const

export interface TimedStroke {
  readonly stroke: Stroke
  readonly timeStampMs: number
}

export type CalibrationResult =
  | { readonly kind: 'learned'; readonly profile: ScannerProfile }
  /**
   * The scan cannot be used for the calibration. `another`: it is no calibration barcode. `garbled`: keys were lost or
   * changed on the way. `hand`: an operator typed it.
   */
  | { readonly kind: 'failed'; readonly why: CalibrationFailure }

export type CalibrationFailure = 'another' | 'garbled' | 'hand' | 'caps_lock'

/**
 * Longest median time between two keys of a scanner at its slowest setting, in milliseconds. An operator needs longer.
 */
const slowestGapMs = 130

/**
 * Derives the profile of a scanner from one scan of a calibration barcode: which strokes stand for which characters
 * (whatever the layouts of the scanner and this computer), its prefix, its suffix, and its speed.
 */
export function learnProfile(
  typed: readonly TimedStroke[],
  terminator: ScannerProfile['terminator'],
): CalibrationResult {
  const names = typed.map(({ stroke }) => strokeName(stroke))
  const from = anchorOf(typed.map(({ stroke }) => stroke))
  if (from === null) return { kind: 'failed', why: 'another' }
  const gapMs = median(gapsOf(typed))
  if (gapMs > slowestGapMs) return { kind: 'failed', why: 'hand' }
  for (const code of Object.values(calibrationCodes)) {
    const read = assign(code, names, from)
    if (!read) continue
    const keys = withOtherCase(read.keys)
    const suffix = names.slice(read.end)
    const sendsSeparator = Object.values(keys).includes(groupSeparator)
    const profile = { keys, prefix: names.slice(0, from), suffix, terminator, gapMs, sendsSeparator }
    // a prefix or suffix that is longer than the settings of a scanner allow is a part of another scan, so the scan
    // cannot be used
    if (profile.prefix.length > 20 || suffix.length > 20) return { kind: 'failed', why: 'garbled' }
    return { kind: 'learned', profile }
  }
  return { kind: 'failed', why: 'garbled' }
}

/**
 * Returns where the ten digits begin. The digits are on the same keys of every layout; some layouts need Shift for
 * them.
 */
function anchorOf(strokes: readonly Stroke[]): number | null {
  const found = strokes.map(digitOf).join('').indexOf(digits)
  return found === -1 ? null : found
}

function digitOf({ id, us }: Stroke): string {
  const digit = id === '' ? us : /^(?:S\+)?(?:Digit|Numpad)(\d)$/.exec(id)?.[1]
  return digit !== null && digit !== undefined && /^\d$/.test(digit) ? digit : '?'
}

interface Assigned {
  readonly keys: Readonly<Record<string, string>>
  /** The index of the first key stroke after the text of the barcode. */
  readonly end: number
}

/**
 * Assigns to each character of the code the strokes that were sent for it; null if the strokes do not match the code.
 */
function assign(code: string, names: readonly string[], from: number): Assigned | null {
  const keys: Record<string, string> = {}
  const strokeOfDigit = new Map<string, string>()
  const take = (name: string | undefined, character: string): boolean => {
    if (name === undefined || (keys[name] ?? character) !== character) return false
    keys[name] = character
    return true
  }
  let at = from
  for (const [i, character] of Array.from(code).entries()) {
    if (digits.includes(character)) {
      const known = strokeOfDigit.get(character)
      if (known !== undefined && known !== names[at]) return null
      strokeOfDigit.set(character, names[at] ?? '')
      if (!take(names[at++], character)) return null
      continue
    }
    const next = code[i + 1] ?? ''
    const mayVary = composedMarks.includes(character) || character === groupSeparator
    const length = mayVary ? names.indexOf(strokeOfDigit.get(next) ?? '', at) - at : 1
    // a scanner that leaves out the separator is accepted, and its profile records this
    if (length === 0 && character === groupSeparator) continue
    if (length < 1 || length > 2) return null
    if (!take(names.slice(at, at + length).join(' '), character)) return null
    at += length
  }
  return { keys, end: at }
}

/**
 * Adds the other case of each letter, because the linear barcode contains only capitals. The other case is the same
 * key, with or without Shift.
 */
function withOtherCase(keys: Readonly<Record<string, string>>): Record<string, string> {
  const all: Record<string, string> = {}
  for (const [name, character] of Object.entries(keys)) {
    if (!capitals.includes(character) || name.startsWith('=')) continue
    all[name.startsWith('S+') ? name.slice(2) : `S+${name}`] = character.toLowerCase()
  }
  return { ...all, ...keys }
}
