import { m } from '#messages/messages.js'
import type { CalibrationFailure } from '#shared/domain/wedge/calibration.ts'
import type { ScannerProfile } from '#shared/domain/wedge/scanner-profile.ts'

interface Fact {
  readonly name: string
  readonly value: string
}

/** Why a scan taught nothing, and what to do. */
export function refusedWords(why: CalibrationFailure): string {
  if (why === 'another') return m.calibration_another()
  if (why === 'caps_lock') return m.calibration_caps_lock()
  return why === 'hand' ? m.calibration_hand() : m.calibration_garbled()
}

/** How the scanner types, for those who set scanners up. */
export function profileFacts(profile: ScannerProfile): Fact[] {
  const { keys, prefix, suffix, terminator, gapMs, sendsSeparator } = profile
  return [
    { name: m.calibration_ends(), value: terminator ?? m.calibration_ends_none() },
    { name: m.calibration_before(), value: marks(prefix, keys) },
    { name: m.calibration_behind(), value: marks(suffix, keys) },
    { name: m.calibration_pace(), value: m.calibration_pace_ms({ ms: Math.round(gapMs) }) },
    {
      name: m.calibration_separator(),
      value: sendsSeparator ? m.calibration_separator_yes() : m.calibration_separator_no(),
    },
  ]
}

function marks(names: readonly string[], keys: ScannerProfile['keys']): string {
  return names.length === 0 ? m.calibration_nothing() : names.map((name) => keys[name] ?? name).join(' ')
}
