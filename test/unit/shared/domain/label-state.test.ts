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

describe('what can be done', () => {
  it('with a shipment that has no label: make one, its own way or another', () => {
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
  ] as const)('with a label %s', (_name, change, primary, others) => {
    expect(actsOf(change)).toEqual({ primary, others })
  })

  it.each([
    ['api.rejected', null, ['make_again', 'method', 'address']],
    ['api.role_missing', null, ['make_again', 'method', 'address']],
    ['return_label.method_unsupported', 'method', []],
    ['return_label.address_invalid', 'address', []],
    ['document.not_a_pdf', 'make', ['method', 'address']],
    ['document.host_refused', null, []],
  ] as const)('with one stopped by %s', (code, primary, others) => {
    expect(actsOf({ create: 'rejected', failure: failure(code) })).toEqual({ primary, others })
  })

  it('with one by hand whose method makes no return labels: another method, in the form that kept the rest', () => {
    const refused = { create: 'rejected' as const, failure: failure('return_label.method_unsupported') }
    expect(actsOf({ ...byHand, ...refused })).toEqual({ primary: 'method', others: [] })
  })

  it('with one that is there although its request was refused: cancel it for another method', () => {
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
  ] as const)('with one that exists but whose PDF failed by %s: never a second one', (code, primary) => {
    const change = { request: 'done', requested: true, failure: failure(code) } as const
    expect(actsOf(change)).toEqual({ primary, others: [] })
  })

  it('with a printed one: print it again, and nothing that would make a second parcel', () => {
    expect(printedLabel(0).acts).toEqual({ primary: null, others: ['reprint'] })
  })

  it('while the zone asks: say yes, or keep it', () => {
    expect(labelQuestions.cancel).toEqual({ primary: 'confirm_cancel', others: ['keep'] })
  })

  it('while the zone asks why it is printed again: a reason or none, and Enter is no reason', () => {
    expect(labelQuestions.reprint).toEqual({
      primary: null,
      others: ['reprint_damaged', 'reprint_lost', 'reprint_misprint', 'reprint_other', 'as_is'],
    })
  })

  it('whose print waits to be looked at: nothing that would send it', () => {
    const { print } = printedLabel(0)
    const held = withState({ ...printedLabel(0), print: print && { ...print, state: 'queued', asks: true } })
    expect(held.phase).toBe('print_held')
    expect(held.acts).toEqual({ primary: null, others: [] })
  })

  it('needs the role of that act', () => {
    expect(rolesFor('address', made.bars)).toEqual(['RETURN_LABELS_UPDATE'])
    expect(rolesFor('address', withState({ ...made, cancelled: true }).bars)).toEqual([
      'RETURN_LABELS_CREATE',
    ])
    expect(rolesFor('cancel', made.bars)).toEqual(['RETURN_LABELS_CANCEL'])
    expect(rolesFor('reprint', made.bars)).toEqual([])
  })
})
