import { beforeEach, describe, expect, it } from 'vitest'
import { PageLimit } from '#desk/service/page-limit.ts'
import { createModification, modificationCreateCommand } from '#desk/modifications/modification-create.ts'
import type { CommandType, Preparation } from '#desk/outbox/command-type.ts'
import { type RecentLists, recentLists } from '#desk/outbox/recent-lists.ts'
import type { ApiOutcome, ApiPort } from '#desk/ports/api.ts'
import type { CommandRow } from '#desk/ports/commands.ts'
import type { ModificationLedger, ModificationRow } from '#desk/ports/modification-store.ts'
import { idHash } from '#shared/domain/id-hash.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { Modification } from '#shared/wire/modification.ts'
import { type FakeClock, fakeClock } from '#support/desk-fakes.ts'
import { commandIdOf } from '#support/ids.ts'
import { ModificationService, refused, unavailable } from '#support/modification-service.ts'
import { untried } from '#support/plain-command.ts'
import { smallId } from '#support/small-world.ts'

const minuteMs = 60_000
const dayMinutes = 24 * 60
const id = '0f0e0d0c-0b0a-4908-8706-050403020100'
const booked: ModificationRow = {
  id,
  serverId: null,
  reference: null,
  status: null,
  statusAsOf: null,
  reason: 'LOST',
  locationId: smallId(41),
  locationCode: 'A-1',
  lines: [{ variant: { id: smallId(21), name: 'Mug', articleCode: 'MUG', ean: null }, quantity: -1 }],
  note: '',
  bookedBy: 'sam',
  createdAt: 0,
  create: { id: commandIdOf('c'), state: 'queued', failure: null },
  corrects: null,
  correctedBy: null,
}

let clock: FakeClock
let service: ModificationService
let row: ModificationRow
/** The bookings of this desk. */
let arrived: ModificationRow[]
let type: CommandType
let lists: RecentLists
/** The outcomes of the reads of articles, by the id of the variant. */
let variants: Map<string, ApiOutcome<never>>
/** The outcomes of the reads of single bookings, by id. Without an entry, the service returns the booking. */
let singles: Map<string, ApiOutcome<never>>
/** The ids of the single bookings that the desk has requested. */
let opened: string[]

beforeEach(async () => {
  clock = fakeClock()
  service = new ModificationService(clock)
  // the service returns at most two bookings in a page, so the desk must read several pages
  service.pageCap = 2
  row = booked
  arrived = []
  variants = new Map()
  singles = new Map()
  opened = []
  const session = await service.session()
  const modifications: Partial<ModificationLedger> = {
    get: (one) => ({ ...row, id: one }),
    recent: () => arrived,
    notOurs: (rows, most) => Promise.resolve(rows.filter(({ note }) => note !== 'ours').slice(0, most)),
  }
  const pageLimit = new PageLimit(clock)
  const getVariant: ApiPort['getVariant'] = (_, variantId) =>
    Promise.resolve(variants.get(variantId) ?? { ...unavailable, failure: failure('internal.unexpected') })
  const getModification: ApiPort['getModification'] = (access, one) => {
    opened.push(one)
    const failed = singles.get(one)
    return failed ? Promise.resolve(failed) : service.api.getModification(access, one)
  }
  const api = { ...service.api, getVariant, getModification }
  const parts = { api, session, pageLimit, now: () => clock.now(), ticks: () => clock.ticks() }
  const ledgers = { modifications: modifications as ModificationLedger }
  type = createModification({ ...parts, ledgers, nameVariant: () => null })
  lists = recentLists(parts)
})

/**
 * Adds a booking at the service with the article, location and quantity of `booked`, made this long ago by the clock of
 * the records.
 */
function add(note: string, agoMs: number): Modification {
  const line = { variant: { id: smallId(21) }, location: { id: smallId(41) }, quantity: -1 }
  return service.add(note, clock.now() - agoMs, [line])
}

/** The command of a booking; it was requested now, and its first attempt began at this time. */
function command(firstSentAt: number | null, of = id): CommandRow {
  return {
    ...untried,
    id: commandIdOf('c'),
    subject: { kind: 'modification', id: of },
    aggregate: `modification ${of}`,
    type: modificationCreateCommand,
    createdAt: clock.now(),
    firstSentAt,
  }
}

