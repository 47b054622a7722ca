import { describe, expect, it } from 'vitest'
import { failure } from '#shared/errors/catalogue.ts'
import type { CalibrationResult } from '#shared/domain/wedge/calibration.ts'
import type { ScannerProfile } from '#shared/domain/wedge/scanner-profile.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { CalibrationState } from '../../../../src/features/setup/calibration.state.svelte.ts'

const profile: ScannerProfile = {
  keys: { 'S+KeyA': 'A' },
  prefix: ['F9'],
  suffix: [],
  terminator: 'Tab',
  gapMs: 12,
  sendsSeparator: true,
}

function begin(): {
  desk: MemoryDesk
  state: CalibrationState
  /** Sends a scan to the recording of keys. Returns false if no recording is under way. */
  scan: (result: CalibrationResult) => Promise<boolean>
} {
  const desk = new MemoryDesk(memoryWorld())
  const state = new CalibrationState(desk.bridge)
  let listener: ((result: CalibrationResult) => void) | null = null
  state.recordWith((onScan) => {
    listener = onScan
    return () => {
      if (listener === onScan) listener = null
    }
  })
  const scan = async (result: CalibrationResult): Promise<boolean> => {
    if (!listener) return false
    listener(result)
    await new Promise((resolve) => setTimeout(resolve, 0))
    return true
  }
  return { desk, state, scan }
}

describe('the calibration of the keyboard scanner', () => {
  it('saves the profile after one scan, and ends the recording of keys', async () => {
    const { desk, state, scan } = begin()
    state.begin()
    expect(await scan({ kind: 'learned', profile })).toBe(true)
    expect([state.profile, state.isListening, state.isJustLearned]).toEqual([profile, false, true])
    expect(desk.world.scannerProfile).toEqual(profile)
    expect(await scan({ kind: 'learned', profile })).toBe(false)
  })

  it('shows why a scan gave no profile, and continues the recording of keys', async () => {
    const { desk, state, scan } = begin()
    state.begin()
    await scan({ kind: 'failed', why: 'another' })
    expect([state.refused, state.isListening, desk.world.scannerProfile]).toEqual(['another', true, null])
    await scan({ kind: 'learned', profile })
    expect([state.refused, state.profile]).toEqual([null, profile])
  })

  it('keeps the old profile when the new profile cannot be saved, and shows why', async () => {
    const { desk, state, scan } = begin()
    desk.world.failures['keyboardScanner:save'] = failure('internal.unexpected')
    state.begin()
    await scan({ kind: 'learned', profile })
    expect([state.profile, state.failure?.code, state.isListening]).toEqual([
      null,
      'internal.unexpected',
      true,
    ])
  })

  it('shows why the profile of a usable scan cannot be saved, and no longer why an earlier scan was unusable', async () => {
    const { desk, state, scan } = begin()
    desk.world.failures['keyboardScanner:save'] = failure('internal.unexpected')
    state.begin()
    await scan({ kind: 'failed', why: 'another' })
    await scan({ kind: 'learned', profile })
    expect([state.refused, state.failure?.code]).toEqual([null, 'internal.unexpected'])
  })

  it('ends the recording of keys when the operator leaves the calibration', async () => {
    const { state, scan } = begin()
    state.begin()
    state.begin()
    state.end()
    expect([await scan({ kind: 'learned', profile }), state.isListening]).toEqual([false, false])
  })

  it('deletes the saved profile when the operator asks for it', async () => {
    const { desk, state } = begin()
    desk.world.scannerProfile = profile
    await state.load()
    expect(state.profile).toEqual(profile)
    await state.forget()
    expect([state.profile, desk.world.scannerProfile]).toEqual([null, null])
  })
})
