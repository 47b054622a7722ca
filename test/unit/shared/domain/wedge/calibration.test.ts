import { describe, expect, it } from 'vitest'
import { calibrationCodes, type CalibrationResult } from '#shared/domain/wedge/calibration.ts'
import type { ScannerProfile } from '#shared/domain/wedge/scanner-profile.ts'
import { StrokeRecorder } from '#shared/domain/wedge/stroke-recorder.ts'
import { type WedgeDecision, WedgeDecoder } from '#shared/domain/wedge/wedge-decoder.ts'
import type { WedgeKey } from '#shared/domain/wedge/stroke.ts'
import { keysOf, type Typist } from '#support/keyboard-layouts.ts'

const german: Typist = { scanner: 'us', host: 'de', capsLock: false, separator: 'control' }
type Sent = ReturnType<typeof keysOf>[number]

function functionKey(key: string): Sent {
  const [any] = keysOf('0', german)
  if (!any) throw new Error('a digit has a key')
  return { ...any, key, code: key }
}
const enter = functionKey('Enter')

/** Returns the calibration result of a scanner that sends these keys before and after each code. */
function learn(
  code: string,
  { before = [], after = [enter], gapMs = 6, typist = german }: Frame = {},
): CalibrationResult | null {
  const recorder = new StrokeRecorder()
  const keys = [...before, ...keysOf(code, typist), ...after]
  for (const [i, key] of keys.entries()) recorder.feed({ ...key, timeStampMs: i * gapMs, field: 'none' })
  return recorder.finish()
}
interface Frame {
  before?: readonly Sent[]
  after?: readonly Sent[]
  gapMs?: number
  typist?: Typist
}

function learned(code: string, frame: Frame = {}): ScannerProfile {
  const result = learn(code, frame)
  if (result?.kind !== 'learned') throw new Error(result?.why ?? 'nothing was scanned')
  return result.profile
}

/** Feeds keys at a pace and then a pause to the decoder, and returns every decision. */
function decide(
  profile: ScannerProfile,
  keys: readonly Sent[],
  field: WedgeKey['field'],
  gapMs = 6,
): WedgeDecision<string>[] {
  const decoder = new WedgeDecoder<string>(() => profile)
  const decisions = keys.map((key, i) =>
    decoder.feed({ ...key, timeStampMs: 1000 + i * gapMs, field }, () => 'before'),
  )
  return [...decisions, decoder.pause(field)]
}

function scansOf(decisions: readonly WedgeDecision<string>[]): string[] {
  return decisions.flatMap((decision) => (decision.kind === 'scan' ? [decision.text] : []))
}

const { matrix } = calibrationCodes

describe('one scan for the calibration', () => {
  it('shows the prefix, the suffix and the terminator of the scanner', () => {
    const frame = {
      before: [functionKey('F9'), ...keysOf('~', german)],
      after: [...keysOf('#', german), functionKey('Tab')],
    }
    expect(learned(matrix, frame)).toMatchObject({
      prefix: ['F9', 'S+Backquote'],
      suffix: ['S+Digit3'],
      terminator: 'Tab',
    })
  })

  it('shows that the scanner sends no terminator if no key follows the code', () => {
    expect(learned(matrix, { after: [] })).toMatchObject({ terminator: null, suffix: [] })
  })

  it('shows CR LF as one terminator', () => {
    expect(learned(matrix, { after: [enter, enter] })).toMatchObject({ terminator: 'Enter', suffix: [] })
  })

  it('shows that the scanner omits the separators of GS1 data', () => {
    for (const code of Object.values(calibrationCodes))
      expect(learned(code.replace('\x1d', '')).sendsSeparator).toBe(false)
  })

  it.each(['control', 'alt', 'f8'] as const)(
    'shows that the scanner sends separators, if they are sent by %s',
    (separator) => {
      expect(learned(matrix, { typist: { ...german, separator } }).sendsSeparator).toBe(true)
    },
  )

  it('shows the time between two keys of the scanner', () => {
    expect(learned(matrix, { gapMs: 80 }).gapMs).toBe(80)
  })

  it('is refused as garbled if a key was lost or sent twice', () => {
    for (const at of [12, 40, 70, 90, 98, 101, 103]) {
      const lost = matrix.slice(0, at) + matrix.slice(at + 1)
      expect(learn(lost)).toEqual({ kind: 'failed', why: 'garbled' })
    }
    const twice = matrix.slice(0, 30) + (matrix[29] ?? '') + matrix.slice(30)
    expect(learn(twice)).toEqual({ kind: 'failed', why: 'garbled' })
  })

  it('is refused if it contains another barcode than the calibration barcode, was typed by hand or was sent under Caps Lock', () => {
    expect(learn('8712345678906')).toEqual({ kind: 'failed', why: 'another' })
    expect(learn(matrix, { gapMs: 180 })).toEqual({ kind: 'failed', why: 'hand' })
    expect(learn(matrix, { typist: { ...german, capsLock: true } })).toEqual({
      kind: 'failed',
      why: 'caps_lock',
    })
    expect(learn('ab', { gapMs: 120 })).toBeNull()
  })
})

describe('a calibrated keyboard scanner', () => {
  it('is recognised by its prefix alone, even if it is slow and its codes are short and unusual', () => {
    const frame = { before: [functionKey('F9')], gapMs: 80 }
    const profile = learned(matrix, frame)
    const keys = [functionKey('F9'), ...keysOf('hello there', german), enter]
    const decisions = decide(profile, keys, 'text', 80)
    expect(scansOf(decisions)).toEqual(['hello there'])
    // the decoder stops the event of the prefix key F9, although this key types no character
    expect(decisions[0]).toEqual({ kind: 'swallow' })
  })

  it('may send its prefix and suffix or omit them: its scans are read without them', () => {
    const profile = learned(matrix, { before: keysOf('~', german), after: [...keysOf('##', german), enter] })
    expect(scansOf(decide(profile, [...keysOf('~SHP-1~##', german), enter], 'text'))).toEqual(['SHP-1~'])
    expect(scansOf(decide(profile, [...keysOf('SHP-12345', german), enter], 'text'))).toEqual(['SHP-12345'])
  })

  it('ends each scan with a pause if it sends no terminator', () => {
    const profile = learned(matrix, { after: [] })
    expect(scansOf(decide(profile, keysOf('SHP00000000412', german), 'text'))).toEqual(['SHP00000000412'])
    expect(scansOf(decide(profile, keysOf('yes', german), 'text', 90))).toEqual([])
  })

  it('has its keys held back until its scan is recognised, even if it sends one key in 80 ms', () => {
    const profile = learned(matrix, { gapMs: 80 })
    const decisions = decide(profile, [...keysOf('8712345678906', german), enter], 'text', 80)
    expect(scansOf(decisions)).toEqual(['8712345678906'])
    const later = decisions.slice(1, 13)
    expect(later.every((decision) => decision.kind === 'character' && decision.follows)).toBe(true)
    expect(later.every((decision) => decision.kind === 'character' && decision.holdMs > 80)).toBe(true)
  })
})
