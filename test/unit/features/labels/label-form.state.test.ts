import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LabelFormState } from '#features/labels/label-form.state.svelte.ts'
import type { SenderField } from '#features/labels/sender-fields.ts'
import { contract } from '#shared/bridge/contract.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { SessionView } from '#shared/bridge/views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { wireRole } from '#shared/wire/roles.ts'
import { openLabel, sampleLabel, sampleSender } from '#support/memory-desk/labels.ts'
import { withState } from '#support/memory-desk/memory-core.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { signedIn } from '#support/memory-desk/station.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')
const shipment = sampleShipment(nowMs)
const label = openLabel(nowMs)

let desk: MemoryDesk
let session: SessionView
let made: unknown[]
let patched: unknown[]
let done: ReturnLabelView[]
let sounds: string[]
let form: LabelFormState
let stationId: string
let drafts: { readonly typed: string | undefined; readonly station: string | undefined }[]

type Making = Parameters<MemoryDesk['bridge']['returnLabel']['make']>[0]

/**
 * Returns the arguments after the checks of main, which accept only GUIDs as ids. The memory desk has short ids, so the
 * checks get a GUID in place of each id, and the result has the short ids again.
 */
function accepted(args: Making): Making {
  const { mode } = args
  const asGuid = (id: string | null): string | null => id && '11111111-1111-4111-8111-111111111111'
  const ids = Object.fromEntries(
    Object.entries(mode).filter(([key]) => key === 'shipmentId' || key === 'shippingMethodId'),
  ) as Record<string, string | null>
  const guids = Object.fromEntries(Object.entries(ids).map(([key, id]) => [key, asGuid(id)]))
  const parsed = contract.returnLabel.make.args.parse({ ...args, mode: { ...mode, ...guids } })
  return { ...parsed, mode: { ...parsed.mode, ...ids } }
}

function begin(): LabelFormState {
  const { returnLabel } = desk.bridge
  const bridge = {
    ...desk.bridge,
    returnLabel: {
      ...returnLabel,
      make: (args: Parameters<typeof returnLabel.make>[0]) => {
        made.push(accepted(args))
        return returnLabel.make(args)
      },
      patch: (args: Parameters<typeof returnLabel.patch>[0]) => {
        patched.push(contract.returnLabel.patch.args.parse(args))
        return returnLabel.patch(args)
      },
      writeDraft: (...[draft, station]: Parameters<typeof returnLabel.writeDraft>) => {
        drafts.push({ typed: draft?.sender['addressed_to'], station })
        return returnLabel.writeDraft(draft)
      },
    },
  }
  form = new LabelFormState({
    bridge,
    session: () => session,
    stationId: () => stationId,
    play: (sound) => sounds.push(sound),
    onDone: (finished) => done.push(finished),
    onCancel: () => undefined,
  })
  return form
}

function fill(change: Partial<Record<SenderField, string>> = {}): void {
  const typed = { ...sampleSender, ...change }
  for (const [field, value] of Object.entries(typed))
    if (value !== null) form.type(field as SenderField, value)
}

beforeEach(() => {
  vi.useFakeTimers()
  desk = new MemoryDesk({ ...memoryWorld(() => nowMs), shipments: [shipment], labels: [label] })
  session = signedIn
  made = []
  patched = []
  done = []
  sounds = []
  stationId = 'alder'
  drafts = []
  begin()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the form of a label without a shipment', () => {
  it('creates a label with the chosen method and the typed address, and requests its PDF from the carrier', async () => {
    await form.open({ kind: 'hand' })
    form.chooseMethod('sm-3')
    form.typeReference(' KLACHT-118 ')
    fill()
    await form.submit(true)
    expect(made).toMatchObject([
      {
        request: true,
        mode: {
          by: 'hand',
          shippingMethodId: 'sm-3',
          externalReference: 'KLACHT-118',
          sender: { city: 'Den Haag' },
        },
      },
    ])
    expect(done).toHaveLength(1)
  })

  it('has the code of the country whose name was typed, also if the cursor is still in the field', async () => {
    await form.open({ kind: 'hand' })
    form.chooseMethod('sm-3')
    fill({ country: ' germany' })
    await form.submit(true)
    expect(made).toMatchObject([{ mode: { sender: { country: 'DE' } } }])
    expect(form.valueOf('country')).toBe('DE')
    form.type('country', 'Atlantis')
    form.visited('country')
    expect([form.valueOf('country'), form.faultOf('country')]).toEqual(['Atlantis', { kind: 'country' }])
    form.type('country', 'france')
    form.visited('country')
    expect(form.valueOf('country')).toBe('FR')
  })

  it('sends nothing while a field is invalid, and moves the cursor to the first invalid field', async () => {
    await form.open({ kind: 'hand' })
    await form.submit(true)
    expect(form.spot).toEqual({ at: 'method' })
    expect(form.saysMethodMissing).toBe(true)
    form.chooseMethod('sm-1')
    await form.submit(true)
    expect(form.spot).toEqual({ at: 'addressed_to' })
    fill({ street_number: '128 a achterhuis' })
    await form.submit(true)
    expect(form.spot).toEqual({ at: 'street_number' })
    expect(form.faultOf('street_number')).toEqual({ kind: 'too_long', by: 6 })
    fill()
    form.typeReference('x'.repeat(101))
    await form.submit(true)
    expect(form.spot).toEqual({ at: 'reference' })
    expect(made).toEqual([])
    expect(sounds).toEqual(['look', 'look', 'look', 'look'])
  })

  it('drops the cursor position of the previous form while the new form opens', async () => {
    await form.open({ kind: 'hand' })
    form.goTo('addressed_to')
    const opening = form.open({ kind: 'hand' })
    expect(form.spot).toBeNull()
    await opening
    expect(form.spot).toEqual({ at: 'method' })
  })

  it('marks a text that exceeds its limit already during typing, and an empty required field only after the cursor has left the field', async () => {
    await form.open({ kind: 'hand' })
    expect(form.faultOf('city')).toBeNull()
    form.type('city', 'x'.repeat(101))
    expect(form.faultOf('city')).toEqual({ kind: 'too_long', by: 1 })
    form.visited('street')
    expect(form.faultOf('street')).toEqual({ kind: 'missing' })
    expect(form.faultOf('zipcode')).toBeNull()
  })

  it('marks the field that the service refused, until the operator changes this field', async () => {
    await form.open({ kind: 'hand' })
    form.chooseMethod('sm-1')
    fill()
    desk.world.failures['returnLabel:make'] = failure('return_label.address_invalid', { field: 'zipcode' })
    await form.submit(true)
    expect(form.failure?.code).toBe('return_label.address_invalid')
    expect(form.faultOf('zipcode')).toEqual({ kind: 'refused' })
    expect(form.spot).toEqual({ at: 'zipcode' })
    expect(form.valueOf('zipcode')).toBe('2514 ED')
    form.type('zipcode', '2514 EE')
    expect(form.faultOf('zipcode')).toBeNull()
  })
})

