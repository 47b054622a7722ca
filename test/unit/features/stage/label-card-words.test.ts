import { describe, expect, it } from 'vitest'
import { actWords, outcomeOfPhase, phaseText, phaseTitle } from '#features/stage/label-card-words.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { printStates } from '#shared/domain/print-job.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { openLabel, printedLabel, sampleLabel } from '#support/memory-desk/labels.ts'
import { withState } from '#support/memory-desk/memory-core.ts'

const start = sampleLabel(0)
const end = printedLabel(0)
const made = openLabel(0)
const open = (change: Partial<ReturnLabelView>): ReturnLabelView => ({ ...made, ...change })
const label = (change: Partial<ReturnLabelView>): ReturnLabelView => ({ ...start, ...change })
const printing = (state: (typeof printStates)[number]): ReturnLabelView => ({
  ...end,
  print: end.print && { ...end.print, state },
})

const saved = (state: (typeof printStates)[number]): ReturnLabelView => ({
  ...end,
  print: end.print && { ...end.print, state, file: '/labels/RL-8841.pdf' },
})

describe('the texts of a label', () => {
  const held = { failure: failure('network.offline') }

  it.each([
    ['its making', label(held), 'Waiting for the connection'],
    ['its request', open({ request: 'queued', patch: 'queued', ...held }), 'Waiting for the connection'],
    ['a new address', open({ patch: 'queued', ...held }), 'New address waits for the connection'],
    ['its cancelling', open({ cancel: 'queued', ...held }), 'Cancelling waits for the connection'],
  ] as const)('name the kind of write that waits for the connection: %s', (_, view, title) => {
    expect(withState(view).phase).toBe('waiting')
    expect(phaseTitle(withState(view))).toBe(title)
  })

  it('ask for the scan of a label that may have come out only if this scan would confirm the print', () => {
    const unknown = (scanProves: boolean): string =>
      phaseText(withState({ ...end, print: end.print && { ...end.print, state: 'unknown', scanProves } }))
    expect(unknown(true)).toContain('scan its tracking code')
    expect(unknown(false)).not.toContain('scan')
    expect(unknown(false)).toContain('Look in the printer')
  })

  it('say that a label whose check failed waits for the service, and is not refused', () => {
    const view = withState(label({ failure: failure('api.not_checked') }))
    expect([view.phase, phaseTitle(view)]).toEqual(['waiting', 'Waiting for the service'])
    expect(outcomeOfPhase(view.phase)).toBe('look')
    expect(phaseText(view)).toContain('It is kept, and is not sent yet.')
  })

  it.each([
    [end, false, 'Print again'],
    [open({ stored: true }), false, 'Print it here'],
    [saved('confirmed'), true, 'Save again'],
    [saved('confirmed'), false, 'Print again'],
    [end, true, 'Save it here'],
  ])(
    'say on the print button what a press of it does for the label: “$2” in case %#',
    (view, savesFiles, words) => {
      expect(actWords('reprint', view, savesFiles)).toBe(words)
    },
  )
})

describe('the headline of a label while a step is running', () => {
  it.each([
    ['made', label({ create: 'sending' }), 'Making the label'],
    ['requested', label({ create: 'done', request: 'sending' }), 'Requesting the label'],
    ['printed', printing('sending'), 'Printing the label'],
    ['printed again after paper was put in', printing('queued'), 'Printing the label'],
  ])('states that the label is being %s', (_, view, title) => {
    expect(phaseTitle(withState(view))).toBe(title)
  })
})

describe('outcomeOfPhase()', () => {
  it('returns `decide` for the phase of a print whose outcome is unknown', () => {
    expect(outcomeOfPhase('print_unknown')).toBe('decide')
  })
})
