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

describe('the acts of a label', () => {
  it('make a label, with its own method or another, for a shipment without one', () => {
    expect(withoutLabel).toEqual({ primary: 'make', others: ['method', 'address'] })
  })

  it.each([
    ['open for change', {}, 'request', ['address', 'cancel']],
    [
      'refused a change',
      { patch: 'rejected', failure: failure('api.rejected') },
      'address',
      ['request', 'cancel'],
    ],
    [
      'refused the cancelling',
      { cancel: 'rejected', failure: failure('api.rejected') },
      'request',
      ['address'],
    ],
    ['under way to be cancelled', { cancel: 'queued' }, null, []],
    ['cancelled', { cancelled: true }, 'make', ['method', 'address']],
    ['cancelled, made by hand', { ...byHand, cancelled: true }, 'address', []],
    ['requested elsewhere', { requested: true }, 'reprint', []],
    ['requested elsewhere and kept here', { requested: true, stored: true }, 'reprint', []],
    ['of unknown outcome', { create: 'unknown' }, null, []],
    [
      'that waits for the line',
      { request: 'queued', failure: failure('network.offline') },
      null,
      ['address', 'cancel'],
    ],
  ] as const)('follow from the state of a label %s', (_name, change, primary, others) => {
    expect(actsOf(change)).toEqual({ primary, others })
  })

  it.each([
    ['api.rejected', null, ['make_again', 'method', 'address']],
    ['api.role_missing', null, ['make_again', 'method', 'address']],
    ['return_label.method_unsupported', 'method', []],
    ['return_label.address_invalid', 'address', []],
    ['document.not_a_pdf', 'make', ['method', 'address']],
    ['document.host_refused', null, []],
  ] as const)('follow from the failure of a label stopped by %s', (code, primary, others) => {
    expect(actsOf({ create: 'rejected', failure: failure(code) })).toEqual({ primary, others })
  })

  it('offer another method for a refused label by hand, in the form with its fields', () => {
    const refused = { create: 'rejected' as const, failure: failure('return_label.method_unsupported') }
    expect(actsOf({ ...byHand, ...refused })).toEqual({ primary: 'method', others: [] })
  })

  it('offer to cancel an existing label whose request was refused, to use another method', () => {
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
  ] as const)('never make a second label when the PDF of an existing one failed by %s', (code, primary) => {
    const change = { request: 'done', requested: true, failure: failure(code) } as const
    expect(actsOf(change)).toEqual({ primary, others: [] })
  })

  it('reprint a printed label, and make no second parcel', () => {
    expect(printedLabel(0).acts).toEqual({ primary: null, others: ['reprint'] })
  })

  it('confirm or keep while the card asks about a cancellation', () => {
    expect(labelQuestions.cancel).toEqual({ primary: 'confirm_cancel', others: ['keep'] })
  })

  it('give a reason or none while the card asks about a reprint, where Enter gives no reason', () => {
    expect(labelQuestions.reprint).toEqual({
      primary: null,
      others: ['reprint_damaged', 'reprint_lost', 'reprint_misprint', 'reprint_other', 'as_is'],
    })
  })

  it('send nothing while the print of the label waits for a decision', () => {
    const { print } = printedLabel(0)
    const held = withState({ ...printedLabel(0), print: print && { ...print, state: 'queued', asks: true } })
    expect(held.phase).toBe('print_held')
    expect(held.acts).toEqual({ primary: null, others: [] })
  })

  it('need their own role', () => {
    expect(rolesFor('address', made.bars)).toEqual(['RETURN_LABELS_UPDATE'])
    expect(rolesFor('address', withState({ ...made, cancelled: true }).bars)).toEqual([
      'RETURN_LABELS_CREATE',
    ])
    expect(rolesFor('cancel', made.bars)).toEqual(['RETURN_LABELS_CANCEL'])
    expect(rolesFor('reprint', made.bars)).toEqual([])
  })
})
