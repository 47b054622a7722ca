import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Locations } from '#desk/modifications/locations.ts'
import { ModificationDrafts, Modifications } from '#desk/modifications/modifications.ts'
import type { DraftStore } from '#desk/ports/modification-store.ts'
import type { Session } from '#desk/service/session.ts'
import type { ModificationDraft, ModificationView } from '#shared/bridge/stock-views.ts'
import { mostLocations } from '#shared/domain/locations.ts'
import { type DraftState, emptyDraft } from '#shared/domain/modification.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError, type Result } from '#shared/errors/result.ts'
import { type FakeClock, fakeClock } from '#support/desk-fakes.ts'
import { ModificationService, refused } from '#support/modification-service.ts'
import { catalogueOf, type ModificationStores, openModificationStores } from '#support/modification-stores.ts'
import { commandIdOf } from '#support/ids.ts'

const shelf = '00000000-0000-4000-8000-000000000041'

let clock: FakeClock
let service: ModificationService
let session: Session
let stores: ModificationStores
let modifications: Modifications
let locations: Locations
let moved: string[]
let sent: number

function open(draftStore: DraftStore = stores.draft): void {
  locations = new Locations({ book: stores.locations, clock })
  modifications = new Modifications({
    api: service.api,
    session,
    clock,
    ledger: stores.modifications,
    outbox: {
      retryNow() {
        sent++
      },
    },
    commands: stores.outbox,
    queue: stores.queue,
    draftStore,
    drafts: new ModificationDrafts({
      drafts: draftStore,
      locations: stores.locations,
      catalogue: catalogueOf('MUG', 'CUP', longCode),
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
  sent = 0
  open()
  locations.learn(`A-01|${shelf}`)
})
afterEach(() => stores.dispose())

const longCode = 'L'.repeat(2_000)

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

describe('the draft of a booking at the desk', () => {
  it('accepts only articles of the catalogue and locations of the location book, and lists the parts that are missing', () => {
    expect(modifications.draft()).toMatchObject({ missing: ['reason', 'location', 'lines'], canUndo: false })
    expect(modifications.change({ kind: 'add', variantId: 'plate' })).toMatchObject({
      error: { code: 'article.unknown' },
    })
    expect(modifications.change({ kind: 'location', locationId: 'nowhere' })).toMatchObject({
      error: { code: 'location.unknown' },
    })
    const draft = fill()
    expect(draft).toMatchObject({ missing: [], location: { id: shelf, code: 'A-01' }, note: 'wet' })
    expect(pieces(draft)).toEqual([
      ['MUG', -2],
      ['CUP', -1],
    ])
  })

  it('keeps the first 255 characters of the code of an article, and the first 200 of its name', () => {
    const { lines } = value(modifications.change({ kind: 'add', variantId: longCode.toLowerCase() }))
    expect(lines[0]?.variant).toMatchObject({
      articleCode: longCode.slice(0, 255),
      name: `Article ${longCode}`.slice(0, 200),
    })
  })

  it('refuses any further article once it has 1,000 lines, but accepts more pieces of the articles that it contains', () => {
    const lineOf = (number: number): DraftState['lines'][number] => {
      const id = number === 0 ? 'mug' : `v${String(number)}`
      return { variant: { id, name: 'x', articleCode: id, ean: null }, quantity: 1 }
    }
    const state = { ...emptyDraft, lines: Array.from({ length: 999 }, (_, number) => lineOf(number)) }
    stores.draft.save([{ seq: 1, cause: 'add', state }])
    open()
    expect(value(modifications.change({ kind: 'add', variantId: 'cup' })).lines).toHaveLength(1_000)
    const before = modifications.draft()
    expect(modifications.change({ kind: 'add', variantId: longCode.toLowerCase() })).toMatchObject({
      error: { code: 'modification.too_many_lines' },
    })
    expect(modifications.draft()).toEqual(before)
    const { lines } = value(modifications.change({ kind: 'add', variantId: 'mug' }))
    expect(lines).toHaveLength(1_000)
    expect(lines[0]?.quantity).toBe(2)
  })

  it('is unchanged after a restart, and changes can still be undone', async () => {
    const draft = fill()
    stores = await stores.reopen()
    open()
    expect(modifications.draft()).toEqual(draft)
    modifications.undo()
    expect(pieces(modifications.undo())).toEqual([['MUG', -2]])
  })

  it('has no location after this location was removed from the location book', () => {
    fill()
    expect(locations.forget({ id: shelf })).toBeNull()
    expect(modifications.draft()).toMatchObject({ location: null, missing: ['location'] })
    expect(modifications.book()).toMatchObject({
      error: { code: 'modification.incomplete', params: { missing: 'location' } },
    })
  })

  it('remains unchanged when the store fails', () => {
    const before = fill()
    let isFull = true
    open({
      ...stores.draft,
      save(history) {
        if (isFull) throw new CataloguedError('store.full')
        stores.draft.save(history)
      },
    })
    expect(() => modifications.change({ kind: 'add', variantId: 'cup' })).toThrow(CataloguedError)
    expect(modifications.draft()).toEqual(before)
    expect(() => modifications.undo()).toThrow(CataloguedError)
    expect(modifications.draft()).toEqual(before)
    isFull = false
    expect(pieces(value(modifications.change({ kind: 'add', variantId: 'cup' })))).toEqual([
      ['MUG', -2],
      ['CUP', -2],
    ])
  })
})

describe('the act of booking a draft', () => {
  it('results in an empty draft and one queued command, also after a restart', async () => {
    fill()
    const booked = value(modifications.book())
    expect(booked).toMatchObject({
      ...{ create: 'queued', reference: null, reason: 'DEFECTIVE', note: 'wet', bookedBy: 'sam' },
      location: { id: shelf, code: 'A-01' },
    })
    expect({ moved, sent }).toEqual({ moved: [booked.id], sent: 1 })
    stores = await stores.reopen()
    open()
    expect(modifications.draft()).toMatchObject({ lines: [], reason: null, canUndo: false })
    expect(modifications.recent()).toEqual([{ ...booked, told: expect.any(Number) as number }])
    expect(stores.outbox.open()).toMatchObject([
      { type: 'modification.create', subject: { kind: 'modification', id: booked.id } },
    ])
  })

  it('keeps the draft when the booking cannot be stored', () => {
    const draft = fill()
    const working = stores
    stores = {
      ...working,
      modifications: {
        ...working.modifications,
        book() {
          throw new CataloguedError('store.full')
        },
      },
    }
    open()
    expect(() => modifications.book()).toThrow(CataloguedError)
    expect(modifications.draft()).toEqual(draft)
    stores = working
    open()
    expect(modifications.draft()).toEqual(draft)
    expect(modifications.book().ok).toBe(true)
  })

  it('is refused when the operator is signed out', async () => {
    fill()
    await session.logout()
    expect(modifications.book()).toMatchObject({ error: { code: 'session.signed_out' } })
    expect(modifications.draft().missing).toEqual([])
  })
})

describe('taking back a refused booking', () => {
  const stop = (id: string): void => {
    const [command] = stores.outbox.open().filter(({ subject }) => subject.id === id)
    stores.outbox.holdLease('me', clock.now(), 1_000)
    stores.outbox.begin(commandIdOf(command?.id ?? ''), 'me', { at: 1, serviceTime: 1, baseline: null })
    stores.outbox.reject(
      commandIdOf(command?.id ?? ''),
      2,
      failure('api.rejected', { reason: 'blocked' }),
      null,
    )
  }

  it('restores the lines in the draft, and undo restores the previous draft', () => {
    fill()
    const { id } = value(modifications.book())
    expect(modifications.takeBack({ id: 'nothing' })).toMatchObject({
      error: { code: 'modification.unknown' },
    })
    stop(id)
    expect(value(modifications.get({ id }))).toMatchObject({
      ...{ create: 'rejected', failure: { code: 'api.rejected', params: { reason: 'blocked' } } },
    })
    modifications.change({ kind: 'add', variantId: 'cup' })
    const draft = value(modifications.takeBack({ id }))
    expect(draft).toMatchObject({ reason: 'DEFECTIVE', note: 'wet', step: -1, missing: [] })
    expect(pieces(draft)).toEqual([
      ['MUG', -2],
      ['CUP', -1],
    ])
    // the booking is settled, so the queue asks nothing about it
    expect(value(modifications.get({ id })).create).toBe('discarded')
    expect(moved.at(-1)).toBe(id)
    expect(pieces(modifications.undo())).toEqual([['CUP', 1]])
    const again = value(modifications.takeBack({ id }))
    expect(again.missing).toEqual([])
    expect(value(modifications.book()).id).not.toBe(id)
  })
})

describe('taking back a booking that was not sent', () => {
  it('restores the draft, and takes the booking out of the queue', () => {
    fill()
    const { id } = value(modifications.book())
    const draft = value(modifications.takeBack({ id }))
    expect(pieces(draft)).toEqual([
      ['MUG', -2],
      ['CUP', -1],
    ])
    expect(stores.outbox.open()).toEqual([])
    expect(value(modifications.get({ id })).create).toBe('discarded')
  })

  it('is refused when the booking may have arrived', () => {
    fill()
    const { id } = value(modifications.book())
    const [command] = stores.outbox.open()
    stores.outbox.holdLease('me', clock.now(), 1_000)
    stores.outbox.begin(commandIdOf(command?.id ?? ''), 'me', { at: 1, serviceTime: 1, baseline: null })
    const draft = modifications.draft()
    expect(modifications.takeBack({ id })).toMatchObject({ error: { code: 'modification.under_way' } })
    stores.outbox.markUnknown(commandIdOf(command?.id ?? ''), 2, failure('modification.outcome_unknown'))
    expect(modifications.takeBack({ id })).toMatchObject({ error: { code: 'modification.under_way' } })
    stores.outbox.requeue(commandIdOf(command?.id ?? ''), 3, null)
    expect(modifications.takeBack({ id })).toMatchObject({ error: { code: 'modification.under_way' } })
    expect(modifications.draft()).toEqual(draft)
  })

  it('leaves the draft and the queue unchanged when the store fails', () => {
    fill()
    const { id } = value(modifications.book())
    const working = stores
    stores = {
      ...working,
      queue: {
        ...working.queue,
        decide() {
          throw new CataloguedError('store.full')
        },
      },
    }
    open()
    const draft = modifications.draft()
    expect(() => modifications.takeBack({ id })).toThrow(CataloguedError)
    expect(modifications.draft()).toEqual(draft)
    expect(value(modifications.get({ id })).create).toBe('queued')
    stores = working
  })
})

describe('the status of a booking', () => {
  const settled = async (): Promise<void> => {
    for (let i = 0; i < 10; i++) await Promise.resolve()
  }
  const arrive = (status: 'created' | 'approved'): string => {
    fill()
    const { id } = value(modifications.book())
    const row = service.add('x', clock.now())
    row.status = status
    const [command] = stores.outbox.open()
    stores.outbox.holdLease('me', clock.now(), 1_000)
    stores.outbox.begin(commandIdOf(command?.id ?? ''), 'me', { at: 1, serviceTime: 1, baseline: null })
    const { id: serverId, reference } = row
    stores.outbox.complete(commandIdOf(command?.id ?? ''), clock.now(), {
      kind: 'modification',
      serverId,
      reference,
      status: 'created',
    })
    return id
  }

  it('is read again when the booking is opened over a minute after the last read, and is reported when it has changed', async () => {
    const id = arrive('approved')
    expect(value(modifications.get({ id })).status).toBe('created')
    await settled()
    expect(service.calls).toEqual([])
    clock.advance(61_000)
    moved = []
    expect(value(modifications.get({ id })).status).toBe('created')
    modifications.byReference('MOD00000000001')
    await settled()
    expect(service.calls).toEqual([`get ${service.rows[0]?.id ?? ''}`])
    expect(moved).toEqual([id])
    expect(modifications.byReference('MOD00000000001')).toMatchObject({ id, status: 'approved' })
    expect(modifications.byReference('MOD00000000002')).toBeNull()
  })

  it('is not reported when it has not changed or could not be read', async () => {
    const id = arrive('created')
    moved = []
    clock.advance(61_000)
    modifications.get({ id })
    await settled()
    service.trouble = refused(403)
    clock.advance(61_000)
    modifications.get({ id })
    await settled()
    expect(service.calls).toHaveLength(2)
    expect(moved).toEqual([])
  })
})

describe('the location book at the desk', () => {
  it('learns a location from its barcode, and finds this location by its code', () => {
    const other = '00000000-0000-4000-8000-000000000042'
    expect(locations.learn('A-01')).toBeNull()
    expect(locations.learn(`LOC:${other};b 02`)).toMatchObject({
      isNew: true,
      location: { id: other, code: 'b 02', source: 'scan' },
    })
    expect(locations.learn(other)).toMatchObject({ isNew: false, location: { code: 'b 02' } })
    expect(locations.byCode('B02')?.id).toBe(other)
    expect(locations.name({ id: other, code: ' a-01 ' })).toMatchObject({
      error: { code: 'location.code_taken', params: { code: 'a-01' } },
    })
    expect(locations.name({ id: 'nowhere', code: 'X' })).toMatchObject({
      error: { code: 'location.unknown' },
    })
    expect(value(locations.name({ id: other, code: '  B   03 ' }))).toMatchObject({ id: other, code: 'B 03' })
    expect(locations.list().map(({ code }) => code)).toEqual(['A-01', 'B 03'])
  })

  it('returns, after an import, the numbers of added, changed and unchanged locations and a list of the skipped lines, and refuses an import after which it would have more than 50,000 locations', async () => {
    const found = [
      { id: shelf, code: 'A-01' },
      { id: '00000000-0000-4000-8000-000000000043', code: 'C-03' },
    ]
    const report = value(await locations.import({ found, skipped: [{ line: 3, why: 'no_id' }] }))
    expect(report).toEqual({ added: 1, changed: 0, unchanged: 1, skipped: [{ line: 3, why: 'no_id' }] })
    expect(locations.list().map(({ code, source }) => [code, source])).toEqual([
      ['A-01', 'import'],
      ['C-03', 'import'],
    ])
    const tooMany = Array.from({ length: mostLocations }, (_, n) => ({ id: `n${n}`, code: `N-${n}` }))
    expect(await locations.import({ found: tooMany, skipped: [] })).toMatchObject({
      error: { code: 'location.book_full' },
    })
    expect(locations.list()).toHaveLength(2)
  })

  it('returns 2,000 locations of a long list in one call, and the others in further calls', async () => {
    const found = Array.from({ length: 2_500 }, (_, n) => ({ id: `n${n}`, code: `N-${n}` }))
    await locations.import({ found, skipped: [] })
    const first = locations.list()
    expect(first).toHaveLength(2_000)
    const second = locations.list(first.at(-1))
    expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(2_501)
  })
})
