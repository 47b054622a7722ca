import { commandIdOf } from '#support/ids.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Locations } from '#desk/modifications/locations.ts'
import { ModificationDrafts, Modifications } from '#desk/modifications/modifications.ts'
import type { Session } from '#desk/service/session.ts'
import type { ModificationDraft, ModificationView } from '#shared/bridge/stock-views.ts'
import type { Result } from '#shared/errors/result.ts'
import { type FakeClock, fakeClock } from '#support/desk-fakes.ts'
import { ModificationService } from '#support/modification-service.ts'
import { catalogueOf, type ModificationStores, openModificationStores } from '#support/modification-stores.ts'

const shelf = '00000000-0000-4000-8000-000000000041'

let clock: FakeClock
let service: ModificationService
let session: Session
let stores: ModificationStores
let modifications: Modifications
let locations: Locations
let moved: string[]

function open(): void {
  locations = new Locations({ book: stores.locations, clock })
  modifications = new Modifications({
    api: service.api,
    session,
    clock,
    ledger: stores.modifications,
    outbox: { retryNow: () => undefined },
    commands: stores.outbox,
    queue: stores.queue,
    draftStore: stores.draft,
    drafts: new ModificationDrafts({
      drafts: stores.draft,
      locations: stores.locations,
      catalogue: catalogueOf('MUG', 'CUP'),
      bookings: stores.modifications,
    }),
    moved: (id) => void moved.push(id),
    onFault: (error) => {
      throw error
    },
  })
}

beforeEach(async () => {
  clock = fakeClock()
  service = new ModificationService(clock)
  session = await service.session()
  stores = await openModificationStores()
  moved = []
  open()
  locations.learn(`A-01|${shelf}`)
})
afterEach(() => stores.dispose())

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.code)
  return result.value
}

function fill(): ModificationDraft {
  modifications.change({ kind: 'reason', reason: 'DEFECTIVE' })
  modifications.change({ kind: 'location', locationId: shelf })
  modifications.change({ kind: 'add', variantId: 'mug' })
  modifications.change({ kind: 'add', variantId: 'mug' })
  modifications.change({ kind: 'add', variantId: 'cup' })
  return value(modifications.change({ kind: 'note', note: 'wet' }))
}

const pieces = (view: ModificationDraft | ModificationView): [string, number][] =>
  view.lines.map((line) => [line.variant.articleCode, line.quantity])

describe('correcting a booking', () => {
  /** Books a modification that arrives at the service, where the warehouse approves or disapproves it. */
  function decided(status: 'approved' | 'disapproved'): ModificationView {
    fill()
    const { id } = value(modifications.book())
    const command = commandIdOf(stores.outbox.open()[0]?.id ?? '')
    stores.outbox.holdLease('me', clock.now(), 1_000)
    stores.outbox.begin(command, 'me', { at: 1, serviceTime: 1, baseline: null })
    const row = service.add('x', clock.now())
    const facts = { kind: 'modification', serverId: row.id, reference: row.reference } as const
    stores.outbox.complete(command, 2, { ...facts, status: 'created' })
    stores.modifications.noteStatus([{ ...facts, status }], 3)
    return view(id)
  }
  /** Returns the modification from the list of bookings, without a request to the service. */
  function view(id: string): ModificationView {
    const found = modifications.recent().find((one) => one.id === id)
    if (!found) throw new Error(`no booking ${id}`)
    return found
  }
  const kinds = (): string[] => stores.queue.notices().map(({ kind }) => kind)

  it('fills the draft with the lines of the booking, and undo restores the previous draft', () => {
    const { id, reference } = decided('disapproved')
    modifications.change({ kind: 'add', variantId: 'cup' })
    const draft = value(modifications.takeBack({ id }))
    expect(draft).toMatchObject({
      reason: 'DEFECTIVE',
      note: 'wet',
      corrects: { id, reference },
      missing: [],
    })
    expect(pieces(draft)).toEqual([
      ['MUG', -2],
      ['CUP', -1],
    ])
    const before = modifications.undo()
    expect(before.corrects).toBeNull()
    expect(pieces(before)).toEqual([['CUP', 1]])
  })

  it('links the correction and the disapproved booking to each other, and keeps the link after a restart', async () => {
    const { id, reference } = decided('disapproved')
    value(modifications.takeBack({ id }))
    stores = await stores.reopen()
    open()
    expect(modifications.draft().corrects).toEqual({ id, reference })
    modifications.change({ kind: 'quantity', variantId: 'mug', quantity: 1 })
    const corrected = value(modifications.book())
    expect(corrected.corrects).toEqual({ id, reference })
    expect(view(id).correctedBy).toEqual({ id: corrected.id, reference: null })
    expect(moved).toContain(id)
    stores = await stores.reopen()
    open()
    expect(view(corrected.id).corrects).toEqual({ id, reference })
  })

  it('keeps the notice of the disapproval until the correction is booked', () => {
    const { id } = decided('disapproved')
    expect(kinds()).toEqual(['disapproved'])
    value(modifications.takeBack({ id }))
    expect(kinds()).toEqual(['disapproved'])
    value(modifications.book())
    expect(kinds()).toEqual([])
  })

  it('is allowed again only after the first correction was taken out of the queue', () => {
    const { id } = decided('disapproved')
    value(modifications.takeBack({ id }))
    const first = value(modifications.book())
    expect(modifications.takeBack({ id })).toMatchObject({ error: { code: 'modification.corrected' } })
    const again = value(modifications.takeBack({ id: first.id }))
    expect(again.corrects?.id).toBe(id)
    expect(view(id).correctedBy).toBeNull()
    modifications.change({ kind: 'clear' })
    expect(modifications.draft().corrects).toBeNull()
    expect(value(modifications.takeBack({ id })).corrects?.id).toBe(id)
  })

  it('is refused if the warehouse has approved the booking', () => {
    const { id } = decided('approved')
    expect(modifications.takeBack({ id })).toMatchObject({ error: { code: 'modification.under_way' } })
  })
})