describe('the typed fields of a label without a shipment', () => {
  it('are saved after a pause in typing, restored in a new window, and deleted after the label is made', async () => {
    await form.open({ kind: 'hand' })
    form.chooseMethod('sm-2')
    fill()
    expect(desk.calls).not.toContain('returnLabel:writeDraft')
    await vi.advanceTimersByTimeAsync(400)
    expect(desk.calls.filter((call) => call === 'returnLabel:writeDraft')).toHaveLength(1)
    await begin().open({ kind: 'hand' })
    expect(form.valueOf('street')).toBe('Lange Voorhout')
    expect(form.methods.chosenId).toBe('sm-2')
    await form.submit(false)
    expect(made).toMatchObject([{ request: false }])
    expect(desk.world.labelDraft).toBeNull()
  })

  it('are kept when the label could not be made, and while the form of a shipment is open', async () => {
    await form.open({ kind: 'hand' })
    form.chooseMethod('sm-2')
    fill()
    desk.world.failures['returnLabel:make'] = failure('session.signed_out')
    await form.submit(true)
    expect(desk.world.labelDraft?.sender['city']).toBe('Den Haag')
    await form.open({ kind: 'shipment', shipment, focus: 'address' })
    expect(form.valueOf('city')).toBe('Rotterdam')
    await form.open({ kind: 'hand' })
    expect(form.valueOf('city')).toBe('Den Haag')
  })

  it('are removed from the screen, but not from the saved draft, when the form is reset', async () => {
    await form.open({ kind: 'hand' })
    fill()
    await form.reset()
    expect(form.valueOf('city')).toBe('')
    expect(desk.world.labelDraft?.sender['city']).toBe('Den Haag')
  })

  it('are saved at the station at which they were typed, even if the window shows another station when they are saved', async () => {
    await form.open({ kind: 'hand' })
    form.type('addressed_to', 'Anna')
    stationId = 'birch'
    await vi.advanceTimersByTimeAsync(400)
    stationId = 'alder'
    form.type('addressed_to', 'Anna of Alder')
    stationId = 'birch'
    await form.reset()
    expect(drafts).toEqual([
      { typed: 'Anna', station: 'alder' },
      { typed: 'Anna of Alder', station: 'alder' },
    ])
  })

  it('are shortened in the saved draft to the limits of the contract, but not on the screen', async () => {
    await form.open({ kind: 'hand' })
    form.type('street', 'x'.repeat(900))
    await vi.advanceTimersByTimeAsync(400)
    expect(contract.returnLabel.writeDraft.args.safeParse(desk.world.labelDraft).success).toBe(true)
    expect(form.valueOf('street')).toHaveLength(900)
    const manyFields = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`field${String(n)}`, 'x']))
    const many = { ...desk.world.labelDraft, sender: manyFields }
    expect(contract.returnLabel.writeDraft.args.safeParse(many).success).toBe(false)
    await form.clear()
    expect(desk.world.labelDraft).toBeNull()
    expect(form.valueOf('street')).toBe('')
  })
})

