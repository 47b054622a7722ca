import { describe, expect, it } from 'vitest'
import { compareRows } from '#features/queue/compare.ts'
import {
  lineWords,
  nextText,
  noticeWords,
  outcomeOfLine,
  whyText,
  isCodeName,
  subjectName,
  writeSubject,
  writeTitle,
} from '#features/queue/queue-text.ts'
import type { QueueLine, ServiceRecord } from '#shared/bridge/queue-views.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { failure } from '#shared/errors/catalogue.ts'
import {
  bookingBrief,
  countsOf,
  labelBrief,
  outcomeLine,
  sampleLine,
  sampleNotice,
  sampleRecord,
  writesOf,
} from '#support/memory-desk/queue.ts'
import { serverIdOf } from '#support/ids.ts'

const now = Date.parse('2026-11-21T14:07:00Z')
const inSeconds = (seconds: number): string => new Date(now + seconds * 1000).toISOString()

/** Returns the names of the facts in which compareRows() finds a difference between the sent booking and the record. */
function marked(record: Partial<ServiceRecord>): string[] {
  const rows = compareRows(bookingBrief, inSeconds(0), [sampleRecord(now, record)], now)
  return rows.filter(({ records }) => records.some(({ differs }) => differs)).map(({ name }) => name)
}

describe('nextText()', () => {
  it.each([
    [41, 'Tried again in 50 secs.'],
    [40, 'Tried again in 40 secs.'],
    [3, 'Tried again in 10 secs.'],
    [0, 'Tried again any moment.'],
    [-30, 'Tried again any moment.'],
    [240, 'Tried again in 4 mins.'],
  ])('announces the next attempt in %i seconds, rounded up: “%s”', (seconds, text) => {
    expect(nextText(sampleLine(now, { waitsFor: 'service', nextAt: inSeconds(seconds) }), now)).toBe(text)
  })

  it('announces a check and not a new attempt while the first attempt may still arrive', () => {
    const line = sampleLine(now, { waitsFor: 'quiet_time', state: 'unknown', nextAt: inSeconds(40) })
    expect(nextText(line, now)).toBe('Scandesk looks again in 40 secs.')
  })

  it('says for every question that the operator must compare and choose, or change or discard the write', () => {
    expect(nextText(outcomeLine(now, [], { nextAt: inSeconds(40) }), now)).toBe('Compare and choose.')
    const asked = (question: QueueLine['question']): string =>
      nextText(sampleLine(now, { waitsFor: 'operator', question }), now)
    expect(asked({ kind: 'exists', records: [] })).toBe('Compare and choose.')
    expect(asked({ kind: 'changed' })).toBe('Change it or discard it.')
    expect(asked({ kind: 'refused' })).toBe('Change it or discard it.')
  })
})

describe('the texts about a write that could not be checked', () => {
  const write = {
    waitsFor: 'operator',
    question: { kind: 'changed' },
    failure: failure('api.not_checked'),
  } as const

  it('name the true reason and what “Try again” does, and promise no further attempt', () => {
    const line = sampleLine(now, write)
    const { title, text } = lineWords(line, { kind: 'choose' }, null, now)
    expect(title).toBe('Not sent: Scandesk cannot check it')
    expect(text).toMatch(/cannot read at the service.*“Try again” sends it without this check/)
    expect(`${title} ${text}`).not.toMatch(/automatically|login|changed/)
    expect(nextText(line, now)).toBe('Look at the service, then try again or discard it.')
  })
})

describe('the texts about a write that waits because the login lacks a right', () => {
  it('say that a login with this right sends it, and not that the operator must change or discard it', () => {
    const failureOfRole = failure('api.role_missing', { role: 'MODIFICATIONS_CREATE' })
    const line = sampleLine(now, {
      waitsFor: 'operator',
      question: { kind: 'changed' },
      failure: failureOfRole,
    })
    const { title, text } = lineWords(line, { kind: 'choose' }, null, now)
    expect(title).toBe('Not sent: the login lacks a right')
    expect(text).toMatch(
      /^The login lacks a right for this\..*sent automatically once a user with this right logs in/,
    )
    expect(nextText(line, now)).toBe('It is sent once a user with the right logs in.')
  })
})

