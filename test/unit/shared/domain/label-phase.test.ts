import { describe, expect, it } from 'vitest'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import { printStates } from '#shared/domain/print-job.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { openLabel, printedLabel, sampleLabel } from '#support/memory-desk/labels.ts'
import { withState } from '#support/memory-desk/memory-core.ts'
import { commandIdOf } from '#support/ids.ts'

const start = sampleLabel(0)
const end = printedLabel(0)
const made = openLabel(0)
const open = (change: Partial<ReturnLabelView>): ReturnLabelView => ({ ...made, ...change })
/** The facts after a 412: another user requested the label. */
const overtaken = {
  requested: true,
  trackingCode: '3SRETR1',
  failure: failure('return_label.already_requested'),
} as const
const label = (change: Partial<ReturnLabelView>): ReturnLabelView => ({ ...start, ...change })
const printing = (state: (typeof printStates)[number]): ReturnLabelView => ({
  ...end,
  print: end.print && { ...end.print, state },
})

const saved = (state: (typeof printStates)[number]): ReturnLabelView => ({
  ...end,
  print: end.print && { ...end.print, state, file: '/labels/RL-8841.pdf' },
})

/** A write that waits for a decision of the operator. */
const asked: ReturnLabelView['asked'] = {
  commandId: commandIdOf('c-1'),
  since: start.createdAt,
  question: null,
  failure: null,
}

describe('the phase of a label', () => {
  it.each([
    ['is being created', label({}), 'working'],
    ['is being requested', label({ create: 'done', request: 'sending' }), 'working'],
    ['waits for the connection', label({ failure: failure('network.offline') }), 'waiting'],
    ['waits for a login', label({ failure: failure('session.expired') }), 'login'],
    ['was refused', label({ create: 'rejected', failure: failure('api.rejected') }), 'stopped'],
    ['was set aside', label({ create: 'discarded' }), 'set_aside'],
    [
      'may have arrived',
      label({ create: 'unknown', failure: failure('return_label.outcome_unknown') }),
      'checking',
    ],
    [
      'has a document that is not a PDF',
      label({ create: 'done', request: 'done', failure: failure('document.not_a_pdf') }),
      'stopped',
    ],
    ['is open for changes', open({}), 'unrequested'],
    ['gets another sender', open({ patch: 'sending' }), 'changing'],
    ['waits with another sender', open({ patch: 'queued', failure: failure('network.offline') }), 'waiting'],
    ['is requested with another sender', open({ patch: 'queued', request: 'queued' }), 'working'],
    ['had its change refused', open({ patch: 'rejected', failure: failure('api.rejected') }), 'unchanged'],
    ['had its change set aside', open({ patch: 'discarded' }), 'unrequested'],
    ['is being cancelled', open({ cancel: 'queued' }), 'cancelling'],
    ['waits to be cancelled', open({ cancel: 'queued', failure: failure('session.expired') }), 'login'],
    ['is cancelled', open({ cancel: 'done', cancelled: true }), 'cancelled'],
    ['is cancelled, whatever happened afterwards', open({ cancelled: true, patch: 'unknown' }), 'cancelled'],
    [
      'could not be cancelled',
      open({ cancel: 'rejected', failure: failure('api.role_missing') }),
      'unchanged',
    ],
    ['may have been cancelled', open({ cancel: 'unknown' }), 'checking'],
    ['was requested meanwhile', open({ cancel: 'rejected', ...overtaken }), 'requested'],
    ['was requested before the change', open({ patch: 'rejected', ...overtaken }), 'requested'],
    [
      'is printed after it was requested meanwhile',
      { ...printing('queued'), cancel: 'rejected', failure: overtaken.failure },
      'working',
    ],
    ['is requested after a refused change', open({ patch: 'rejected', request: 'sending' }), 'working'],
    [
      'is being printed after a refused change',
      open({ patch: 'rejected', request: 'done', requested: true }),
      'working',
    ],
    [
      'lost its request because its creation was refused',
      open({ create: 'rejected', request: 'discarded' }),
      'stopped',
    ],
    [
      'lost its request because its change was refused',
      open({ patch: 'rejected', request: 'discarded', failure: failure('api.rejected') }),
      'unchanged',
    ],
    [
      'is being cancelled instead of requested',
      open({ request: 'discarded', cancel: 'queued' }),
      'cancelling',
    ],
    ['is open again after a corrected change', open({ request: 'discarded', patch: 'done' }), 'unrequested'],
    ['had its request given up', open({ request: 'discarded' }), 'set_aside'],
    ['was requested at another desk', open({ origin: 'service', requested: true }), 'requested'],
  ] as const)('is $2 for a label that $0', (_name, view, phase) => {
    expect(withState(view).phase).toBe(phase)
  })

  it('is `decide` only while the desk asks for a decision', () => {
    expect(withState(label({ create: 'done', request: 'unknown', asked })).phase).toBe('decide')
    expect(withState({ ...end, asked }).phase).toBe('printed')
  })

  it('is sent, spooled, printed or scanned only if the print has reached exactly this state', () => {
    expect(printStates.map((state) => withState(printing(state)).phase)).toEqual([
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
    [open({}), false, ['done', 'todo', 'todo', 'todo']],
    [saved('confirmed'), false, ['done', 'done', 'done', 'todo']],
    [saved('scan_confirmed'), false, ['done', 'done', 'done', 'done']],
    // the first step, the creation of the label, stays `done` in every state of a later change or cancellation
    [open({ patch: 'sending' }), false, ['done', 'todo', 'todo', 'todo']],
    [open({ patch: 'queued', failure: failure('network.offline') }), false, ['done', 'todo', 'todo', 'todo']],
    [open({ patch: 'unknown' }), true, ['done', 'todo', 'todo', 'todo']],
    [open({ patch: 'rejected' }), false, ['done', 'todo', 'todo', 'todo']],
    [open({ cancel: 'queued' }), false, ['done', 'todo', 'todo', 'todo']],
    [open({ patch: 'discarded' }), false, ['done', 'todo', 'todo', 'todo']],
    [open({ cancelled: true, cancel: 'done' }), false, ['done', 'never', 'never', 'never']],
    [open({ cancel: 'rejected', ...overtaken }), false, ['done', 'done', 'todo', 'todo']],
    [open({ requested: true, stored: true }), false, ['done', 'done', 'done', 'todo']],
  ] as const)(
    'have the states $2 for the label in row %# of the table in this test, counted from 0',
    (view, isAsked, steps) => {
      expect(withState({ ...view, asked: isAsked ? asked : null }).steps).toEqual(steps)
    },
  )
})