describe('the form for the label of a shipment', () => {
  it('sends no address if the operator did not change the address, even if the address is incomplete', async () => {
    const sender = { ...sampleSender, zipcode: null }
    await form.open({ kind: 'shipment', shipment: { ...shipment, sender }, focus: 'method' })
    form.chooseMethod('sm-3')
    await form.submit(true)
    expect(made).toEqual([
      {
        mode: { by: 'shipment', shipmentId: 'sh-412', shippingMethodId: 'sm-3', sender: null },
        request: true,
        seen: null,
      },
    ])
  })

  it('sends the whole address if the operator changed one of its fields', async () => {
    await form.open({ kind: 'shipment', shipment, focus: 'address' })
    expect(form.spot).toEqual({ at: 'addressed_to' })
    form.type('street_number', '66')
    await form.submit(true)
    expect(made).toMatchObject([
      { mode: { shippingMethodId: null, sender: { street: 'Witte de Withstraat', street_number: '66' } } },
    ])
  })

  it('accepts no country outside ISO 3166-1 except the one that the service sent', async () => {
    const kosovo = { ...shipment, sender: { ...sampleSender, country: 'XK' } }
    await form.open({ kind: 'shipment', shipment: kosovo, focus: 'address' })
    form.type('city', 'Prizren')
    form.type('country', 'QX')
    await form.submit(true)
    expect(made).toEqual([])
    expect(form.faultOf('country')).toEqual({ kind: 'country' })
    form.type('country', 'XK')
    await form.submit(true)
    expect(made).toMatchObject([{ mode: { sender: { city: 'Prizren', country: 'XK' } } }])
  })

  it('keeps the typed sender when a refused label is made again with another method', async () => {
    const refused = {
      create: 'rejected' as const,
      patch: 'discarded' as const,
      request: 'discarded' as const,
    }
    const sender = { ...sampleSender, city: 'Gouda' }
    await form.open({ kind: 'label', label: withState({ ...label, ...refused, sender }), focus: 'method' })
    form.chooseMethod('sm-3')
    await form.submit(true)
    expect(made).toMatchObject([
      { mode: { by: 'shipment', shippingMethodId: 'sm-3', sender: { city: 'Gouda' } } },
    ])
  })

  it('keeps the typed fields when it is opened again for the same shipment, but not for another shipment', async () => {
    await form.open({ kind: 'shipment', shipment, focus: 'address' })
    form.type('city', 'Schiedam')
    await form.open({ kind: 'shipment', shipment, focus: 'method' })
    expect(form.valueOf('city')).toBe('Schiedam')
    await form.open({ kind: 'shipment', shipment: { ...shipment, id: 'sh-413' }, focus: 'method' })
    expect(form.valueOf('city')).toBe('Rotterdam')
  })
})

describe('the form to change an existing label', () => {
  it('sends only the changed fields', async () => {
    await form.open({ kind: 'label', label, focus: 'address' })
    expect(form.isChange).toBe(true)
    form.type('street_number', '10')
    form.type('email_address', '')
    form.run('PRIMARY')
    await vi.advanceTimersByTimeAsync(0)
    expect(patched).toEqual([{ id: 'lb-1', sender: { street_number: '10', email_address: null } }])
    expect(desk.calls).not.toContain('returnLabel:request')
    expect(done).toMatchObject([{ patch: 'queued' }])
  })

  it('keeps the cursor at the address when NEXT is scanned, because the form has no other part', async () => {
    const withoutShipment = { ...label, shipmentId: null }
    await form.open({ kind: 'label', label: withoutShipment, focus: 'address' })
    form.run('NEXT')
    expect(form.spot?.at).toBe('addressed_to')
  })

  it('requests the label, without a change, when the operator submits the form without typing', async () => {
    await form.open({ kind: 'label', label, focus: 'address' })
    await form.submit(true)
    expect(patched).toEqual([])
    expect(desk.calls).toContain('returnLabel:request')
  })

  it('makes a new label when the service refused the existing label', async () => {
    const refused = { ...sampleLabel(nowMs), shipmentId: null, shipmentReference: null, sender: sampleSender }
    const why = failure('return_label.address_invalid', { field: 'city' })
    const hand = withState({
      ...refused,
      create: 'rejected' as const,
      shippingMethodId: 'sm-1',
      failure: { ...why, params: { ...why.params } },
    })
    await form.open({ kind: 'label', label: hand, focus: 'address' })
    expect(form.isChange).toBe(false)
    expect(form.spot).toEqual({ at: 'city' })
    form.type('city', 'Delft')
    await form.submit(true)
    expect(made).toMatchObject([
      { mode: { by: 'hand', shippingMethodId: 'sm-1', sender: { city: 'Delft' } } },
    ])
  })
})

describe('the form of a label when the login lacks a role', () => {
  it('sends nothing and names the missing role', async () => {
    session = { ...signedIn, roles: [wireRole('RETURN_LABELS_CREATE')] }
    await form.open({ kind: 'shipment', shipment, focus: 'method' })
    expect(form.missingFor(false)).toEqual([])
    expect(form.missingFor(true)).toEqual(['RETURN_LABELS_REQUEST'])
    form.type('city', 'Schiedam')
    expect(form.missingFor(false)).toEqual(['RETURN_LABELS_UPDATE'])
    await form.submit(false)
    expect(made).toEqual([])
  })
})
