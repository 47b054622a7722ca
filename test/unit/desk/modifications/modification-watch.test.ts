import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ModificationWatch } from '#desk/modifications/modification-watch.ts'
import { PageLimit } from '#desk/service/page-limit.ts'
import type { Session } from '#desk/service/session.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { Modification } from '#shared/wire/modification.ts'
import { type FakeClock, fakeClock } from '#support/desk-fakes.ts'
import { ModificationService, refused, unavailable } from '#support/modification-service.ts'
import { type ModificationStores, openModificationStores } from '#support/modification-stores.ts'
import { smallId } from '#support/small-world.ts'
import { commandIdOf } from '#support/ids.ts'

let clock: FakeClock
let service: ModificationService
let session: Session
let stores: ModificationStores
let watch: ModificationWatch
let moved: string[]

beforeEach(async () => {
  clock = fakeClock()
  service = new ModificationService(clock)
  session = await service.session()
  stores = await openModificationStores()
  moved = []
  watch = new ModificationWatch({
    api: service.api,
    session,
    pageLimit: new PageLimit(clock),
    clock,
    locations: stores.locations,
    ledger: stores.modifications,
    moved: (id) => void moved.push(id),
    onFault: (error) => {
      throw error
    },
  })
})
afterEach(async () => {
  await watch.close()
  await stores.dispose()
})

