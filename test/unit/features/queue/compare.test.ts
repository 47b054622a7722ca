import { serverIdOf } from '../../../support/ids.ts'
import { describe, expect, it } from 'vitest'
import { compareRows } from '#features/queue/compare.ts'
import { m } from '#messages/messages.js'
import type { ServiceRecord } from '#shared/bridge/queue-views.ts'
import type { WriteBrief } from '#shared/writes/write-kinds.ts'

const at = '2026-03-01T12:00:00.000Z'

function booking(lines: number, moreLines?: number): WriteBrief {
  const all = Array.from({ length: lines }, (_, n) => ({ name: `A${n}`, articleCode: `A${n}`, quantity: -1 }))
  const brief = { kind: 'modification', reason: 'LOST', locationCode: 'A', lines: all } as const
  return moreLines === undefined ? brief : { ...brief, moreLines }
}

function listOf(
  sent: WriteBrief,
  shown: WriteBrief,
): { last: string | undefined; differs: boolean | undefined } {
  const record: ServiceRecord = {
    ...{ serverId: serverIdOf('s1'), reference: 'MOD1', createdAt: at, note: null, requested: false },
    brief: shown,
  }
  const rows = compareRows(sent, at, [record], Date.parse(at))
  const cell = rows.find(({ name }) => name === m.booking_list())?.records[0]
  return { last: cell?.texts.at(-1), differs: cell?.differs }
}

describe('the comparison of the lines of a booking with those of a record at the service', () => {
  it('ends with the number of lines that the record leaves out', () => {
    expect(listOf(booking(30), booking(20, 10))).toEqual({
      last: m.shipment_lines_more({ count: 10 }),
      differs: false,
    })
  })

  it('marks a difference if the total numbers of lines differ, even if the record leaves out lines', () => {
    expect(listOf(booking(20), booking(20, 10)).differs).toBe(true)
    expect(listOf(booking(31), booking(20, 10)).differs).toBe(true)
  })

  it('marks a difference if any line differs or is missing and the record contains all its lines', () => {
    expect(listOf(booking(3), booking(3)).differs).toBe(false)
    expect(listOf(booking(3), booking(2)).differs).toBe(true)
  })
})
