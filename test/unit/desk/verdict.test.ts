import { describe, expect, it } from 'vitest'
import type { ApiOutcome } from '#desk/ports/api.ts'
import { verdictOf } from '#desk/verdict.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { scriptedLabel, scriptedShipment } from '#support/scripted-records.ts'

const label = scriptedLabel(1, scriptedShipment(1)).wire
const refused = (status: number): ApiOutcome<ReturnLabel> => ({
  kind: 'refused',
  status,
  failure: failure('api.rejected'),
  serverDate: null,
})
const lost: ApiOutcome<ReturnLabel> = { kind: 'ambiguous', status: null, failure: failure('network.timeout') }

describe('the verdict on a write', () => {
  it('is done with the answer', () => {
    const outcome = { kind: 'answer', status: 201, value: label, serverDate: null } as const
    expect(verdictOf(outcome, null)).toEqual({ kind: 'done', label })
  })

  it('queues again only what surely was not applied', () => {
    const offline = failure('network.offline')
    expect(verdictOf({ kind: 'not_sent', failure: offline }, null)).toEqual({ kind: 'queued', why: offline })
    expect(verdictOf(refused(401), null)).toEqual({ kind: 'queued', why: null })
    expect(verdictOf(refused(429), null).kind).toBe('queued')
  })

  it.each([400, 403, 404, 409, 412])('ends at %i', (status) => {
    expect(verdictOf(refused(status), null).kind).toBe('rejected')
  })

  it('leaves unknown what nobody knows, and says why', () => {
    expect(verdictOf(lost, null)).toEqual({
      kind: 'unknown',
      why: { code: 'return_label.outcome_unknown', params: { cause: 'network.timeout' } },
    })
  })

  it('believes its eyes after a 412', () => {
    expect(verdictOf(refused(412), { kind: 'found', label })).toEqual({ kind: 'done', label })
    expect(verdictOf(refused(412), { kind: 'absent' }).kind).toBe('rejected')
    const unreadable = { kind: 'unreadable', failure: failure('network.offline'), isRefused: false } as const
    expect(verdictOf(refused(412), unreadable).kind).toBe('unknown')
  })
})
