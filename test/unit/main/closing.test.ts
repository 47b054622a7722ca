import { beforeEach, describe, expect, it } from 'vitest'
import type { Closing } from '#shared/bridge/views.ts'
import { ClosingGuard } from '../../../electron/main/closing.ts'

let ticks: number
let unsent: () => Closing | null
let told: Closing[]
let faults: unknown[]
let guard: ClosingGuard

beforeEach(() => {
  ticks = 1_000_000
  unsent = () => ({ waiting: 2, asking: 1 })
  told = []
  faults = []
  guard = new ClosingGuard({
    unsent: () => unsent(),
    tell: (closing) => told.push(closing),
    ticks: () => ticks,
    onFault: (error) => faults.push(error),
  })
})

describe('ClosingGuard', () => {
  it.each([null, { waiting: 0, asking: 0 }])(
    'allows closing the window without a question if no write is waiting: %j',
    (nothing) => {
      unsent = () => nothing
      expect(guard.mayClose()).toBe(true)
      expect(told).toEqual([])
    },
  )

  it.each([
    { waiting: 1, asking: 0 },
    { waiting: 0, asking: 1 },
  ])('asks the operator before closing if a write is waiting: %j', (waiting) => {
    unsent = () => waiting
    expect(guard.mayClose()).toBe(false)
    expect(told).toEqual([waiting])
  })

  it.each([null, { waiting: 0, asking: 0 }])(
    'asks the operator before the window closes with unsaved fields, even if no write is waiting: %j',
    (nothing) => {
      unsent = () => nothing
      guard.windowHolds(true)
      expect(guard.mayClose()).toBe(false)
      expect(told).toEqual([{ waiting: 0, asking: 0 }])
      guard.windowHolds(false)
      ticks += 60_000
      expect(guard.mayClose()).toBe(true)
    },
  )

  it('allows closing after the operator has confirmed', () => {
    guard.mayClose()
    guard.allow()
    expect(guard.mayClose()).toBe(true)
  })

  it('allows closing at a second attempt within ten seconds, and asks again if the second attempt is later', () => {
    guard.mayClose()
    ticks += 60_000
    expect(guard.mayClose()).toBe(false)
    ticks += 9_999
    expect(guard.mayClose()).toBe(true)
    expect(told).toHaveLength(2)
  })

  it('allows closing while the page does not respond, and asks again after the page has recovered', () => {
    guard.windowAnswers(false)
    expect(guard.mayClose()).toBe(true)
    guard.windowAnswers(true)
    expect(guard.mayClose()).toBe(false)
  })

  it('allows closing if the unsent writes cannot be counted', () => {
    unsent = () => {
      throw new Error('the disk is gone')
    }
    expect(guard.mayClose()).toBe(true)
    expect(faults).toHaveLength(1)
  })

  it('allows closing without a question after a call of `allow()`', () => {
    guard.allow()
    expect(guard.mayClose()).toBe(true)
    expect(told).toEqual([])
  })
})
