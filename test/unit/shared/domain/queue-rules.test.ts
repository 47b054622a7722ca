import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CommandState, commandStates } from '#shared/domain/command-state.ts'
import { choicesOf, isAsking, nextWatchAt, type WriteStanding } from '#shared/domain/queue-rules.ts'
import { count, seed } from '#support/counts.ts'

const standing = (wishes: Partial<WriteStanding>): WriteStanding => ({
  state: 'queued',
  isUntouched: true,
  question: null,
  failure: null,
  records: 0,
  ...wishes,
})

describe('the choices for a write', () => {
  it('are empty while the write is being sent, and after it is done or discarded', () => {
    for (const state of ['sending', 'done', 'discarded'] as const)
      expect(choicesOf(standing({ state, question: 'exists', records: 1 }))).toEqual([])
  })

  it('include a change only if the service certainly did not receive the write', () => {
    expect(choicesOf(standing({}))).toEqual(['retry', 'edit', 'discard'])
    expect(choicesOf(standing({ isUntouched: false }))).toEqual(['retry', 'discard'])
    expect(choicesOf(standing({ question: 'changed' }))).toEqual(['edit', 'retry', 'discard', 'later'])
    const unknown = standing({ state: 'unknown', isUntouched: false, question: 'outcome' })
    expect(choicesOf(unknown)).toEqual(['send_again', 'discard', 'later'])
  })

  it('include a retry of a refused write only if a second attempt may succeed', () => {
    const refused = (failure: WriteStanding['failure']): string[] =>
      choicesOf(standing({ state: 'rejected', question: 'refused', failure }))
    for (const code of [null, 'api.rejected', 'api.role_missing', 'return_label.cancelled'] as const)
      expect(refused(code)).toEqual(['edit', 'retry', 'discard'])
    for (const code of ['return_label.method_unsupported', 'return_label.already_requested'] as const)
      expect(refused(code)).toEqual(['edit', 'discard'])
  })

  it('include the adoption of a record only when the question contains a record', () => {
    expect(
      choicesOf(standing({ state: 'unknown', isUntouched: false, question: 'outcome', records: 2 })),
    ).toEqual(['adopt', 'send_again', 'discard', 'later'])
    expect(choicesOf(standing({ question: 'exists', records: 1 }))).toEqual([
      'adopt',
      'go_on',
      'edit',
      'discard',
      'later',
    ])
  })

  it('are requested from the operator when the write was refused, or when an open write needs a decision', () => {
    const asking = (state: CommandState): boolean[] => [isAsking(state, false), isAsking(state, true)]
    expect(Object.fromEntries(commandStates.map((state) => [state, asking(state)]))).toEqual({
      queued: [false, true],
      sending: [false, true],
      unknown: [false, true],
      rejected: [true, true],
      done: [false, false],
      discarded: [false, false],
    })
  })
})

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

describe('nextWatchAt()', () => {
  it('plans checks after 1, 5 and 15 minutes, and then every hour for a day', () => {
    const looks: number[] = []
    for (let at = nextWatchAt(1_000, null); at !== null; at = nextWatchAt(1_000, at)) looks.push(at - 1_000)
    expect(looks.slice(0, 5).map((ms) => ms / minuteMs)).toEqual([1, 5, 15, 60, 120])
    expect(looks).toHaveLength(27)
    expect(looks.at(-1)).toBe(dayMs)
  })

  it('plans a check one minute after an ambiguous outcome that is newer than the last check, and none if the last check was a day or more after the outcome', () => {
    expect(nextWatchAt(10 * minuteMs, 3 * minuteMs)).toBe(11 * minuteMs)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 * dayMs }), (watchedAt) => {
        const next = nextWatchAt(0, watchedAt)
        expect(next === null).toBe(watchedAt >= dayMs)
        if (next !== null) expect(next).toBeGreaterThan(watchedAt)
      }),
      { numRuns: count(100, 5_000), seed },
    )
  })
})