describe('an equal booking of another desk, at a service whose Date header is minutes ahead of the times of its records', () => {
  it.each([0, 5, 15, -15, 60, 3 * dayMinutes, -3 * dayMinutes])(
    'is shown to the operator before the first attempt (%i minutes)',
    async (minutes) => {
      service.aheadMs = minutes * minuteMs
      for (const count of [0, 1, 2])
        service.add('another one', clock.now() - count * minuteMs).reason = 'DEFECTIVE'
      const theirs = add('theirs', 9 * minuteMs)
      const records = [{ record: { serverId: theirs.id } }]
      const asks = { kind: 'ask', question: { kind: 'exists', records } }
      expect(await type.prepare(command(null), false)).toMatchObject(asks)
    },
  )

  it.each([0, 15, -15, 3 * dayMinutes, -3 * dayMinutes])(
    'is found after the booking of this desk has arrived (%i minutes)',
    async (minutes) => {
      service.aheadMs = minutes * minuteMs
      add('long before', 12 * minuteMs)
      const own = add('ours', minuteMs)
      const theirs = add('theirs', 0)
      row = { ...booked, serverId: own.id }
      const found = await type.neighbours?.(command(clock.now() - minuteMs + service.aheadMs), lists)
      expect(found).toMatchObject([{ record: { serverId: theirs.id } }])
    },
  )
})

describe('an equal booking of another desk, made while the booking waited an hour', () => {
  it.each([
    ['is found after the booking has arrived if no list was read before the first attempt', true, 1],
    ['is not reported after the booking has arrived if the list was read before the first attempt', false, 0],
  ])('%s', async (_, sendsUnseen, found) => {
    row = { ...booked, serverId: add('ours', 0).id }
    add('theirs', 50 * minuteMs)
    const sent = { ...command(clock.now()), createdAt: clock.now() - 60 * minuteMs, sendsUnseen }
    expect(await type.neighbours?.(sent, lists)).toHaveLength(found)
  })
})