describe('the texts about a write that a firewall blocks', () => {
  it('say that something blocks it, and not that the record has changed', () => {
    const blocked = { waitsFor: 'operator', question: { kind: 'changed' } } as const
    const line = sampleLine(now, { ...blocked, failure: failure('api.blocked') })
    const { title, text } = lineWords(line, { kind: 'choose' }, null, now)
    expect(title).toBe('Not sent: something blocks it')
    expect(text).toMatch(/^A firewall or a proxy responds to each try.*try again or discard it\.$/)
    expect(nextText(line, now)).toBe('Tell your administrator, then try again or discard it.')
  })
})

describe('whyText()', () => {
  it('names the earlier write for which the write waits', () => {
    const before = sampleLine(now, { brief: labelBrief })
    const line = sampleLine(now, { waitsFor: 'earlier', after: before.commandId })
    expect(whyText(line, before)).toBe('It comes after: Make label SHP00000000412.')
    expect(whyText(line, null)).toBe('It comes after an earlier one.')
  })

  it('names the failure of the write', () => {
    const line = sampleLine(now, { waitsFor: 'line', failure: failure('network.not_the_service') })
    expect(whyText(line, null)).toBe('Something else answered at the server’s address.')
  })

  it('counts the similar records at the service', () => {
    const records = [sampleRecord(now), sampleRecord(now, { serverId: serverIdOf('2') })]
    expect(whyText(outcomeLine(now, records), null)).toContain('shows 2 like it')
    expect(whyText(outcomeLine(now, []), null)).toBe('Did it arrive? Looking could not tell.')
  })
})

describe('outcomeOfLine()', () => {
  it('returns `stop` for a refusal, `decide` for an unknown outcome, and `none` if there is no question', () => {
    expect(outcomeOfLine(sampleLine(now, { question: { kind: 'refused' } }))).toBe('stop')
    expect(outcomeOfLine(outcomeLine(now, []))).toBe('decide')
    expect(outcomeOfLine(sampleLine(now, { waitsFor: 'turn' }))).toBe('none')
  })
})

describe('the name of a write', () => {
  it('is made from its content, or is the title from main if its content gives no name', () => {
    const byHand = { ...labelBrief, shipmentReference: null }
    expect(subjectName(bookingBrief, 'A-03-2')).toBe('−2 × Oat bar hazelnut 12 pcs')
    expect(subjectName({ ...bookingBrief, lines: [] }, 'A-03-2')).toBe('A-03-2')
    expect(subjectName(byHand, '')).toBe('J. de Vries')
    expect(isCodeName(byHand)).toBe(false)
    expect(isCodeName({ ...byHand, externalReference: 'RL-1' })).toBe(true)
  })
})

