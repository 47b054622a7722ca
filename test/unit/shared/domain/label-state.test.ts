import { describe, expect, it } from 'vitest'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import { labelQuestions, rolesFor, withoutLabel } from '#shared/domain/label-state.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { openLabel, printedLabel } from '#support/memory-desk/labels.ts'
import { withState } from '#support/memory-desk/memory-core.ts'

const made = openLabel(0)
const byHand = { shipmentId: null, shipmentReference: null }

function actsOf(change: Partial<ReturnLabelView>): ReturnLabelView['acts'] {
  return withState({ ...made, ...change }).acts
}

describe('the acts that a card offers', () => {
  it('for a shipment without a label make one with the defaults, with another method or with another sender', () => {
    expect(withoutLabel).toEqual({ primary: 'make', others: ['method', 'address'] })
  })

  it.each([
    ['open for change', {}, 'request', ['address', 'cancel']],
    [
      'with a refused change',
      { patch: 'rejected', failure: failure('api.rejected') },
      'address',
      ['request', 'cancel'],
    ],
    [
      'with a refused cancellation',
      { cancel: 'rejected', failure: failure('api.rejected') },
      'request',
      ['address'],
    ],
    ['that is being cancelled', { cancel: 'queued' }, null, []],
    ['cancelled', { cancelled: true }, 'make', ['method', 'address']],
    ['that was made by hand and cancelled', { ...byHand, cancelled: true }, 'address', []],
    ['that another desk requested', { requested: true }, 'reprint', []],
    [
      'that another desk requested, with its PDF stored here',
      { requested: true, stored: true },
      'reprint',
      [],
    ],
    ['whose creation has an unknown outcome', { create: 'unknown' }, null, []],
    [
      'that waits for the connection',
      { request: 'queued', failure: failure('network.offline') },
      null,
      ['address', 'cancel'],
    ],
  ] as const)(
    'are $2 as the primary act and $3 as further acts for a label $0',
    (_name, change, primary, others) => {
      expect(actsOf(change)).toEqual({ primary, others })
    },
  )

  it.each([
    ['api.rejected', null, ['make_again', 'method', 'address']],
    ['api.role_missing', null, ['make_again', 'method', 'address']],
    ['return_label.method_unsupported', 'method', []],
    ['return_label.address_invalid', 'address', []],
    ['document.not_a_pdf', 'make', ['method', 'address']],
    ['document.host_refused', null, []],
  ] as const)(
    'are $1 as the primary act and $2 as further acts if the creation failed with $0',
    (code, primary, others) => {
      expect(actsOf({ create: 'rejected', failure: failure(code) })).toEqual({ primary, others })
    },
  )

  it('are only the choice of another method for a label without a shipment whose method is unsupported', () => {
    const refused = { create: 'rejected' as const, failure: failure('return_label.method_unsupported') }
    expect(actsOf({ ...byHand, ...refused })).toEqual({ primary: 'method', others: [] })
  })

  it('include the cancellation of an existing label whose request was refused', () => {
    const refused = { request: 'rejected' as const }
    const unsupported = failure('return_label.method_unsupported')
    expect(actsOf({ ...refused, failure: unsupported })).toEqual({ primary: null, others: ['cancel'] })
    expect(actsOf({ ...refused, failure: failure('api.role_missing') })).toEqual({
      primary: null,
      others: ['make_again', 'cancel', 'address'],
    })
  })

  it.each([
    ['document.not_a_pdf', 'fetch'],
    ['document.host_refused', null],
    ['document.too_large', null],
  ] as const)('include no second label if the PDF of an existing label failed with %s', (code, primary) => {
    const change = { request: 'done', requested: true, failure: failure(code) } as const
    expect(actsOf(change)).toEqual({ primary, others: [] })
  })

  it('are only the download of the PDF for an unprinted label whose stored PDF was lost', () => {
    const { print } = printedLabel(0)
    const change = { request: 'done', requested: true, failure: failure('document.missing') } as const
    const lost = withState({ ...made, ...change, print: print && { ...print, state: 'failed' } })
    expect(lost.phase).toBe('not_printed')
    expect(lost.acts).toEqual({ primary: 'fetch', others: [] })
  })

  it('are only the reprint for a printed label', () => {
    expect(printedLabel(0).acts).toEqual({ primary: null, others: ['reprint'] })
  })

  it('are only "confirm" and "keep" while the card asks whether to cancel the label', () => {
    expect(labelQuestions.cancel).toEqual({ primary: 'confirm_cancel', others: ['keep'] })
  })

  it('are the reasons and "print nothing" while the card asks why to reprint; Enter chooses none of them', () => {
    expect(labelQuestions.reprint).toEqual({
      primary: null,
      others: ['reprint_damaged', 'reprint_lost', 'reprint_misprint', 'reprint_other', 'as_is'],
    })
  })

  it('are none while the print of the label waits for a decision', () => {
    const { print } = printedLabel(0)
    const held = withState({ ...printedLabel(0), print: print && { ...print, state: 'queued', asks: true } })
    expect(held.phase).toBe('print_held')
    expect(held.acts).toEqual({ primary: null, others: [] })
  })

  it('each need the role of their write, and a reprint needs no role', () => {
    expect(rolesFor('address', made.bars)).toEqual(['RETURN_LABELS_UPDATE'])
    expect(rolesFor('address', withState({ ...made, cancelled: true }).bars)).toEqual([
      'RETURN_LABELS_CREATE',
    ])
    expect(rolesFor('cancel', made.bars)).toEqual(['RETURN_LABELS_CANCEL'])
    expect(rolesFor('reprint', made.bars)).toEqual([])
  })
})
