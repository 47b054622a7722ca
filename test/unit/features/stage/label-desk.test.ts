import { beforeEach, describe, expect, it } from 'vitest'
import { type FormSubject, modeLike } from '#features/stage/label-desk.svelte.ts'
import { StageState } from '#features/stage/stage.state.svelte.ts'
import { labelMode, type ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { SessionView } from '#shared/bridge/views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { wireRole } from '#shared/wire/roles.ts'
import { repeatedReadMs } from '#place/repeated-reads.ts'
import { openLabel, printedLabel, sampleLabel, sampleSender } from '#support/memory-desk/labels.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { signedIn } from '#support/memory-desk/station.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')
const shipment = sampleShipment(nowMs)

let desk: MemoryDesk
let session: SessionView
let sounds: string[]
let opened: FormSubject[]
let clockMs: number
let stage: StageState

/** Returns the calls about labels in their order, except the searches for labels of other desks (`look`). */
function labelCalls(): string[] {
  return desk.calls.filter((call) => call.startsWith('returnLabel:') && call !== 'returnLabel:look')
}

async function scanWith(label: Partial<ReturnLabelView> | null): Promise<void> {
  desk.world.labels = label ? [{ ...openLabel(nowMs), ...label }] : []
  await stage.submit(shipment.reference)
  sounds = []
}

beforeEach(() => {
  desk = new MemoryDesk({ ...memoryWorld(() => nowMs), shipments: [shipment] })
  session = signedIn
  sounds = []
  opened = []
  clockMs = 0
  stage = new StageState({
    bridge: desk.bridge,
    session: () => session,
    play: (sound) => sounds.push(sound),
    onCommand: () => undefined,
    onRefused: () => sounds.push('look'),
    onTooSoon: () => sounds.push('look'),
    nowMs: () => clockMs,
    isShown: () => true,
    openForm: (subject) => opened.push(subject),
    onBooking: () => undefined,
  })
  desk.bridge.on('returnLabel', (label) => {
    stage.onLabel(label)
  })
})

describe('the label on the stage', () => {
  it('keeps the state of the newest event when an older event arrives late', async () => {
    await scanWith({ told: 1 })
    desk.putLabel({ ...openLabel(nowMs), told: 3, cancelled: true })
    stage.onLabel({ ...openLabel(nowMs), told: 2 })
    expect(stage.phase).toBe('cancelled')
    stage.onLabel({ ...openLabel(nowMs), told: 4 })
    expect(stage.phase).toBe('unrequested')
  })
})

describe('cancelling a label on the stage', () => {
  it('happens after one question, which PRIMARY answers with yes', async () => {
    await scanWith({})
    await stage.submit('SDCMDCANCEL')
    expect(sounds).toEqual(['decide'])
    expect(labelCalls()).toEqual([])
    expect(stage.labels.acts).toEqual({ primary: 'confirm_cancel', others: ['keep'] })
    await stage.submit('SDCMDPRIMARY')
    expect(labelCalls()).toEqual(['returnLabel:cancel'])
    expect(stage.phase).toBe('cancelling')
    expect(stage.labels.question).toBeNull()
  })

  it('is given up when HOME is scanned before the answer, and the next HOME closes the card', async () => {
    await scanWith({})
    await stage.runAct('cancel')
    await stage.submit('SDCMDHOME')
    expect(stage.card.kind).toBe('shipment')
    expect(stage.primaryAction).toBe('request')
    await stage.submit('SDCMDPRIMARY')
    expect(labelCalls()).toEqual(['returnLabel:request'])
    await stage.submit('SDCMDHOME')
    expect(stage.card.kind).toBe('home')
  })

  it('is given up when another card opens before the answer', async () => {
    await scanWith({})
    await stage.runAct('cancel')
    await stage.submit(shipment.reference)
    expect(stage.labels.question).toBeNull()
    await stage.submit('SDCMDPRIMARY')
    expect(labelCalls()).toEqual(['returnLabel:request'])
  })

  it('is given up when the label is requested before the answer', async () => {
    await scanWith({})
    await stage.runAct('cancel')
    desk.putLabel({ ...openLabel(nowMs), requested: true, trackingCode: '3S1' })
    expect(stage.labels.question).toBeNull()
    expect(stage.phase).toBe('requested')
    // PRIMARY does nothing: the operator still means the answer "yes" to the question, and cannot have read the new
    // primary act
    await stage.primary()
    expect([labelCalls(), sounds.at(-1)]).toEqual([[], 'look'])
    clockMs += repeatedReadMs
    await stage.primary()
    expect(labelCalls()).toEqual(['returnLabel:reprint'])
  })

  it('leaves the label unchanged when it fails, and the reason is shown', async () => {
    await scanWith({})
    desk.world.failures['returnLabel:cancel'] = failure('store.full')
    await stage.runAct('cancel')
    await stage.primary()
    expect(stage.actionFailure?.code).toBe('store.full')
    expect(stage.phase).toBe('unrequested')
  })

  it.each([
    ['printed', printedLabel(nowMs)],
    ['cancelled', { cancelled: true }],
    ['of unknown outcome', { create: 'unknown' }],
  ] as const)('is not offered for a label that is %s', async (_name, label) => {
    await scanWith(label)
    await stage.submit('SDCMDCANCEL')
    expect(sounds).toEqual(['look'])
    expect(stage.labels.question).toBeNull()
  })
})

describe('the primary act of a card that changes after an act of the operator', () => {
  async function cancelByScans(): Promise<void> {
    await scanWith({})
    for (const raw of ['SDCMDCANCEL', 'SDCMDPRIMARY']) await stage.submit(raw)
    clockMs += 2_000
    desk.putLabel({ ...openLabel(nowMs), told: 9, cancelled: true })
    expect(stage.primaryAction).toBe('make')
    sounds = []
  }

  it('is not done by PRIMARY before the operator can have read it', async () => {
    await cancelByScans()
    clockMs += repeatedReadMs - 1
    await stage.submit('SDCMDPRIMARY')
    expect([labelCalls(), sounds]).toEqual([['returnLabel:cancel'], ['look']])
    clockMs += 1
    await stage.submit('SDCMDPRIMARY')
    expect(labelCalls()).toEqual(['returnLabel:cancel', 'returnLabel:make'])
  })

  it('is done at once by PRIMARY if another barcode was scanned before PRIMARY', async () => {
    await cancelByScans()
    await stage.submit(shipment.reference)
    await stage.submit('SDCMDPRIMARY')
    expect(labelCalls()).toEqual(['returnLabel:cancel', 'returnLabel:make'])
  })

  it('is not done by PRIMARY directly after the change, even if the previous act asked no question', async () => {
    await scanWith({})
    await stage.submit('SDCMDPRIMARY')
    clockMs += 2_000
    desk.putLabel({ ...openLabel(nowMs), told: 9, cancelled: true })
    await stage.submit('SDCMDPRIMARY')
    expect([stage.primaryAction, labelCalls()]).toEqual(['make', ['returnLabel:request']])
  })

  it('is done at once by PRIMARY if a command that keeps the card was scanned before PRIMARY', async () => {
    await cancelByScans()
    await stage.submit('SDCMDLANGUAGE')
    await stage.submit('SDCMDPRIMARY')
    expect(labelCalls()).toEqual(['returnLabel:cancel', 'returnLabel:make'])
  })

  it('is not done by PRIMARY that was scanned while the previous act ran, even if the previous act failed', async () => {
    await scanWith({})
    desk.world.failures['returnLabel:cancel'] = failure('store.full')
    for (const raw of ['SDCMDCANCEL', 'SDCMDPRIMARY', 'SDCMDPRIMARY']) await stage.submit(raw)
    expect(stage.primaryAction).toBe('request')
    expect(labelCalls()).toEqual(['returnLabel:cancel'])
  })
})

describe('the form that the stage opens for a label', () => {
  it('is for the shipment if no label exists; the command METHOD sets the focus on the method, ADDRESS on the address', async () => {
    await scanWith(null)
    await stage.submit('SDCMDMETHOD')
    await stage.submit('SDCMDADDRESS')
    expect(opened).toEqual([
      { kind: 'shipment', shipment, focus: 'method' },
      { kind: 'shipment', shipment, focus: 'address' },
    ])
    expect(labelCalls()).toEqual([])
  })

  it('is for the existing label if this label can be changed or the service refused its address', async () => {
    await scanWith({})
    await stage.runAct('address')
    expect(opened).toMatchObject([{ kind: 'label', label: { id: 'lb-1' } }])
    await scanWith({ create: 'rejected', failure: failure('return_label.address_invalid') })
    await stage.primary()
    expect(opened[1]).toMatchObject({ kind: 'label', focus: 'address' })
  })

  it('has the focus on the method if the service refused the method; the form is for the existing label if the sender was changed, otherwise for the shipment', async () => {
    const refused = { create: 'rejected' as const, failure: failure('return_label.method_unsupported') }
    await scanWith({ ...refused, patch: 'discarded' })
    await stage.primary()
    await scanWith(refused)
    await stage.primary()
    expect(opened).toMatchObject([
      { kind: 'label', focus: 'method' },
      { kind: 'shipment', focus: 'method' },
    ])
  })

  it('is for the shipment if the label was cancelled; PRIMARY makes a new label with the method of the cancelled one', async () => {
    await scanWith({ cancelled: true, shippingMethodId: 'sm-3' })
    await stage.runAct('method')
    expect(opened).toMatchObject([{ kind: 'shipment', focus: 'method' }])
    await stage.primary()
    expect(labelCalls()).toEqual(['returnLabel:make'])
    expect(stage.label).toMatchObject({ id: 'lb-memory-2', shippingMethodId: 'sm-3', request: 'queued' })
  })
})

describe('a role that is missing in the login', () => {
  it('prevents only the acts on the stage that need this role', async () => {
    session = { ...signedIn, roles: [wireRole('RETURN_LABELS_REQUEST')] }
    await scanWith({})
    expect(stage.labels.missingFor('cancel')).toEqual(['RETURN_LABELS_CANCEL'])
    expect(stage.labels.missingFor('address')).toEqual(['RETURN_LABELS_UPDATE'])
    await stage.submit('SDCMDCANCEL')
    await stage.submit('SDCMDADDRESS')
    expect(sounds).toEqual(['look', 'look'])
    expect(opened).toEqual([])
    await stage.primary()
    expect(labelCalls()).toEqual(['returnLabel:request'])
  })

  it('is not reported as missing while the login is expired', async () => {
    session = { ...signedIn, state: 'expired', roles: [] }
    await scanWith({})
    expect(stage.labels.missingFor('cancel')).toEqual([])
  })
})

describe('making a refused label again', () => {
  it('needs a press of its button, and is not done by a scan of PRIMARY', async () => {
    await scanWith({ create: 'rejected', failure: failure('api.rejected') })
    await stage.submit('SDCMDPRIMARY')
    expect(labelCalls()).toEqual([])
    await stage.runAct('make_again')
    expect(labelCalls()).toEqual(['returnLabel:make'])
  })
})

describe('modeLike(), which returns the values of an earlier label for a new label', () => {
  const made = openLabel(0)
  const byHand = { shipmentId: null, shipmentReference: null }

  it('returns the method of a label of a shipment, and the sender of this label only if the operator has changed it', () => {
    const label = { ...made, shippingMethodId: 'sm-3' }
    expect(modeLike(label)).toEqual({
      by: 'shipment',
      shipmentId: 'sh-412',
      shippingMethodId: 'sm-3',
      sender: null,
    })
    expect(modeLike({ ...label, patch: 'done' })).toMatchObject({ sender: { city: 'Den Haag' } })
    // the desk does not use a sender whose country is an id of the service, because a request needs a country code
    const country = '5f0c6b1e-8f5e-4a3d-8d4b-1c2f3a4b5c6d'
    const unread = { ...label, sender: { ...sampleSender, country } }
    expect(modeLike(unread)).toMatchObject({ by: 'shipment', sender: null })
    expect(modeLike({ ...unread, patch: 'done' })).toBeNull()
  })

  it('returns null if the earlier label has no shipment and either no method or an incomplete sender', () => {
    const shippingMethodId = '11111111-1111-4111-8111-111111111111'
    const label = { ...sampleLabel(0), ...byHand, shippingMethodId, sender: sampleSender }
    expect(labelMode.parse(modeLike(label))).toMatchObject({ by: 'hand', shippingMethodId })
    expect(modeLike({ ...label, shippingMethodId: null })).toBeNull()
    expect(modeLike({ ...label, sender: { ...sampleSender, zipcode: null } })).toBeNull()
  })
})