describe('compareRows()', () => {
  it('marks nothing as different in an equal record, even if its lines are in another order', () => {
    const lines = [
      { name: 'A', articleCode: 'A', quantity: -1 },
      { name: 'B', articleCode: 'B', quantity: 2 },
    ]
    const record = sampleRecord(now, { brief: { ...bookingBrief, lines: lines.toReversed() } })
    const rows = compareRows({ ...bookingBrief, lines }, inSeconds(0), [record], now)
    expect(rows.flatMap(({ records }) => records).some(({ differs }) => differs)).toBe(false)
    expect(marked({})).toEqual([])
  })

  it.each([
    ['Reason', { ...bookingBrief, reason: 'LOST' as const }],
    ['Location', { ...bookingBrief, locationCode: 'A-03-3' }],
    ['Lines', { ...bookingBrief, lines: bookingBrief.lines.map((line) => ({ ...line, quantity: -3 })) }],
    [
      'Lines',
      { ...bookingBrief, lines: bookingBrief.lines.map((line) => ({ ...line, articleCode: 'OTHER' })) },
    ],
    ['Lines', { ...bookingBrief, lines: [...bookingBrief.lines, ...bookingBrief.lines] }],
  ])('marks the field %s if its value in the record differs from the sent value', (name, brief) => {
    expect(marked({ brief })).toEqual([name])
  })

  it('does not mark a different creation time, or a location that is missing in the record', () => {
    expect(marked({ createdAt: inSeconds(-9999), brief: { ...bookingBrief, locationCode: null } })).toEqual(
      [],
    )
  })

  it('does not mark the suffix or the default method that the service added to a label', () => {
    const sent = { ...labelBrief, externalReference: 'RL-8841' }
    const shown = { ...labelBrief, externalReference: 'RL-8841.R', methodCode: 'PNL-STD' }
    const rows = compareRows(sent, inSeconds(0), [sampleRecord(now, { brief: shown })], now)
    expect(rows.flatMap(({ records }) => records).filter(({ differs }) => differs)).toEqual([])
    const other = { ...shown, methodCode: 'DHL-RET' }
    const marks = compareRows(
      { ...sent, methodCode: 'PNL-STD' },
      inSeconds(0),
      [sampleRecord(now, { brief: other })],
      now,
    )
    expect(marks.filter(({ records }) => records[0]?.differs).map(({ name }) => name)).toEqual(['Method'])
  })
})

describe('the text of a notice', () => {
  it('explains what the operator can do about a disapproved booking or a cancelled label', () => {
    expect(noticeWords(sampleNotice(now)).text).toContain('disapproved')
    expect(noticeWords(sampleNotice(now, { brief: labelBrief })).text).toContain('cancel')
    expect(noticeWords(sampleNotice(now, { kind: 'cancelled_elsewhere', brief: labelBrief })).text).toContain(
      'take it off',
    )
  })
})

describe('a write in the status of the desk', () => {
  const about = (change: Partial<QueueLine>): string[] => {
    const { waitingWrites, refusedWrites } = writesOf({ lines: [sampleLine(now, change)], notices: [] })
    return [...waitingWrites, ...refusedWrites].flatMap((write) => [writeTitle(write), writeSubject(write)])
  }

  it.each([
    [labelCommands.create, 'Make label', 'Label refused'],
    [labelCommands.request, 'Request label', 'Request refused'],
    [labelCommands.patch, 'Change the sender', 'New address refused'],
    [labelCommands.cancel, 'Cancel label', 'Cancelling refused'],
  ])('has a title for its type, and another title after a refusal: %s', (type, does, refused) => {
    const label = { brief: labelBrief, type }
    const question = { kind: 'refused' } as const
    expect(about(label)).toEqual([does, 'SHP00000000412'])
    expect(about({ ...label, state: 'rejected', question })).toEqual([refused, 'SHP00000000412'])
  })

  it('names its article and location if it is a booking', () => {
    const place = 'A-03-2 · −2 × Oat bar hazelnut 12 pcs'
    expect(about({})).toEqual(['Book stock', place])
    expect(about({ brief: { ...bookingBrief, locationCode: null } })[1]).toBe('−2 × Oat bar hazelnut 12 pcs')
    expect(about({ state: 'rejected', question: { kind: 'refused' } })).toEqual(['Booking refused', place])
  })

  it('counts as needing a decision, and not also as waiting, if it has a question', () => {
    const asks: Partial<QueueLine> = { waitsFor: 'operator', question: { kind: 'exists', records: [] } }
    expect(about(asks)[0]).toBe('Decision needed')
    const lines = [sampleLine(now), sampleLine(now, asks), outcomeLine(now, [])]
    const { unsent } = countsOf({ lines, notices: [] })
    expect(unsent).toMatchObject({ waiting: 1, asking: 2, oldest: lines[0]?.createdAt })
  })
})
