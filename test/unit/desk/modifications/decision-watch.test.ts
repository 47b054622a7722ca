import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DecisionWatch } from '#desk/modifications/decision-watch.ts'
import type { ApiPort } from '#desk/ports/api.ts'
import { PageLimit } from '#desk/service/page-limit.ts'
import type { Session } from '#desk/service/session.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { Modification } from '#shared/wire/modification.ts'
import { type FakeClock, fakeClock } from '#support/desk-fakes.ts'
import { ModificationService, refused } from '#support/modification-service.ts'
import { type ModificationStores, openModificationStores } from '#support/modification-stores.ts'
import { smallId } from '#support/small-world.ts'
import { commandIdOf } from '#support/ids.ts'

const minuteMs = 60_000

let clock: FakeClock
let service: ModificationService
let session: Session
let stores: ModificationStores
let watch: DecisionWatch
let moved: string[]
let isOffline: boolean

beforeEach(async () => {
  clock = fakeClock()
  service = new ModificationService(clock)
  session = await service.session()
  stores = await openModificationStores()
  moved = []
  isOffline = false
  watch = watchWith(service.api)
})
afterEach(async () => {
  await watch.close()
  await stores.dispose()
})

function watchWith(api: ApiPort): DecisionWatch {
  return new DecisionWatch({
    api,
    session,
    pageLimit: new PageLimit(clock),
    line: { isOffline: () => isOffline },
    ledger: stores.modifications,
    clock,
    moved: (id) => void moved.push(id),
    onFault: (error) => {
      throw error
    },
  })
}

/** Advances the clock by this many milliseconds in small steps, so that responses are handled between the steps. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    for (let i = 0; i < 10; i++) await Promise.resolve()
    clock.advance(500)
  }
  for (let i = 0; i < 10; i++) await Promise.resolve()
}

/** A modification that was booked here and arrived at the service. */
function arrive(id: string): Modification {
  const theirs = service.add('x', clock.now())
  stores.modifications.book({
    id,
    reason: 'LOST',
    locationId: smallId(41),
    lines: [{ variant: { id: smallId(21), name: 'Mug', articleCode: 'MUG', ean: null }, quantity: -1 }],
    note: '',
    bookedBy: null,
    at: clock.now(),
    command: { id: commandIdOf(`c ${id}`), type: 'modification.create' },
  })
  stores.outbox.holdLease('me', clock.now(), 1_000)
  stores.outbox.begin(commandIdOf(`c ${id}`), 'me', { at: 1, serviceTime: 1, baseline: null })
  const { id: serverId, reference } = theirs
  stores.outbox.complete(commandIdOf(`c ${id}`), clock.now(), {
    kind: 'modification',
    serverId,
    reference,
    status: 'created',
  })
  watch.arrived(id)
  return theirs
}

const notices = (): [string, string][] =>
  stores.queue.notices().map(({ kind, subject }) => [kind, subject.id])

