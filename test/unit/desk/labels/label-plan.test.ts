import { describe, expect, it } from 'vitest'
import { changedSender } from '#desk/labels/sender-change.ts'
import { planAgain, planCancel, planPatch, planRequest, type SenderWish } from '#desk/labels/label-plan.ts'
import type { CommandSummary, LabelRow, LabelStep } from '#desk/ports/label-ledger.ts'
import type { PrintJobRow } from '#desk/ports/print-jobs.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import type { Result } from '#shared/errors/result.ts'
import { senderAddress } from '#shared/wire/address.ts'
import { anySender } from '#support/label-wishes.ts'
import { commandIdOf, labelIdOf, serverLabelIdOf } from '#support/ids.ts'

function command(state: CommandState, isUntouched = state === 'queued'): CommandSummary {
  return { id: commandIdOf(`${state} one`), state, isUntouched, failure: null, movedAt: 1 }
}

function row(changes: Partial<LabelRow> = {}): LabelRow {
  return {
    id: labelIdOf('label'),
    origin: 'desk',
    shipmentId: 'shipment',
    shipmentReference: 'SHP1',
    shippingMethodId: null,
    wishedReference: null,
    sender: null,
    serverId: serverLabelIdOf('server'),
    externalReference: null,
    trackingCode: null,
    requested: false,
    cancelled: false,
    documentHash: null,
    documentFailure: null,
    createdAt: 1,
    asOf: 1,
    create: command('done'),
    patch: null,
    request: null,
    cancel: null,
    asked: null,
    trouble: null,
    print: null,
    ...changes,
  }
}

const wish: SenderWish = {
  changes: { city: 'Breda' },
  sender: changedSender(null, { ...anySender, city: 'Breda' }),
}
const again = { shippingMethodId: null, sender: null, request: true }

/**
 * Returns the steps of a plan as text: `patch+` adds a command of the type `patch`, `-create` discards the command with
 * the id `create`, and any other step has its own name. Returns the error code of a refused plan, and `new` for null.
 */
function told(plan: Result<readonly LabelStep[]> | readonly LabelStep[] | null): string {
  if (plan === null) return 'new'
  if ('ok' in plan && !plan.ok) return plan.error.code
  const steps = 'ok' in plan ? plan.value : plan
  return steps
    .map((step) => {
      if (step.do === 'add') return `${step.command.type.split('.')[1] ?? ''}+`
      return step.do === 'discard' ? `-${step.commandId}` : step.do
    })
    .join(' ')
}

const requested = { requested: true, request: command('done') }
const printed = { ...requested, documentHash: 'hash', print: { state: 'confirmed' } as PrintJobRow }

describe('the plan for a change of an existing label', () => {
  it.each<[string, Partial<LabelRow>, string, string, string]>([
    ['open', {}, 'request+', 'set_sender patch+', 'cancel+'],
    ['not sent', { create: command('queued') }, 'request+', 'set_sender patch+', '-queued one set_cancelled'],
    ['of unknown outcome', { create: command('unknown') }, 'request+', 'set_sender patch+', 'cancel+'],
    ['sent again', { create: command('queued', false) }, 'request+', 'set_sender patch+', 'cancel+'],
    [
      'to be requested',
      { request: command('queued') },
      '',
      '-queued one set_sender patch+ request+',
      '-queued one cancel+',
    ],
    ['being requested', { request: command('sending') }, '', 'return_label.already_requested', 'cancel+'],
    ['maybe requested', { request: command('unknown') }, '', 'return_label.already_requested', 'cancel+'],
    ['request refused', { request: command('rejected') }, 'request+', 'set_sender patch+', 'cancel+'],
    ['requested', requested, '', 'return_label.already_requested', 'return_label.already_requested'],
    ['cancelled', { cancelled: true }, 'return_label.cancelled', 'return_label.cancelled', ''],
    [
      'to be cancelled',
      { cancel: command('queued') },
      'return_label.cancelled',
      'return_label.cancelled',
      '',
    ],
    [
      'refused at its creation',
      { create: command('rejected') },
      'return_label.unknown',
      'return_label.unknown',
      // the plan discards the refused creation of the label
      '-rejected one set_cancelled',
    ],
    [
      'discarded before it was sent',
      { create: command('discarded') },
      'return_label.unknown',
      'return_label.unknown',
      'set_cancelled',
    ],
  ])(
    'has the steps that the state of the label allows for a request, a change and a cancellation: %s',
    (_, changes, onRequest, onPatch, onCancel) => {
      expect(told(planRequest(row(changes)))).toBe(onRequest)
      expect(told(planPatch(row(changes), wish))).toBe(onPatch)
      expect(told(planCancel(row(changes)))).toBe(onCancel)
    },
  )

  it.each<[string, Partial<LabelRow>, string]>([
    ['was not sent', { patch: command('queued') }, '-queued one set_sender patch+'],
    ['is being sent', { patch: command('sending') }, 'set_sender patch+'],
    ['has an unknown outcome', { patch: command('unknown') }, 'set_sender patch+'],
    [
      'was not sent, before a request that was not sent',
      { patch: command('queued'), request: { ...command('queued'), id: commandIdOf('request') } },
      '-request -queued one set_sender patch+ request+',
    ],
  ])('sends the whole address if an earlier change of the address %s', (_, changes, steps) => {
    const plan = planPatch(row(changes), wish)
    expect(told(plan)).toBe(steps)
    const change = plan.ok ? plan.value.find((step) => step.do === 'add') : undefined
    expect(JSON.parse(change?.command.payload ?? '{}')).toMatchObject({
      street: anySender.street,
      city: 'Breda',
    })
  })

  it('never sends an address field if the desk has only the beginning of its text', () => {
    const long = senderAddress.parse({
      ...anySender,
      zipcode: 'x'.repeat(2_000),
      phone_number: 'x'.repeat(255),
    })
    const changes = { city: 'Breda' }
    const plan = planPatch(row({ patch: command('sending') }), {
      changes,
      sender: changedSender(long, changes),
    })
    const change = plan.ok ? plan.value.find((step) => step.do === 'add') : undefined
    const payload: unknown = JSON.parse(change?.command.payload ?? '{}')
    expect(payload).toMatchObject({ city: 'Breda', phone_number: long.phone_number })
    expect(payload).not.toHaveProperty('zipcode')
  })

  it('never sends the id of a country, because only a country code is valid in a request', () => {
    const country = '5f0c6b1e-8f5e-4a3d-8d4b-1c2f3a4b5c6d'
    const open = row({ patch: command('sending') })
    const payloadOf = (changes: SenderWish['changes']): unknown => {
      const plan = planPatch(open, { changes, sender: { ...wish.sender, country, ...changes } as never })
      const change = plan.ok ? plan.value.find((step) => step.do === 'add') : undefined
      return JSON.parse(change?.command.payload ?? '{}')
    }
    expect(payloadOf({ city: 'Breda' })).not.toHaveProperty('country')
    expect(payloadOf({ country: 'BE' })).toHaveProperty('country', 'BE')
  })

  it('requests the label again if the service refused the previous change and the request was therefore discarded, but not if the operator discarded the request', () => {
    const refused = { patch: command('rejected'), request: command('discarded') }
    expect(told(planPatch(row(refused), wish))).toBe('set_sender patch+ request+')
    const takenBack = { ...refused, request: { ...command('discarded'), movedAt: 2 } }
    expect(told(planPatch(row(takenBack), wish))).toBe('set_sender patch+')
  })

  it('has no steps when there is nothing to change', () => {
    expect(told(planPatch(row(), { ...wish, changes: {} }))).toBe('')
  })
})

