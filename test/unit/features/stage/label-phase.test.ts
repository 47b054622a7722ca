import { describe, expect, it } from 'vitest'
import { printedLabel, sampleLabel } from '#bridge/sample-views.ts'
import { labelPhase, labelSteps, outcomeOfPhase } from '#features/stage/label-phase.ts'
import type { ReturnLabelView } from '#shared/bridge/views.ts'
import { printStates } from '#shared/domain/print-state.ts'
import { failure } from '#shared/errors/catalogue.ts'

const start = sampleLabel(0)
const end = printedLabel(0)
const label = (change: Partial<ReturnLabelView>): ReturnLabelView => ({ ...start, ...change })
const printing = (state: (typeof printStates)[number]): ReturnLabelView => ({
  ...end,
  print: end.print && { ...end.print, state },
})

describe('the phase of a label', () => {
  it.each([
    ['begins', label({}), 'working'],
    ['is on its way', label({ create: 'done', request: 'sending' }), 'working'],
    ['waits for the line', label({ failure: failure('network.offline') }), 'waiting'],
    ['waits for a login', label({ failure: failure('session.expired') }), 'login'],
    ['was refused', label({ create: 'rejected', failure: failure('api.rejected') }), 'stopped'],
    ['was set aside', label({ create: 'discarded' }), 'set_aside'],
    [
      'may have arrived',
      label({ create: 'unknown', failure: failure('return_label.outcome_unknown') }),
      'checking',
    ],
    [
      'is no PDF',
      label({ create: 'done', request: 'done', failure: failure('document.not_a_pdf') }),
      'stopped',
    ],
  ] as const)('%s', (_name, view, phase) => {
    expect(labelPhase(view, false)).toBe(phase)
  })

  it('is a decision only once the desk asked for one', () => {
    expect(labelPhase(label({ create: 'done', request: 'unknown' }), true)).toBe('decide')
    expect(labelPhase(end, true)).toBe('printed')
  })

  it('never calls handed over what was not confirmed', () => {
    expect(printStates.map((state) => labelPhase(printing(state), false))).toEqual([
      'working',
      'working',
      'sent',
      'spooled',
      'printed',
      'scanned',
      'not_printed',
      'print_unknown',
      'not_printed',
    ])
    expect(outcomeOfPhase('print_unknown')).toBe('decide')
  })
})

describe('the steps of a label', () => {
  it.each([
    [label({}), false, ['doing', 'todo', 'todo', 'todo']],
    [label({ failure: failure('network.timeout') }), false, ['waiting', 'todo', 'todo', 'todo']],
    [label({ create: 'done', request: 'unknown' }), false, ['done', 'waiting', 'todo', 'todo']],
    [label({ create: 'done', request: 'unknown' }), true, ['done', 'decide', 'todo', 'todo']],
    [label({ create: 'done', request: 'rejected' }), false, ['done', 'stop', 'todo', 'todo']],
    [label({ create: 'done', request: 'done' }), false, ['done', 'done', 'doing', 'todo']],
    [
      label({ create: 'done', request: 'done', failure: failure('document.host_refused') }),
      false,
      ['done', 'done', 'stop', 'todo'],
    ],
    [end, false, ['done', 'done', 'done', 'done']],
    [printing('refused'), false, ['done', 'done', 'done', 'stop']],
    [printing('unknown'), false, ['done', 'done', 'done', 'decide']],
    [printing('sending'), false, ['done', 'done', 'done', 'doing']],
  ] as const)('case %#', (view, asked, steps) => {
    expect(labelSteps(view, asked)).toEqual(steps)
  })
})
