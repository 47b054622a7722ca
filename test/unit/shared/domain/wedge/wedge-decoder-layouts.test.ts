import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calibrationCodes } from '#shared/domain/wedge/calibration.ts'
import type { ScannerProfile } from '#shared/domain/wedge/scanner-profile.ts'
import { StrokeRecorder } from '#shared/domain/wedge/stroke-recorder.ts'
import { WedgeDecoder } from '#shared/domain/wedge/wedge-decoder.ts'
import { groupSeparator } from '#shared/domain/wedge/stroke.ts'
import { count, seed } from '#support/counts.ts'
import { keysOf, layoutNames, separatorForms, type Typist } from '#support/keyboard-layouts.ts'

const hosts = layoutNames.flatMap((host) =>
  [false, true].flatMap((capsLock) =>
    separatorForms.map((separator) => ({ scanner: 'us' as const, host, capsLock, separator })),
  ),
)
const printable = fc.string({
  unit: fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 32, max: 126 }).map((c) => String.fromCharCode(c)) },
    { weight: 1, arbitrary: fc.constant(groupSeparator) },
  ),
  minLength: 7,
  maxLength: 60,
})
// No text begins with a separator. Some scanners send it as F8, and the decoder accepts this key only after another key
// of the scan.
const scanned = printable.filter((text) => !text.startsWith(groupSeparator))

/** Returns all scans that the decoder reads from the keys of a scanner. */
function read(text: string, typist: Typist, profile: ScannerProfile | null = null): string[] {
  const decoder = new WedgeDecoder<null>(() => profile)
  let nowMs = 1000
  const scans: string[] = []
  for (const key of [...keysOf(text, typist), { ...keysOf(' ', typist)[0], key: 'Enter', code: 'Enter' }]) {
    nowMs += 6
    const decision = decoder.feed({ ...blank, ...key, timeStampMs: nowMs, field: 'none' }, () => null)
    if (decision.kind === 'scan') scans.push(decision.text)
  }
  return scans
}

const blank = {
  key: '',
  code: '',
  ctrl: false,
  alt: false,
  meta: false,
  altGraph: false,
  shift: false,
  capsLock: false,
  repeat: false,
  composing: false,
  hasTyped: false,
}

/** Returns the profile that one scan of a calibration barcode yields. */
function learn(code: string, typist: Typist): ScannerProfile {
  const recorder = new StrokeRecorder()
  for (const [i, key] of [...keysOf(code, typist), { ...blank, key: 'Enter', code: 'Enter' }].entries())
    recorder.feed({ ...key, timeStampMs: i * 6, field: 'none' })
  const result = recorder.finish()
  if (result?.kind !== 'learned') throw new Error(result?.why ?? 'nothing')
  return result.profile
}

describe('a scanner with its factory settings', () => {
  it.each(hosts)(
    'is read correctly with the keyboard layout $host, Caps Lock $capsLock and GS sent by $separator',
    (typist) => {
      for (const text of [
        'SHP00000000412',
        'WEB-100412/7_A+z',
        ']C10108712345678906\x1d10LOT-Y/Z\x1d21A&Q',
        '[)>(yz)QW=@#',
      ]) {
        expect(read(text, typist)).toEqual([text])
      }
    },
  )

  it('is read correctly without calibration, whatever text of at least seven characters it sends', () => {
    fc.assert(
      fc.property(scanned, fc.constantFrom(...hosts), (text, typist) => {
        expect(read(text, typist)).toEqual([text])
      }),
      { seed, numRuns: count(300, 30_000) },
    )
  })
})

describe('a scanner without calibration that uses the keyboard layout of the computer', () => {
  it.each(layoutNames)('is read correctly with the layout %s if the text is typical of a barcode', (host) => {
    const typist = { scanner: host, host, capsLock: false, separator: 'control' as const }
    for (const text of ['SHP00000000412', '8712345678906', ']C10108712345678906'])
      expect(read(text, typist)).toEqual([text])
  })
})

describe('a calibrated scanner', () => {
  const codes = Object.entries(calibrationCodes)

  it.each(layoutNames.flatMap((scanner) => codes.map(([name]) => ({ scanner, name }))))(
    'with the keyboard layout $scanner, calibrated by the barcode $name, is read correctly with every layout of the computer',
    ({ scanner, name }) => {
      const code = name === 'matrix' ? calibrationCodes.matrix : calibrationCodes.line
      fc.assert(
        fc.property(
          fc.string({ unit: fc.constantFrom(...Array.from(code)), minLength: 7, maxLength: 60 }),
          fc.constantFrom(...hosts),
          (text, { host, capsLock, separator }) => {
            fc.pre(!text.startsWith(groupSeparator))
            const typist = { scanner, host, capsLock, separator }
            const profile = learn(code, { ...typist, capsLock: false })
            expect(profile).toMatchObject({ prefix: [], suffix: [], gapMs: 6, sendsSeparator: true })
            expect(read(text, typist, profile)).toEqual([text])
          },
        ),
        { seed, numRuns: count(40, 4000) },
      )
    },
  )
})
