import { describe, expect, it } from 'vitest'
import { askedRecords, type Match, toSeen } from '#desk/outbox/command-type.ts'
import { createRaiseNotice } from '#desk/outbox/notices.ts'
import type { NoticeRow } from '#desk/ports/queue-store.ts'
import { fakeClock } from '#support/desk-fakes.ts'

const long = 'x'.repeat(20_000)

/** A booking of the service with as many lines, and texts as long, as its answers may have. */
function booking(number: number, lines = 3): Match {
  const serverId = `s${number}`
  return {
    answer: {
      facts: { kind: 'modification', serverId, reference: 'MOD00000000001', status: 'created' },
      documentAddress: null,
    },
    record: {
      serverId,
      reference: long,
      createdAt: '2026-01-01T00:00:00Z',
      brief: {
        kind: 'modification',
        reason: 'LOST',
        locationCode: long,
        lines: Array.from({ length: lines }, () => ({ name: long, articleCode: long, quantity: 1 })),
      },
      note: long,
      requested: false,
    },
  }
}

describe('records of the service that an operator is asked about', () => {
  it('hold as much of its texts as anybody compares', () => {
    const { record } = toSeen(booking(1, 5_000))
    const { brief } = record
    if (brief.kind !== 'modification') throw new Error(brief.kind)
    expect([record.reference?.length, record.note?.length, brief.locationCode?.length]).toEqual([
      255, 1_000, 255,
    ])
    expect(brief.lines).toHaveLength(1_000)
    expect(brief.lines[0]).toEqual({ name: 'x'.repeat(200), articleCode: 'x'.repeat(255), quantity: 1 })
  })

  it('of a label hold as much of its texts', () => {
    const match = booking(1)
    const brief = {
      kind: 'return_label',
      shipmentReference: long,
      externalReference: long,
      methodCode: null,
      senderName: long,
      senderCity: 'Rotterdam',
    } as const
    const cut = 'x'.repeat(255)
    expect(toSeen({ ...match, record: { ...match.record, brief } }).record.brief).toEqual({
      ...brief,
      shipmentReference: cut,
      externalReference: cut,
      senderName: cut,
    })
  })

  it('are twenty at most, the first ones, and four million characters', () => {
    const all = Array.from({ length: 30 }, (_, number) => toSeen(booking(number)))
    expect(askedRecords(all)).toEqual(all.slice(0, 20))
    const heavy = Array.from({ length: 30 }, (_, number) => toSeen(booking(number, 5_000)))
    const some = askedRecords(heavy)
    expect(some).toEqual(heavy.slice(0, some.length))
    expect(some.length).toBeGreaterThan(0)
    expect(JSON.stringify(some).length).toBeLessThan(4_100_000)
  })

  it('are twenty at most in a notice', () => {
    const stored: NoticeRow[] = []
    const notice = (row: NoticeRow): boolean => stored.push(row) > 0
    const raise = createRaiseNotice({ notice }, fakeClock(), () => undefined)
    const all = Array.from({ length: 30 }, (_, number) => toSeen(booking(number)))
    raise('other_desk', { kind: 'modification', id: 'm' }, all)
    expect(stored[0]?.records).toEqual(all.slice(0, 20))
  })
})
