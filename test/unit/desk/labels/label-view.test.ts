import { describe, expect, it } from 'vitest'
import { labelFacts, toLabelView } from '#desk/labels/label-view.ts'
import type { CommandHead } from '#desk/ports/commands.ts'
import type { CommandSummary, LabelRow } from '#desk/ports/label-ledger.ts'
import type { PrintJobRow } from '#desk/ports/print-jobs.ts'
import { returnLabelView } from '#shared/bridge/label-views.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import { labelState } from '#shared/domain/label-state.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { commandIdOf, labelIdOf } from '../../../support/ids.ts'

const row: LabelRow = {
  id: labelIdOf('lb-1'),
  origin: 'desk',
  shipmentId: 'sh-1',
  shipmentReference: 'SHP1',
  shippingMethodId: null,
  wishedReference: null,
  sender: null,
  serverId: null,
  externalReference: null,
  trackingCode: null,
  requested: false,
  cancelled: false,
  documentHash: null,
  documentFailure: null,
  createdAt: 0,
  asOf: null,
  create: summary('queued'),
  patch: null,
  request: null,
  cancel: null,
  asked: null,
  trouble: null,
  print: null,
}

function summary(state: CommandState): CommandSummary {
  return { id: commandIdOf('c-1'), state, isUntouched: false, failure: null, movedAt: 0 }
}

/** Returns a creation about which the operator must decide. */
function asking(change: Partial<CommandHead>): CommandHead {
  return {
    ...{
      id: commandIdOf('c-1'),
      subject: { kind: 'return_label', id: labelIdOf('lb-1') },
      type: 'return_label.create',
    },
    ...{ state: 'queued', needsOperator: true, createdAt: 0, stateAt: 60_000, firstSentAt: null },
    ...{ endedAt: null, failure: null, question: { kind: 'changed' } },
    ...change,
  }
}

function job(change: Partial<PrintJobRow>): PrintJobRow {
  return {
    ...{ id: 'pj-1', labelId: labelIdOf('lb-1'), documentHash: 'h', printer: 'Zebra', state: 'queued' },
    ...{ isReprint: false, reason: null, hold: null, placement: null, isReleased: false, unlisted: [] },
    ...{ file: null, evidence: null, pageCount: null, failure: null, createdAt: 0, stateAt: 0 },
    ...change,
  }
}

const printers = { named: () => null }
const view = (change: Partial<LabelRow>): ReturnType<typeof toLabelView> =>
  returnLabelView.parse(toLabelView({ ...row, ...change }, printers))

describe('toLabelView()', () => {
  it('returns the state that labelState() derives from the facts of the label', () => {
    const changes: Partial<LabelRow>[] = [
      {},
      { create: null, requested: true },
      { create: summary('rejected'), trouble: failure('api.rejected') },
      {
        create: summary('done'),
        request: summary('done'),
        requested: true,
        documentHash: 'h',
        print: job({}),
      },
      { create: summary('done'), shipmentId: null, cancelled: true },
    ]
    for (const change of changes)
      expect(view(change)).toMatchObject(labelState(labelFacts({ ...row, ...change })))
  })

  it('returns the write that needs a decision; the phase is `decide` only if the outcome of that write is unknown', () => {
    expect(view({}).asked).toBeNull()
    expect(view({ asked: asking({ failure: failure('api.role_missing') }) })).toMatchObject({
      phase: 'working',
      asked: {
        commandId: 'c-1',
        since: '1970-01-01T00:01:00.000Z',
        question: { kind: 'changed' },
        failure: { code: 'api.role_missing' },
      },
    })
    const question = { kind: 'outcome', records: [] } as const
    const lost = view({ create: summary('unknown'), asked: asking({ state: 'unknown', question }) })
    expect(lost.phase).toBe('decide')
    expect(view({ create: summary('unknown') }).phase).toBe('checking')
  })

  it('returns whether the print needs a decision (asks), and whether it counts as printed (mayBeOnPaper)', () => {
    const made = { create: summary('done'), request: summary('done'), requested: true, documentHash: 'h' }
    const held = view({ ...made, print: job({ hold: { kind: 'nothing_readable' } }) })
    expect(held).toMatchObject({ phase: 'print_held', print: { asks: true, mayBeOnPaper: false } })
    const lost = view({ ...made, print: job({ state: 'unknown' }) })
    expect(lost).toMatchObject({ phase: 'print_unknown', print: { asks: true, mayBeOnPaper: false } })
    const saved = view({ ...made, print: job({ state: 'confirmed', file: '/labels/1.pdf' }) })
    expect(saved).toMatchObject({ about: 'file', print: { asks: false, mayBeOnPaper: true } })
  })

  it('returns the failure of a write, or else the failure of the PDF, or else the failure of the print', () => {
    const print = job({ state: 'refused', failure: failure('printer.refused') })
    expect(view({ print }).failure?.code).toBe('printer.refused')
    const documentFailure = failure('document.not_a_pdf')
    expect(view({ print, documentFailure }).failure?.code).toBe('document.not_a_pdf')
    expect(view({ print, documentFailure, trouble: failure('network.offline') }).failure?.code).toBe(
      'network.offline',
    )
  })
})