describe('an equal booking of another desk whose record cannot be read', () => {
  const malformed = { ...unavailable, failure: failure('api.malformed_answer') }
  const prepared = (values: Partial<CommandRow & { failsForLong: boolean }> = {}): Promise<Preparation> =>
    type.prepare({ ...command(null), ...values }, false)
  /** Adds a booking with the same reason and another line. */
  const other = (agoMs: number): Modification => {
    const line = { variant: { id: smallId(21) }, location: { id: smallId(41) }, quantity: -7 }
    return service.add('another one', clock.now() - agoMs, [line])
  }
  const asks = (one: Modification): object => ({
    kind: 'ask',
    question: { kind: 'exists', records: [{ record: { serverId: one.id } }] },
  })

  it.each([
    ['a server error', unavailable],
    ['a malformed response', malformed],
    ['a refusal', refused(400)],
  ])('is shown to the operator as soon as it can be read, after ten reads with %s', async (_, outcome) => {
    const theirs = add('theirs', minuteMs)
    singles.set(theirs.id, outcome)
    for (let time = 1; time <= 10; time++) {
      expect(await prepared()).toMatchObject({ kind: 'not_now' })
      clock.advance(10_000)
    }
    expect(opened).toHaveLength(10)
    singles.clear()
    expect(await prepared()).toMatchObject(asks(theirs))
  })

  it('is read once in five seconds, because each of many bookings may be compared with it', async () => {
    singles.set(add('theirs', minuteMs).id, unavailable)
    for (let time = 1; time <= 5; time++) expect(await prepared()).toMatchObject({ kind: 'not_now' })
    expect(opened).toHaveLength(1)
  })

  it('ends the check after the third failed read, and the next check first reads the bookings that have not failed', async () => {
    const theirs = add('theirs', 9 * minuteMs)
    for (let index = 0; index < 5; index++) singles.set(add('another one', index * minuteMs).id, unavailable)
    expect(await prepared()).toMatchObject({ kind: 'not_now', failure: { code: 'modification.comparing' } })
    expect(opened).toHaveLength(3)
    expect(await prepared({ sendsUnseen: true, failsForLong: true })).toMatchObject(asks(theirs))
  })

  it('leads to its failure, and not to a comparison without end, if a hundred such bookings cannot be read', async () => {
    for (let index = 0; index < 100; index++) singles.set(add('another one', index * 1_000).id, malformed)
    const codes: unknown[] = []
    for (let check = 1; check <= 40; check++) {
      const stop = await prepared()
      codes.push(stop.kind === 'not_now' && stop.failure.code)
      clock.advance(5_001)
    }
    expect([codes[0], codes.at(-1)]).toEqual(['modification.comparing', 'api.malformed_answer'])
    // each check reads other bookings of those that have failed
    opened = []
    for (let check = 1; check <= 34; check++) {
      await prepared()
      clock.advance(5_001)
    }
    expect(new Set(opened).size).toBe(100)
  })

  it.each([3, 4, 5, 6, 7])(
    'is compared when the reads succeed again, although six other bookings have failed too (after %d failed checks)',
    async (checks) => {
      const theirs = add('theirs', 0)
      const others = Array.from({ length: 6 }, (_, index) => other((index + 1) * 1_000))
      for (const one of [theirs, ...others]) singles.set(one.id, unavailable)
      for (let check = 1; check <= checks; check++) {
        expect(await prepared()).toMatchObject({ kind: 'not_now' })
        clock.advance(5_001)
      }
      singles.clear()
      let end = await prepared()
      for (let check = 1; check <= 3 && end.kind === 'not_now'; check++) end = await prepared()
      expect(end).toMatchObject(asks(theirs))
    },
  )

  it('stops the booking although another one fails for good, and the operator has decided to send it nevertheless', async () => {
    singles.set(add('another one', 0).id, malformed).set(add('theirs', minuteMs).id, unavailable)
    const decided = { sendsUnseen: true }
    expect(await prepared(decided)).toMatchObject({ kind: 'not_now', failure: { code: 'api.unavailable' } })
  })

  it('is not sent as if the login had no right to read bookings, if only another record is refused', async () => {
    singles.set(add('another one', 0).id, refused(403)).set(add('theirs', minuteMs).id, unavailable)
    expect(await prepared()).toMatchObject({ kind: 'not_now' })
  })

  it('does not hide another equal booking that can be read', async () => {
    singles.set(add('another one', 0).id, unavailable)
    const theirs = add('theirs', minuteMs)
    expect(await prepared()).toMatchObject(asks(theirs))
  })
})

describe('a booking that the operator sends although the read of one of its articles is malformed', () => {
  it('is checked for its other articles and for an equal booking of another desk', async () => {
    const malformed = { ...unavailable, failure: failure('api.malformed_answer') }
    const [mug] = booked.lines
    if (!mug) throw new Error('the booking has no line')
    const cup = { ...mug, variant: { ...mug.variant, id: smallId(22), articleCode: 'CUP' } }
    row = { ...booked, lines: [mug, cup] }
    variants.set(smallId(21), malformed).set(smallId(22), refused(404))
    const theirs = add('theirs', minuteMs)
    const decided = { ...command(null), sendsUnseen: true }
    expect(await type.prepare(command(null), true)).toMatchObject({
      kind: 'not_now',
      failure: { code: 'api.malformed_answer' },
    })
    expect(await type.prepare(decided, true)).toMatchObject({
      kind: 'ask',
      failure: { code: 'article.gone', params: { article: 'CUP' } },
    })
    variants.set(smallId(22), malformed)
    expect(await type.prepare(decided, true)).toMatchObject({
      kind: 'ask',
      question: { kind: 'exists', records: [{ record: { serverId: theirs.id } }] },
    })
    const seen = { ...decided, acknowledged: [theirs.id] }
    expect(await type.prepare(seen, true)).toMatchObject({ kind: 'go', baseline: [idHash(theirs.id)] })
  })
})

