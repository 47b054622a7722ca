import { serverIdOf } from '#support/ids.ts'
import { describe, expect, it } from 'vitest'
import type { Match } from '#desk/outbox/command-type.ts'
import { recordsOfQuestion, toSeen } from '#desk/outbox/seen-records.ts'
import { createRaiseNotice } from '#desk/outbox/later-looks.ts'
import type { SeenRecord, NoticeRow } from '#desk/ports/commands.ts'
import type { SenderAddress } from '#shared/wire/address.ts'
import type { LabelDescription } from '#shared/writes/return-label.ts'
import { fakeClock } from '#support/desk-fakes.ts'
import { noSender } from '#support/memory-desk/labels.ts'
import { describedLabel } from '#support/described-label.ts'

const long = 'x'.repeat(20_000)

const codes = (count: number): string[] => Array.from({ length: count }, (_, number) => `CODE${number}`)

function description(sender: SenderAddress): LabelDescription {
  const references = { externalReference: 'WEB-1', trackingCode: 'T1', codes: codes(200) }
  return describedLabel('s1', { ...references, requested: true, sender })
}

function labelFacts(sender: SenderAddress): SeenRecord['facts'] {
  return { kind: 'return_label', label: description(sender), isCancelled: false }
}

/** Returns a booking of the service with this number of lines, in which each long text repeats `sign` 20,000 times. */
function booking(number: number, lines = 3, sign = 'x'): Match {
  const serverId = serverIdOf(`s${number}`)
  const long = sign.repeat(20_000)
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

describe('the records of the service in a question or a notice', () => {
  it('contain the first 20 lines of a long booking, and the beginnings of its long texts', () => {
    const { record } = toSeen(booking(1, 5_000))
    const { brief } = record
    if (brief.kind !== 'modification') throw new Error(brief.kind)
    expect([record.reference?.length, record.note?.length, brief.locationCode?.length]).toEqual([
      255, 1_000, 255,
    ])
    expect(brief.lines).toHaveLength(20)
    expect(brief.moreLines).toBe(4_980)
    expect(brief.lines[0]).toEqual({ name: 'x'.repeat(200), articleCode: 'x'.repeat(255), quantity: 1 })
  })

  it('contain the first 255 characters of each long text of a label', () => {
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

  it('contain at most twenty codes of a label, and no sender whose texts are too long for an address', () => {
    const match = booking(1)
    const address = { ...noSender, addressed_to: 'J. de Vries' }
    const factsWith = (sender: SenderAddress): SeenRecord['facts'] =>
      toSeen({ ...match, answer: { ...match.answer, facts: labelFacts(sender) } }).facts
    expect(factsWith(address)).toEqual({
      ...labelFacts(address),
      label: { ...description(address), codes: codes(20) },
    })
    expect(factsWith({ ...address, street: long })).toMatchObject({ label: { sender: null } })
  })

  it('are limited to the first twenty, and to twenty thousand characters together', () => {
    const all = Array.from({ length: 30 }, (_, number) => toSeen(booking(number, 0, '')))
    expect(recordsOfQuestion(all)).toEqual(all.slice(0, 20))
    for (const sign of ['x', '漢', '\u0001', '"']) {
      const heavy = Array.from({ length: 30 }, (_, number) => toSeen(booking(number, 5_000, sign)))
      const some = recordsOfQuestion(heavy)
      expect(some.map(({ record }) => record.serverId)[0]).toBe('s0')
      expect(JSON.stringify(some).length).toBeLessThanOrEqual(20_000)
    }
  })

  it('contain the number of lines that are left out of a booking', () => {
    const [first] = recordsOfQuestion([toSeen(booking(1, 30, '\u0001'))])
    if (first?.record.brief.kind !== 'modification') throw new Error('no booking')
    const { lines, moreLines } = first.record.brief
    expect(lines.length).toBeLessThan(20)
    expect(lines.length + (moreLines ?? 0)).toBe(30)
  })

  it('in a notice, are limited to the first twenty that were found', () => {
    const stored: NoticeRow[] = []
    const notice = (row: NoticeRow): boolean => stored.push(row) > 0
    const raise = createRaiseNotice({ notice }, fakeClock(), () => undefined)
    const all = Array.from({ length: 30 }, (_, number) => toSeen(booking(number, 0, '')))
    raise('other_desk', { kind: 'modification', id: 'm' }, all)
    expect(stored[0]?.records).toEqual(all.slice(0, 20))
  })
})