describe('the plan for making a label again', () => {
  it.each<[string, Partial<LabelRow>, string]>([
    ['open', {}, 'request+'],
    ['under way', { create: command('unknown'), request: command('queued') }, ''],
    ['requested and not printed yet', requested, ''],
    ['printed', printed, 'new'],
    ['whose print failed', { ...printed, print: { state: 'failed' } as PrintJobRow }, ''],
    ['made elsewhere and requested there', { origin: 'service', create: null, requested: true }, 'new'],
    ['made elsewhere and open', { origin: 'service', create: null }, 'request+'],
    ['cancelled', { cancelled: true }, 'new'],
    ['to be cancelled', { cancel: command('queued') }, 'new'],
    ['refused', { create: command('rejected') }, 'new'],
  ])(
    'continues a label that is open or still to be printed here, and creates a new label otherwise; state of the label: %s',
    (_, changes, meaning) => {
      expect(told(planAgain(row(changes), again))).toBe(meaning)
    },
  )

  it.each<[string, Partial<LabelRow>]>([
    ['open', {}],
    ['made elsewhere by an unknown method', { origin: 'service', create: null }],
    ['being requested', { request: command('sending') }],
    ['requested and not printed yet', requested],
  ])('creates a new label when the method changes for a label that is %s', (_, changes) => {
    expect(told(planAgain(row(changes), { ...again, shippingMethodId: 'other' }))).toBe('new')
  })

  it.each<[string, Partial<LabelRow>]>([
    ['being requested', { request: command('sending') }],
    ['requested and not printed yet', requested],
  ])('creates a new label when the sender changes for a label that is %s', (_, changes) => {
    expect(told(planAgain(row(changes), { ...again, sender: wish }))).toBe('new')
    expect(told(planAgain(row({ ...changes, sender: wish.sender }), { ...again, sender: wish }))).toBe('')
  })

  it('changes the address first and then requests the label, if the sender has changed', () => {
    expect(told(planAgain(row(), { ...again, sender: wish }))).toBe('set_sender patch+ request+')
    expect(told(planAgain(row({ request: command('queued') }), { ...again, sender: wish }))).toBe(
      '-queued one set_sender patch+ request+',
    )
    expect(told(planAgain(row({ sender: wish.sender }), { ...again, sender: wish }))).toBe('request+')
  })

  it('has no steps if the operator changed nothing and does not want to request the label', () => {
    expect(told(planAgain(row(), { ...again, request: false }))).toBe('')
  })

  it('sends all valid fields of the sender, not only the changed ones, after the service refused a change of the sender', () => {
    const { sender } = wish
    const refused = row({ patch: command('rejected'), sender })
    const plan = planPatch(refused, {
      changes: { zipcode: '1000 AA' },
      sender: { ...sender, zipcode: '1000 AA' },
    })
    const [, change] = plan.ok ? plan.value : []
    const payload = change?.do === 'add' ? change.command.payload : null
    expect(JSON.parse(payload ?? '{}')).toMatchObject({
      city: 'Breda',
      zipcode: '1000 AA',
      street: sender.street,
    })
    expect(told(planAgain(refused, { ...again, sender: wish }))).toBe('set_sender patch+ request+')
    expect(told(planAgain(row({ sender }), { ...again, sender: wish }))).toBe('request+')
  })
})