/** Advances the clock by this many milliseconds in small steps, so that responses are handled between the steps. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    for (let i = 0; i < 10; i++) await Promise.resolve()
    clock.advance(100)
  }
  for (let i = 0; i < 10; i++) await Promise.resolve()
}

function withLocations(...locations: [id: number, code?: string][]): Modification {
  const lines = locations.map(([id, code]) => ({
    variant: { id: smallId(21) },
    location: { id: smallId(id), ...(code === undefined ? {} : { code }) },
    quantity: 1,
  }))
  return service.add('x', clock.now() - service.rows.length * 1_000, lines)
}

const reads = (): number => service.calls.filter((call) => call.startsWith('get')).length

describe('ModificationWatch', () => {
  it('stores the locations of the bookings that it reads, each with its code if the response contains the code', async () => {
    withLocations([41, 'A-1'], [42])
    withLocations([43, 'B-1'], [41, 'Z-9'])
    watch.retryNow()
    await pass(2_000)
    expect(stores.locations.list().map(({ id, code, source }) => [id, code, source])).toEqual([
      [smallId(41), 'A-1', 'modification'],
      [smallId(43), 'B-1', 'modification'],
      [smallId(42), null, 'modification'],
    ])
    // the desk sends no request, because it reads each booking only once
    watch.retryNow()
    await pass(2_000)
    expect(reads()).toBe(2)
    withLocations([44, 'C-1'])
    await pass(31 * 60_000)
    expect(reads()).toBe(3)
    expect(stores.locations.byCode('C-1')).not.toBeNull()
  })

  it('reads at most sixty bookings per round, one at a time, and the remaining bookings in later rounds', async () => {
    for (let i = 0; i < 150; i++) withLocations([1_000 + i])
    watch.retryNow()
    await pass(100)
    expect(reads()).toBeLessThanOrEqual(2)
    await pass(60_000)
    expect(reads()).toBe(60)
    await pass(31 * 60_000)
    expect(reads()).toBe(120)
    await pass(31 * 60_000)
    expect(reads()).toBe(150)
    expect(stores.locations.list()).toHaveLength(150)
  })

  it('learns at most a hundred different locations from one booking', async () => {
    const many = Array.from({ length: 4_990 }, (_, n): [number, string?] =>
      n % 2 === 0 ? [1_000 + n / 2] : [1_000 + (n - 1) / 2, `S-${n}`],
    )
    withLocations(...many)
    watch.retryNow()
    await pass(2_000)
    const found = stores.locations.list()
    expect(found).toHaveLength(100)
    expect(found.map(({ code }) => code)).toContain('S-1')
    expect(found.every(({ code }) => code !== null)).toBe(true)
  })

  it('tries to read a failing booking once in each of three rounds, and reads the other bookings meanwhile', async () => {
    const all = Array.from({ length: 150 }, (_, i) => withLocations([1_000 + i]))
    const bad = all[30]?.id ?? ''
    service.failing.add(bad)
    const asked = (): number => service.calls.filter((call) => call === `get ${bad}`).length
    watch.retryNow()
    await pass(10 * 60_000)
    expect([reads(), asked(), stores.locations.list().length]).toEqual([60, 1, 59])
    await pass(70 * 60_000)
    expect(asked()).toBe(3)
    // after three failed tries the desk does not read this booking again
    await pass(120 * 60_000)
    expect([asked(), stores.locations.list().length]).toEqual([3, 149])
  })

  it('reads at most sixty bookings in half an hour, even if rounds are interrupted', async () => {
    for (let i = 0; i < 290; i++) withLocations([1_000 + i])
    watch.retryNow()
    for (let times = 0; times < 5; times++) {
      await pass(8_000)
      service.trouble = unavailable
      await pass(300)
      service.trouble = null
      watch.retryNow()
      await pass(61_000)
    }
    expect(reads()).toBe(60)
    await pass(30 * 60_000)
    expect(reads()).toBe(120)
  })

  it('reads a booking again if the first request for it did not reach the service', async () => {
    const first = withLocations([41])
    withLocations([42])
    watch.retryNow()
    await pass(100)
    service.trouble = { kind: 'not_sent', failure: failure('network.offline') }
    await pass(10_000)
    service.trouble = null
    await pass(61_000)
    expect(stores.locations.list()).toHaveLength(2)
    expect(service.calls.filter((call) => call.startsWith('list'))).toEqual(['list 1', 'list 2', 'list 2'])
    expect(service.calls.filter((call) => call === `get ${first.id}`)).toHaveLength(2)
  })

  it('reads every booking in the list of a service that ignores the page number, with two list calls in a round', async () => {
    service.ignoresPage = true
    for (let i = 0; i < 100; i++) withLocations([1_000 + i])
    watch.retryNow()
    await pass(65 * 60_000)
    expect(reads()).toBe(100)
    expect(service.calls.length - reads()).toBeLessThanOrEqual(6)
  })

  it('doubles the pause after each consecutive failed read of the list, up to half an hour', async () => {
    service.trouble = unavailable
    watch.retryNow()
    await pass(64 * 60_000)
    // the list was read 0, 1, 3, 7, 15, 31 and 61 minutes after `retryNow`
    expect(service.calls).toHaveLength(7)
    service.trouble = null
    withLocations([41])
    watch.retryNow()
    await pass(1_000)
    expect(stores.locations.list()).toHaveLength(1)
  })

  it('makes no call after the service refused one because of a missing role, until retryNow() is called', async () => {
    withLocations([41])
    service.trouble = refused(403)
    watch.retryNow()
    await pass(3 * 60 * 60_000)
    expect(service.calls).toEqual(['list 1'])
    service.trouble = null
    watch.retryNow()
    await pass(1_000)
    expect(stores.locations.list()).toHaveLength(1)
  })

  it('retries about a minute after the connection was lost', async () => {
    withLocations([41])
    service.trouble = { kind: 'not_sent', failure: failure('network.offline') }
    watch.retryNow()
    await pass(10_000)
    service.trouble = null
    await pass(61_000)
    expect(stores.locations.list()).toHaveLength(1)
  })

  it('skips a booking that the service has removed, and reads the next one', async () => {
    const gone = withLocations([41])
    withLocations([42])
    watch.retryNow()
    await pass(100)
    service.rows.splice(service.rows.indexOf(gone), 1)
    await pass(2_000)
    expect(stores.locations.get(smallId(42))).not.toBeNull()
  })

  it('stores and reports the status of a booking made at this desk', async () => {
    const theirs = withLocations([41])
    stores.modifications.book({
      id: 'ours',
      reason: 'LOST',
      locationId: smallId(41),
      lines: [{ variant: { id: smallId(21), name: 'Mug', articleCode: 'MUG', ean: null }, quantity: -1 }],
      note: '',
      bookedBy: null,
      at: 1,
      command: { id: commandIdOf('c'), type: 'modification.create' },
    })
    stores.outbox.holdLease('me', clock.now(), 1_000)
    stores.outbox.begin(commandIdOf('c'), 'me', { at: 1, serviceTime: 1, baseline: null })
    const { id: serverId, reference } = theirs
    const facts = { kind: 'modification', serverId, reference, status: 'created' } as const
    stores.outbox.complete(commandIdOf('c'), 2, facts)
    theirs.status = 'disapproved'
    watch.retryNow()
    await pass(1_000)
    expect(moved).toEqual(['ours'])
    expect(stores.modifications.get('ours')).toMatchObject({ status: 'disapproved' })
  })

  it('makes no call while the operator is signed out', async () => {
    await session.logout()
    watch.retryNow()
    await pass(1_000)
    expect(service.calls).toEqual([])
  })
})