describe('a list of bookings that is empty before the first attempt', () => {
  it('does not hide an equal booking of another desk if only one response is empty', async () => {
    const theirs = add('theirs', minuteMs)
    service.emptyPages = 1
    expect(await type.prepare(command(null), false)).toMatchObject({
      kind: 'ask',
      question: { kind: 'exists', records: [{ record: { serverId: theirs.id } }] },
    })
  })

  it('counts as unreadable while the service has a booking of this desk, but not after the service has removed it', async () => {
    const earlier = add('ours', 60 * minuteMs)
    arrived = [{ ...booked, serverId: earlier.id }]
    const prepare = (): ReturnType<CommandType['prepare']> => {
      service.emptyPages = 2
      return type.prepare(command(null), false)
    }
    expect(await prepare()).toMatchObject({ kind: 'not_now', failure: { code: 'api.malformed_answer' } })
    service.failing.add(earlier.id)
    expect(await prepare()).toMatchObject({ kind: 'not_now', failure: { code: 'api.unavailable' } })
    service.failing.clear()
    service.rows.length = 0
    expect(await prepare()).toMatchObject({ kind: 'go' })
  })
})

describe('an equal booking of another desk that is followed by more than a hundred bookings with the same reason', () => {
  let theirs: Modification

  beforeEach(() => {
    service.pageCap = 1_000
    theirs = add('theirs', 5 * minuteMs)
    for (let number = 1; number <= 120; number++) service.add('another one', clock.now() - number * 1_000)
  })

  /** Returns the number of bookings that the desk opened since the last call. */
  const opened = (): number => service.calls.splice(0).filter((call) => call.startsWith('get ')).length
  const waits = { kind: 'not_now', failure: { code: 'modification.comparing' } }

  it('is shown to the operator after two waits; each check opens at most 50 bookings, and each booking is opened once', async () => {
    const created = command(null)
    const records = [{ record: { serverId: theirs.id } }]
    expect(await type.prepare(created, false)).toMatchObject(waits)
    expect(opened()).toBe(50)
    expect(await type.prepare(created, false)).toMatchObject(waits)
    expect(opened()).toBe(50)
    const asks = { kind: 'ask', question: { kind: 'exists', records } }
    expect(await type.prepare(created, false)).toMatchObject(asks)
    expect(opened()).toBe(21)
    expect(await type.prepare(created, false)).toMatchObject(asks)
    expect(await type.prepare({ ...created, acknowledged: [theirs.id] }, false)).toMatchObject({ kind: 'go' })
    expect(opened()).toBe(0)
  })

  it('is shown after the operator has decided about a newer equal booking, which is shown at once', async () => {
    const newest = add('theirs', 0)
    const asks = (one: Modification) => ({
      kind: 'ask',
      question: { kind: 'exists', records: [{ record: { serverId: one.id } }] },
    })
    const created = command(null)
    expect(await type.prepare(created, false)).toMatchObject(asks(newest))
    const decided = { ...created, acknowledged: [newest.id] }
    expect(await type.prepare(decided, false)).toMatchObject(waits)
    expect(await type.prepare(decided, false)).toMatchObject(asks(theirs))
  })

  it('is found after the booking of this desk has arrived, by looks that are repeated', async () => {
    row = { ...booked, serverId: add('ours', 0).id }
    const sent = command(clock.now())
    expect(await type.neighbours?.(sent, lists)).toBeNull()
    expect(await type.neighbours?.(sent, lists)).toBeNull()
    expect(await type.neighbours?.(sent, lists)).toMatchObject([{ record: { serverId: theirs.id } }])
  })
})

describe('bookings that need more comparisons together than the desk remembers', () => {
  it('are all sent', async () => {
    service.pageCap = 1_000
    for (let number = 0; number < 300; number++) service.add('another one', clock.now() - number * 1_000)
    let waiting = Array.from({ length: 100 }, (_, number) => smallId(7_000 + number))
    for (let round = 0; round < 20 && waiting.length > 0; round++) {
      const left: string[] = []
      for (const one of waiting) {
        const { kind } = await type.prepare(command(null, one), false)
        if (kind !== 'go') left.push(one)
      }
      waiting = left
    }
    expect(waiting).toHaveLength(0)
  }, 60_000)
})
