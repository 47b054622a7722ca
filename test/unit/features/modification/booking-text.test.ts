import { describe, expect, it } from 'vitest'
import {
  bookingPhase,
  bookingText,
  bookingTitle,
  echoText,
  outcomeOfBooking,
  statusText,
} from '#features/modification/booking-text.ts'
import type { ModificationView } from '#shared/bridge/stock-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { m } from '#messages/messages.js'
import { sampleModification } from '#support/memory-desk/modifications.ts'

describe('the message booking_lines', () => {
  it.each([
    [1, -1, '−1', '1 line, −1 piece', '1 regel, −1 stuk'],
    [1, 2, '+2', '1 line, +2 pieces', '1 regel, +2 stuks'],
    [2, 1, '+1', '2 lines, +1 piece', '2 regels, +1 stuk'],
    [2, 0, '0', '2 lines, 0 pieces', '2 regels, 0 stuks'],
  ])(
    'uses the singular or plural that fits the number of lines, %i, and of pieces, %i',
    (count, pieces, signed, en, nl) => {
      expect(m.booking_lines({ count, pieces, signed }, { locale: 'en' })).toBe(en)
      expect(m.booking_lines({ count, pieces, signed }, { locale: 'nl' })).toBe(nl)
    },
  )
})

describe('the text about a typed text that was not saved', () => {
  it.each([
    ['quantity', '1x', '“1x” was not taken: correct it or press Escape.'],
    ['quantity', ' ', 'No number of pieces was typed: type it or press Escape.'],
    ['location', 'dock', '“dock” was not taken: choose or scan a location.'],
    ['location', '', 'No location was typed: choose or scan a location.'],
  ] as const)('quotes the text unless it is empty; here %s “%s”', (field, text, shown) => {
    expect(echoText({ kind: 'typed_waits', field, text }, null)).toBe(shown)
  })
})

describe('the text about a scanned code that no record has', () => {
  const unknown = { kind: 'unknown', raw: 'KN-01', misread: false, askedService: true } as const

  it('says that the service could not be asked, unless the code was misread', () => {
    expect(echoText(unknown, null)).toBe(m.echo_unknown())
    expect(echoText({ ...unknown, askedService: false }, null)).toBe(m.echo_not_asked())
    expect(echoText({ ...unknown, askedService: false, misread: true }, null)).toBe(m.echo_misread())
  })

  it.each([
    ['en', 'Not added: unknown, service not asked.'],
    ['nl', 'Niet geteld: onbekend, niet nagevraagd.'],
  ] as const)(
    'says first that the draft is unchanged, because a long code cuts off the end; here in %s',
    (locale, text) => {
      expect(m.echo_not_asked({}, { locale })).toBe(text)
    },
  )

  it.each(['  ', 'SDCMDNONSENSE'])(
    'says only that the code is unknown if the service is never asked; here “%s”',
    (raw) => {
      expect(echoText({ ...unknown, raw, askedService: false }, null)).toBe(m.echo_unknown())
    },
  )
})

describe('the text of a booking that was sent to the service', () => {
  it.each([
    [null, 'Sent to the warehouse'],
    ['created', 'Sent to the warehouse'],
    ['approved', 'Booked'],
  ] as const)(
    'says that the stock is booked only if the status of the booking is approved; here: %s',
    (status, title) => {
      const booking = { ...sampleModification(0), create: 'done' as const, status }
      expect(bookingTitle('done', booking)).toBe(title)
      expect(bookingText('done', booking, '').includes('once it is approved')).toBe(status !== 'approved')
    },
  )

  it('shows the name of an unknown status, and does not say that the booking is approved', () => {
    const booking = { ...sampleModification(0), create: 'done' as const, status: 'wms_internal_42' }
    expect(statusText('wms_internal_42')).toBe('wms_internal_42')
    expect(bookingTitle('done', booking)).toBe('Sent to the warehouse')
    expect(bookingText('done', booking, '')).toContain('a state that this desk does not know')
    expect(bookingText('done', booking, '')).not.toContain('approved')
  })

  it('says that a booking whose check failed is kept and waits for the service, not that it was refused', () => {
    const booking = { ...sampleModification(0), failure: failure('api.not_checked') }
    expect(bookingTitle('waiting', booking)).toBe('Waiting for the service')
    expect(bookingText('waiting', booking, '')).toContain('It is kept, and is not sent yet.')
    expect(bookingText('waiting', booking, '')).not.toMatch(/connection|refused|not changed/)
  })

  it('shows the reason that the service gave for refusing the booking', () => {
    const refusal = failure('api.rejected', { status: 400, reason: 'Location not found.' })
    const booking = { ...sampleModification(0), create: 'rejected' as const, failure: refusal }
    expect(bookingText('rejected', booking, '')).toBe(
      'The service refused this: “Location not found.” The stock was not changed. Correct it and book it again.',
    )
  })
})

function phaseOf(change: Partial<ModificationView>, asked = false): string {
  return bookingPhase({ ...sampleModification(0), ...change }, asked)
}

describe('bookingPhase()', () => {
  it.each([
    [{}, 'working'],
    [{ create: 'sending' }, 'working'],
    [{ failure: failure('network.offline') }, 'waiting'],
    [{ failure: failure('api.not_checked') }, 'waiting'],
    [{ failure: failure('api.malformed_answer') }, 'waiting'],
    [{ failure: failure('station.embedded_failed') }, 'waiting'],
    [{ failure: failure('session.expired') }, 'login'],
    [{ create: 'done', status: 'created' }, 'done'],
    [{ create: 'done', status: 'approved' }, 'done'],
    [{ create: 'done', status: 'disapproved' }, 'disapproved'],
    [{ create: 'rejected', failure: failure('api.rejected') }, 'rejected'],
    [{ create: 'discarded' }, 'set_aside'],
    [{ create: 'unknown', failure: failure('modification.outcome_unknown') }, 'checking'],
  ] as const)('returns, for a booking with %o, the phase %s', (change, phase) => {
    expect(phaseOf(change)).toBe(phase)
  })

  it('returns `decide` if the desk asked the service and could not find out whether the booking arrived', () => {
    expect(phaseOf({ create: 'unknown' }, true)).toBe('decide')
    expect(outcomeOfBooking('decide')).toBe('decide')
    expect(outcomeOfBooking('checking')).toBe('look')
  })
})