describe('DecisionWatch', () => {
  it('makes no call while no booking of the desk waits for a decision', async () => {
    service.add('of another desk', clock.now())
    watch.retryNow()
    await pass(20 * minuteMs)
    expect(service.calls).toEqual([])
  })

  it('finds an approval of a new booking within 15 seconds, stores a notice, and then makes no more calls', async () => {
    const theirs = arrive('ours')
    await pass(7_000)
    expect(moved).toEqual([])
    theirs.status = 'approved'
    await pass(15_000)
    expect(moved).toEqual(['ours'])
    expect(notices()).toEqual([['approved', 'ours']])
    const calls = service.calls.length
    await pass(20 * minuteMs)
    expect(service.calls).toHaveLength(calls)
  })

  it('stores one notice of a disapproval, even if the service reports the disapproval again', async () => {
    const theirs = arrive('ours')
    theirs.status = 'disapproved'
    await pass(10_000)
    const { id: serverId, reference } = theirs
    const facts = { kind: 'modification', serverId, reference, status: 'disapproved' } as const
    stores.modifications.noteStatus([facts], 9)
    expect(notices()).toEqual([['disapproved', 'ours']])
    stores = await stores.reopen()
    expect(notices()).toEqual([['disapproved', 'ours']])
  })

  it('slows down to one call per five minutes, and makes a call within ten seconds of a new booking', async () => {
    arrive('ours')
    await pass(60 * minuteMs)
    const inTheFirstHour = service.calls.length
    expect(inTheFirstHour).toBeLessThanOrEqual(18)
    await pass(60 * minuteMs)
    expect(service.calls.length - inTheFirstHour).toBeLessThanOrEqual(12)
    expect(service.calls.length - inTheFirstHour).toBeGreaterThanOrEqual(9)
    const before = service.calls.length
    arrive('another')
    await pass(10_000)
    expect(service.calls.length).toBe(before + 1)
  })

  it('reads one page of the list per look, and at most five single bookings that are not on this page', async () => {
    const old = Array.from({ length: 8 }, (_, i) => arrive(`old ${i}`))
    clock.advance(minuteMs)
    for (let i = 0; i < 120; i++) service.add('of another desk', clock.now() + i)
    for (const one of old) one.status = 'approved'
    service.calls.length = 0
    await pass(2_000)
    expect(service.calls.filter((call) => call.startsWith('list'))).toHaveLength(1)
    expect(service.calls.filter((call) => call.startsWith('get'))).toHaveLength(5)
    await pass(10_000)
    expect(notices()).toHaveLength(8)
  })

  it('makes no call while the desk is offline or signed out; once the desk is online again, retryNow() causes a call at once', async () => {
    const theirs = arrive('ours')
    isOffline = true
    await pass(20 * minuteMs)
    expect(service.calls).toEqual([])
    theirs.status = 'disapproved'
    isOffline = false
    watch.retryNow()
    await pass(500)
    expect(notices()).toEqual([['disapproved', 'ours']])
    arrive('another')
    await session.logout()
    service.calls.length = 0
    await pass(20 * minuteMs)
    expect(service.calls).toEqual([])
  })

  it('makes no call after the service refused one because of a missing role, until retryNow() is called', async () => {
    arrive('ours')
    service.trouble = refused(403)
    await pass(60 * minuteMs)
    expect(service.calls).toEqual(['list 1'])
    service.trouble = null
    watch.retryNow()
    await pass(1_000)
    expect(service.calls).toEqual(['list 1', 'list 1'])
  })

  it('finds an approval at a service that refuses pages of more than ten rows', async () => {
    service.longestPage = 10
    const theirs = arrive('ours')
    theirs.status = 'approved'
    await pass(10_000)
    expect(notices()).toEqual([['approved', 'ours']])
  })

  it('looks again after the service refused the list for another reason than a missing role', async () => {
    const theirs = arrive('ours')
    service.trouble = refused(400)
    await pass(30_000)
    service.trouble = null
    theirs.status = 'approved'
    await pass(2 * minuteMs)
    expect(notices()).toEqual([['approved', 'ours']])
  })

  it('finds the approval of a booking after an earlier call failed', async () => {
    const theirs = arrive('ours')
    service.trouble = { kind: 'not_sent', failure: failure('network.offline') }
    await pass(30_000)
    service.trouble = null
    theirs.status = 'approved'
    await pass(2 * minuteMs)
    expect(notices()).toEqual([['approved', 'ours']])
  })

  it('no longer watches a booking that the service does not return', async () => {
    const theirs = arrive('ours')
    service.rows.splice(service.rows.indexOf(theirs), 1)
    await pass(10_000)
    const calls = service.calls.length
    await pass(20 * minuteMs)
    expect(service.calls).toHaveLength(calls)
  })

  it('slows down even if the service returns a new status at each look', async () => {
    const all = Array.from({ length: 120 }, (_, i) => arrive(`ours ${i}`))
    let looks = 0
    const { api } = service
    await watch.close()
    watch = watchWith({
      ...api,
      listModifications: (token, query) => {
        looks++
        for (const one of all) one.status = `${looks} ${'x'.repeat(1_900)}`
        return api.listModifications(token, query)
      },
    })
    watch.retryNow()
    await pass(60 * minuteMs)
    expect(looks).toBeGreaterThan(10)
    expect(looks).toBeLessThanOrEqual(19)
    const status = stores.modifications.get('ours 119')?.status ?? ''
    expect(status).toHaveLength(60)
    expect(status).toMatch(/^\d+ x+$/)
  })

  it('returns to the shortest interval only at the first decision of a booking, not at later changes of it', async () => {
    const theirs = arrive('ours')
    arrive('undecided')
    const { id: serverId, reference } = theirs
    const facts = { kind: 'modification', serverId, reference } as const
    theirs.status = 'approved'
    await pass(10 * minuteMs)
    service.calls.length = 0
    for (let i = 0; i < 10; i++) {
      stores.modifications.noteStatus([{ ...facts, status: 'created' }], clock.now())
      await pass(7 * minuteMs)
      expect(stores.modifications.get('ours')?.status).toBe('approved')
    }
    expect(service.calls.length).toBeLessThanOrEqual(15)
  })

  it('ignores a booking that the service returns in place of the requested booking', async () => {
    const theirs = arrive('ours')
    const other = arrive('other')
    other.status = 'approved'
    const { api } = service
    await watch.close()
    watch = watchWith({
      ...api,
      listModifications: () =>
        Promise.resolve({ kind: 'answer', status: 200, value: { rows: [], skipped: [] }, serverDate: null }),
      getModification: (token, id) => {
        service.calls.push(`asked ${id}`)
        return api.getModification(token, id === theirs.id ? other.id : theirs.id)
      },
    })
    watch.retryNow()
    await pass(20 * minuteMs)
    expect(service.calls.filter((call) => call.startsWith('asked'))).toHaveLength(2)
    expect([moved, notices()]).toEqual([[], []])
  })
})
