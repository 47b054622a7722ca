import { describe, expect, it } from 'vitest'
import type { Answer } from '#desk/outbox/command-type.ts'
import { toLabelAnswer } from '#desk/labels/label-records.ts'
import type { ApiOutcome } from '#desk/ports/api.ts'
import { refusalCode } from '#remote/judge.ts'
import { verdictOf } from '#desk/outbox/attempts.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { scriptedLabel, scriptedShipment } from '#support/scripted-records.ts'

const answer = toLabelAnswer(scriptedLabel(1, scriptedShipment(1)).wire)
const refused = (status: number): ApiOutcome<Answer> => ({
  kind: 'refused',
  status,
  failure: failure(refusalCode(status, 'return_label')),
  serverDate: null,
})
const lost: ApiOutcome<Answer> = { kind: 'ambiguous', status: null, failure: failure('network.timeout') }

const about = 'return_label'

describe('verdictOf()', () => {
  it('returns done and the response when the service accepted the write', () => {
    const outcome = { kind: 'answer', status: 201, value: answer, serverDate: null } as const
    expect(verdictOf(outcome, null, about)).toEqual({ kind: 'done', answer })
  })

  it('returns queued when the write was not sent, or the service refused it with 401 or 429', () => {
    const offline = failure('network.offline')
    expect(verdictOf({ kind: 'not_sent', failure: offline }, null, about)).toEqual({
      kind: 'queued',
      why: offline,
    })
    expect(verdictOf(refused(401), null, about)).toEqual({ kind: 'queued', why: null })
    expect(verdictOf(refused(429), null, about).kind).toBe('queued')
  })

  it.each([400, 403, 404, 409, 412])(
    'returns rejected for a write that the service refused with status %i',
    (status) => {
      expect(verdictOf(refused(status), null, about).kind).toBe('rejected')
    },
  )

  it('returns unknown and the cause when the connection failed during the call', () => {
    expect(verdictOf(lost, null, about)).toEqual({
      kind: 'unknown',
      why: { code: 'return_label.outcome_unknown', params: { cause: 'network.timeout' } },
    })
  })

  it('returns the error code of the kind of the subject, for example modification.outcome_unknown', () => {
    expect(verdictOf(lost, null, 'modification')).toMatchObject({
      why: { code: 'modification.outcome_unknown' },
    })
  })

  it('returns done, rejected or unknown after status 412, depending on what the look for the cause found', () => {
    const unreadable = { kind: 'unreadable', failure: failure('network.offline') } as const
    const why = failure('return_label.already_requested')
    expect(verdictOf(refused(412), { kind: 'met', answer }, about)).toEqual({ kind: 'done', answer })
    expect(verdictOf(refused(412), { kind: 'refused', why, answer }, about)).toEqual({
      kind: 'rejected',
      why,
      answer,
    })
    expect(verdictOf(refused(412), null, about)).toMatchObject({ kind: 'rejected', answer: null })
    expect(verdictOf(refused(412), unreadable, about).kind).toBe('unknown')
  })
})
