import { describe, expect, it } from 'vitest'
import { bookingPhase, outcomeOfBooking } from '#features/modification/booking-text.ts'
import type { ModificationView } from '#shared/bridge/stock-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { sampleModification } from '#support/memory-desk/modifications.ts'

function phaseOf(change: Partial<ModificationView>, asked = false): string {
  return bookingPhase({ ...sampleModification(0), ...change }, asked)
}

describe('the phase of a booking', () => {
  it.each([
    [{}, 'working'],
    [{ create: 'sending' }, 'working'],
    [{ failure: failure('network.offline') }, 'waiting'],
    [{ failure: failure('session.expired') }, 'login'],
    [{ create: 'done', status: 'created' }, 'done'],
    [{ create: 'done', status: 'approved' }, 'done'],
    [{ create: 'done', status: 'disapproved' }, 'disapproved'],
    [{ create: 'rejected', failure: failure('api.rejected') }, 'rejected'],
    [{ create: 'discarded' }, 'set_aside'],
    [{ create: 'unknown', failure: failure('modification.outcome_unknown') }, 'checking'],
  ] as const)('%o: %s', (change, phase) => {
    expect(phaseOf(change)).toBe(phase)
  })

  it('asks for a decision only once looking did not tell', () => {
    expect(phaseOf({ create: 'unknown' }, true)).toBe('decide')
    expect(outcomeOfBooking('decide')).toBe('decide')
    expect(outcomeOfBooking('checking')).toBe('look')
  })
})
