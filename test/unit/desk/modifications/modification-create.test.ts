import BetterSqlite, { type Statement } from 'better-sqlite3'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { CommandType } from '#desk/outbox/command-type.ts'
import {
  createModification,
  modificationCreateCommand,
  modificationKind,
} from '#desk/modifications/modification-create.ts'
import type { NameVariant } from '#desk/modifications/modification-records.ts'
import type { ApiPort } from '#desk/ports/api.ts'
import type { CommandRow } from '#desk/ports/commands.ts'
import type { ModificationLedger, ModificationRow } from '#desk/ports/modification-store.ts'
import { PageLimit } from '#desk/service/page-limit.ts'
import type { Session } from '#desk/service/session.ts'
import { markNote } from '#shared/domain/references.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { type FakeClock, fakeClock } from '#support/desk-fakes.ts'
import { ModificationService, refused } from '#support/modification-service.ts'
import type { Modification } from '#shared/wire/modification.ts'
import { scriptedVariant } from '#support/scripted-stock.ts'
import { openModificationStores } from '#support/modification-stores.ts'
import { smallId } from '#support/small-world.ts'
import { turnsDuring } from '#support/turns.ts'
import { commandIdOf, serverIdOf } from '#support/ids.ts'
import { untried } from '#support/plain-command.ts'
import { never } from '#support/strict-store.ts'

/** The class of the prepared statements, which the library does not export. */
const statements = Object.getPrototypeOf(new BetterSqlite(':memory:').prepare('SELECT 1')) as Statement

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const id = '0f0e0d0c-0b0a-4908-8706-050403020100'
const row: ModificationRow = {
  id,
  serverId: null,
  reference: null,
  status: null,
  statusAsOf: null,
  reason: 'CORRECTION',
  locationId: smallId(41),
  locationCode: 'A-1',
  lines: [
    { variant: { id: smallId(21), name: 'Mug', articleCode: 'MUG', ean: null }, quantity: 2 },
    { variant: { id: smallId(22), name: 'Cup', articleCode: 'CUP', ean: null }, quantity: -1 },
  ],
  note: 'counted again',
  bookedBy: 'sam',
  createdAt: 0,
  create: { id: commandIdOf('c'), state: 'queued', failure: null },
  corrects: null,
  correctedBy: null,
}

let clock: FakeClock
let service: ModificationService
let type: CommandType
let session: Session

const ledger: ModificationLedger = {
  book: never,
  get: (wanted) => (wanted === id ? row : null),
  start: never,
  recent: () => [],
  undecided: never,
  byReference: never,
  isOurs: () => false,
  notOurs: (rows, most) => Promise.resolve(rows.filter(({ note }) => note !== 'ours').slice(0, most)),
  noteStatus: never,
}

/**
 * Returns a command whose first attempt began `sentAgoMs` milliseconds ago; null: the command was never sent.
 * `endedAgoMs`: how long ago its last attempt of unknown outcome ended; null: there was none.
 */
function command(sentAgoMs: number | null, endedAgoMs: number | null): CommandRow {
  const ago = (ms: number | null): number | null => (ms === null ? null : clock.now() - ms)
  return {
    ...untried,
    id: commandIdOf('c'),
    subject: { kind: 'modification', id },
    aggregate: `modification ${id}`,
    type: modificationCreateCommand,
    state: 'unknown',
    attempts: sentAgoMs === null ? 0 : 1,
    createdAt: clock.now(),
    firstSentAt: ago(sentAgoMs),
    endedAt: ago(endedAgoMs),
    madeBy: 'sam',
  }
}

interface Options {
  readonly nameVariant?: NameVariant
  readonly modifications?: ModificationLedger
}

const typeOf = (
  api: ApiPort,
  { nameVariant = () => null, modifications = ledger }: Options = {},
): CommandType =>
  createModification({
    api,
    session,
    ledgers: { modifications },
    nameVariant,
    ...{ now: () => clock.now(), ticks: () => clock.ticks(), pageLimit: new PageLimit(clock) },
  })

/** Returns the command type for the creation of modifications at a service where every article still exists. */
const waitingType = (options: Options = {}): CommandType =>
  typeOf(
    {
      ...service.api,
      getVariant: () =>
        Promise.resolve({ kind: 'answer', status: 200, value: scriptedVariant(1), serverDate: null }),
    },
    options,
  )

beforeEach(async () => {
  clock = fakeClock()
  service = new ModificationService(clock)
  session = await service.session()
  type = typeOf(service.api)
})

describe('sending a booking', () => {
  it('sends the lines of the booking and a marker in the note, and returns the booking of the service', async () => {
    const outcome = await type.build(command(null, null))('token')
    expect(outcome).toMatchObject({
      kind: 'answer',
      value: {
        facts: {
          kind: 'modification',
          serverId: smallId(5_001),
          reference: 'MOD00000000001',
          status: 'created',
        },
      },
    })
    expect(service.rows[0]?.note).toBe('counted again #0f0e0d0c0b0a49088706')
    expect(service.rows[0]?.modification_lines).toEqual([
      { variant: { id: smallId(21) }, location: { id: smallId(41) }, quantity: 2 },
      { variant: { id: smallId(22) }, location: { id: smallId(41) }, quantity: -1 },
    ])
    expect(type.isRepeatable).toBe(false)
  })

  it('is ambiguous if the response describes another booking, and the look then finds the sent booking', async () => {
    const earlier = service.add('', clock.now() - minuteMs)
    const theirs = service.add('counted #0123456789abcdef0123', clock.now())
    const lines = row.lines.map(({ variant, quantity }) => ({
      variant: { id: variant.id },
      location: { id: row.locationId },
      quantity,
    }))
    const made = (note: string, own: Modification['modification_lines'] = lines): Modification =>
      Object.assign(service.add(note, clock.now(), own), { reason: row.reason })
    const cut = made('counted')
    const marked = made('fell off the belt #0123456789abcdef0123')
    let response: Modification = earlier
    const write: ApiPort['write'] = async (token, route, call) => {
      const outcome = await service.api.write(token, route, call)
      return outcome.kind === 'answer' ? { ...outcome, value: response as typeof outcome.value } : outcome
    }
    const modifications = { ...ledger, isOurs: (serverId: string) => serverId === earlier.id }
    const confused = typeOf({ ...service.api, write }, { modifications })
    const malformed = { kind: 'ambiguous', failure: { code: 'api.malformed_answer' } }
    expect(await confused.build(command(null, null))('token')).toMatchObject(malformed)
    expect(await confused.readBack(command(minuteMs, 0))).toMatchObject({
      kind: 'found',
      answer: { facts: { serverId: smallId(5_005) } },
    })
    response = theirs
    expect(await confused.build(command(null, null))('token')).toMatchObject(malformed)
    response = cut
    expect(await confused.build(command(null, null))('token')).toMatchObject({ kind: 'answer' })
    // the operator's own text may contain a marker, and the service may cut off the rest of the note, with the marker
    // of the desk; so this response is accepted
    response = marked
    const copied = { ...row, note: `${marked.note} again` }
    const copying = typeOf(
      { ...service.api, write },
      { modifications: { ...modifications, get: () => copied } },
    )
    expect(await copying.build(command(null, null))('token')).toMatchObject({ kind: 'answer' })
    // the response is accepted if the service leaves out the note, the lines or their locations
    for (const own of [made(''), cut]) {
      response = { ...own, modification_lines: undefined }
      expect(await confused.build(command(null, null))('token')).toMatchObject({ kind: 'answer' })
    }
    response = made(
      '',
      lines.map((line) => ({ ...line, location: null })),
    )
    expect(await confused.build(command(null, null))('token')).toMatchObject({ kind: 'answer' })
    // bookings that a person made in the WMS, without a marker
    const other = made('', lines.slice(1))
    const bare = { ...other, modification_lines: undefined }
    const lost: Modification = { ...made(''), reason: 'LOST' }
    for (const foreign of [made('Yearly count'), lost, other, bare]) {
      response = foreign
      expect(await confused.build(command(null, null))('token')).toMatchObject(malformed)
    }
    service.failing.add(cut.id)
    response = { ...cut, modification_lines: undefined }
    expect(await confused.build(command(null, null))('token')).toMatchObject(malformed)
  })

  it('reads the present time of the service’s clock before the first attempt', async () => {
    service.aheadMs = 5 * 60 * minuteMs
    expect(await type.prepare(command(null, null), false)).toEqual({
      kind: 'go',
      baseline: [],
      serviceTime: clock.now() + service.aheadMs,
    })
  })

  it('waits while the service refuses the list, but proceeds without the right to list bookings', async () => {
    service.trouble = refused(400)
    expect(await type.prepare(command(null, null), false)).toMatchObject({ kind: 'not_now' })
    service.trouble = refused(403)
    expect(await type.prepare(command(null, null), false)).toMatchObject({ kind: 'go', serviceTime: null })
  })
})

describe('the look for a booking whose note the service shortens', () => {
  const line = (number: number, quantity: number): NonNullable<Modification['modification_lines']>[0] => ({
    variant: { id: smallId(number) },
    location: { id: smallId(41) },
    quantity,
  })
  const same = [line(22, -1), line(21, 2)]
  const made = (note: string, lines = same): Modification => {
    const modification = service.add(note, clock.now() - minuteMs, lines)
    modification.reason = 'CORRECTION'
    return modification
  }

  it('asks the operator about a booking with a shortened note and with the reason and the lines of the command, unless the operator has excluded this booking', async () => {
    made('', [line(21, 2)])
    const other = made('')
    other.reason = 'LOST'
    const alike = made('counted ag')
    expect(await type.readBack(command(2 * minuteMs, minuteMs))).toMatchObject({
      kind: 'unreadable',
      isRefused: true,
      alike: [
        {
          record: {
            serverId: alike.id,
            brief: {
              lines: [
                { articleCode: 'CUP', quantity: -1 },
                { articleCode: 'MUG', quantity: 2 },
              ],
            },
          },
          facts: { kind: 'modification', serverId: alike.id },
        },
      ],
    })
    expect(await type.prepare(command(2 * minuteMs, minuteMs), false)).toMatchObject({ kind: 'doubt' })
    const byWord = {
      ...command(2 * minuteMs, minuteMs),
      sendsUnseen: true,
      acknowledged: service.rows.map((one) => one.id),
    }
    expect(await type.prepare(byWord, false)).toMatchObject({ kind: 'go' })
    expect(await type.readBack(byWord)).toEqual({ kind: 'absent' })
  })

  it('reports the booking as absent if each similar booking has another note or the marker of another booking', async () => {
    made('fell off the belt')
    made('counted again #0123456789abcdef0123')
    made('#0123456789abcdef0123')
    expect(await type.readBack(command(2 * minuteMs, minuteMs))).toEqual({ kind: 'absent' })
    expect(service.calls.filter((call) => call.startsWith('get'))).toEqual([])
  })

  it('finds the booking when the response for the single booking contains the whole note', async () => {
    const ours = made('counted again')
    const whole = { ...service.api }
    whole.getModification = async (access, serverId) => {
      const outcome = await service.api.getModification(access, serverId)
      return outcome.kind === 'answer'
        ? { ...outcome, value: { ...outcome.value, note: markNote('counted again', id) } }
        : outcome
    }
    expect(await typeOf(whole).readBack(command(2 * minuteMs, minuteMs))).toMatchObject({
      kind: 'found',
      answer: { facts: { serverId: ours.id } },
    })
  })
})

describe('the check before a booking is sent', () => {
  const twin = (agoMs: number, quantity = 2): Modification => {
    const lines = [
      { variant: { id: smallId(99) }, location: { id: smallId(41) }, quantity: 1 },
      { variant: { id: smallId(21) }, location: { id: smallId(41) }, quantity },
    ]
    const modification = service.add('theirs', clock.now() - agoMs, lines)
    modification.reason = 'CORRECTION'
    return modification
  }

  it('asks the operator about a booking of another desk with a line of the same article, location and quantity', async () => {
    const theirs = twin(9 * minuteMs)
    expect(await waitingType().prepare(command(null, null), true)).toMatchObject({
      kind: 'ask',
      question: { kind: 'exists', records: [{ record: { serverId: theirs.id } }] },
    })
    // the operator has seen the similar booking and requests a second booking
    const seen = { ...command(null, null), acknowledged: [theirs.id] }
    expect(await waitingType().prepare(seen, true)).toMatchObject({ kind: 'go' })
  })

  it('passes when a row of the list is unreadable and there is no similar booking', async () => {
    service.unreadable.add(service.add('?', clock.now() - 60 * minuteMs).id)
    expect(await waitingType().prepare(command(null, null), false)).toMatchObject({ kind: 'go' })
  })

  it('waits while a booking that may be similar cannot be read, however often its read fails', async () => {
    twin(minuteMs)
    const failing = typeOf({
      ...service.api,
      getModification: () =>
        Promise.resolve({ kind: 'ambiguous', status: 500, failure: failure('api.unavailable') }),
    })
    const kinds: string[] = []
    for (let time = 1; time <= 8; time++) kinds.push((await failing.prepare(command(null, null), false)).kind)
    expect(new Set(kinds)).toEqual(new Set(['not_now']))
    const decided = { ...command(null, null), sendsUnseen: true, failsForLong: true }
    expect(await failing.prepare(decided, false)).toMatchObject({ kind: 'go', baseline: null })
  })

  it('reads an endless list only one time for all waiting bookings, and again only after a pause', async () => {
    let pages = 0
    let isEndless = true
    const row = service.add('theirs', clock.now())
    const endless = typeOf({
      ...service.api,
      listModifications: (token, query) => {
        pages++
        if (!isEndless) return service.api.listModifications(token, query)
        const ids = Array.from({ length: 1_000 }, (_, n) => serverIdOf(smallId(pages * 1_000 + n)))
        const value = { rows: ids.map((listed) => ({ ...row, id: listed })), skipped: [] }
        return Promise.resolve({ kind: 'answer', status: 200, value, serverDate: clock.now() })
      },
    })
    const waiting = command(null, null)
    expect(await endless.prepare(waiting, false)).toMatchObject({ kind: 'not_now' })
    const once = pages
    expect(once).toBeGreaterThan(10)
    clock.advance(900)
    for (let other = 0; other < 10; other++)
      expect(await endless.prepare(waiting, false)).toMatchObject({
        kind: 'not_now',
        failure: { code: 'api.malformed_answer' },
      })
    expect(pages).toBe(once)
    isEndless = false
    clock.advance(300)
    expect(await endless.prepare(waiting, false)).toMatchObject({ kind: 'go' })
  })

  it('asks no question about bookings that are old, disapproved, of this desk, or different in quantity or reason', async () => {
    twin(11 * minuteMs)
    twin(minuteMs).status = 'disapproved'
    twin(minuteMs, 3)
    twin(minuteMs).reason = 'LOST'
    twin(minuteMs).note = 'ours'
    expect(await waitingType().prepare(command(null, null), true)).toMatchObject({ kind: 'go' })
  })

  it('divides the comparison of notes that contain hundreds of markers among several turns of the event loop, with at most one SQL statement per note', async () => {
    const stores = await openModificationStores()
    try {
      const marker = (): string => `#${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`
      for (let number = 0; number < 100; number++)
        twin(minuteMs).note = Array.from({ length: 300 }, marker).join('')
      const modifications = {
        ...stores.modifications,
        get: (id: Parameters<typeof ledger.get>[0]) => ledger.get(id),
      }
      const reads = vi.spyOn(statements, 'get')
      const asked = waitingType({ modifications }).prepare(command(null, null), true)
      expect(await turnsDuring(asked)).toBeGreaterThanOrEqual(2)
      expect(await asked).toMatchObject({ kind: 'ask' })
      expect(reads.mock.calls.length).toBeLessThanOrEqual(100)
      reads.mockRestore()
    } finally {
      await stores.dispose()
    }
  })

  it('looks up names only for the lines and bookings that the question contains', async () => {
    const lines = Array.from({ length: 500 }, (_, at) => ({
      variant: { id: smallId(at === 0 ? 21 : 200 + (at % 30)) },
      location: { id: smallId(41) },
      quantity: 2,
    }))
    for (let number = 0; number < 30; number++) twin(minuteMs + number).modification_lines = lines
    const names: string[] = []
    const nameVariant = (variantId: string): { name: string; articleCode: string } => {
      names.push(variantId)
      return { name: 'Plate', articleCode: 'PLATE' }
    }
    const asked = await waitingType({ nameVariant }).prepare(command(null, null), true)
    const records = asked.kind === 'ask' && asked.question.kind === 'exists' ? asked.question.records : []
    expect(records).toHaveLength(20)
    expect(records[0]).toMatchObject({
      record: { serverId: service.rows[29]?.id, brief: { moreLines: 480 } },
    })
    // no name is looked up for the article of the first line, because the booking of this desk contains its name
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
    expect(names).toHaveLength(19)
  })

  it('asks the operator about a similar booking, even if the new booking was created a moment ago', async () => {
    const theirs = twin(minuteMs)
    expect(await waitingType().prepare(command(null, null), false)).toMatchObject({
      kind: 'ask',
      question: { kind: 'exists', records: [{ record: { serverId: theirs.id } }] },
    })
    expect(service.calls).toEqual(['list 1', 'list 2', 'list 2', `get ${theirs.id}`])
  })
})

describe('the look for a booking that the service may have received', () => {
  it('finds the booking by its marker, even if it is approved and the pages have only two rows', async () => {
    service.pageCap = 2
    for (let i = 0; i < 4; i++) service.add('somebody else’s', clock.now() - 3 * minuteMs - i)
    const ours = service.add(markNote('x', id), clock.now() - 2 * minuteMs)
    ours.status = 'approved'
    for (let i = 0; i < 5; i++) service.add(`later ${i}`, clock.now() - minuteMs + i)
    expect(await type.readBack(command(2 * minuteMs, minuteMs))).toMatchObject({
      kind: 'found',
      answer: { facts: { serverId: ours.id, status: 'approved' } },
    })
    const prepared = await type.prepare(command(2 * minuteMs, minuteMs), false)
    expect(prepared).toMatchObject({ kind: 'already', answer: { facts: { serverId: ours.id } } })
  })

  it.each([12 * minuteMs, 5 * 60 * minuteMs, 400 * dayMs])(
    'finds the booking by its marker if the Date header was %i ms ahead of the times of the records',
    async (aheadMs) => {
      service.pageCap = 2
      const own = service.add(markNote(row.note, id), clock.now() - 2 * minuteMs)
      service.add('another one', clock.now() - minuteMs)
      expect(await type.readBack(command(2 * minuteMs - aheadMs, minuteMs))).toMatchObject({
        kind: 'found',
        answer: { facts: { serverId: own.id } },
      })
    },
  )

  it('finds the booking on a page after the first if the Date header was five hours ahead of the times of the records', async () => {
    service.pageCap = 2
    const own = service.add(markNote(row.note, id), clock.now() - 2 * minuteMs)
    for (const count of [1, 2, 3]) service.add(`another one ${count}`, clock.now() - minuteMs)
    expect(await type.readBack(command(2 * minuteMs - 5 * 60 * minuteMs, minuteMs))).toMatchObject({
      kind: 'found',
      answer: { facts: { serverId: own.id } },
    })
  })

  it('returns the oldest of several bookings with the same marker', async () => {
    const first = service.add(markNote('x', id), clock.now() - 3 * minuteMs)
    service.add(markNote('x', id), clock.now() - minuteMs)
    expect(await type.readBack(command(3 * minuteMs, 0))).toMatchObject({
      answer: { facts: { serverId: first.id } },
    })
  })

  it('finds a booking that a later attempt created days after the first attempt', async () => {
    const ours = service.add(markNote('x', id), clock.now() - minuteMs)
    expect(await type.readBack(command(4 * dayMs, minuteMs))).toMatchObject({
      kind: 'found',
      answer: { facts: { serverId: ours.id } },
    })
  })

  it('reports the booking as absent only after it has read all bookings made since the first attempt', async () => {
    service.pageCap = 3
    for (let i = 0; i < 40; i++) service.add('other', clock.now() - i * minuteMs)
    expect(await type.readBack(command(5 * minuteMs, 0))).toEqual({ kind: 'absent' })
    // the desk reads only the pages with the records of the last 15 minutes; a page has three records
    expect(service.calls.filter((call) => call.startsWith('list'))).toHaveLength(6)
    expect(await type.prepare(command(5 * minuteMs, 0), false)).toMatchObject({ kind: 'go' })
  })

  it('leaves the outcome open if a row of the list is unreadable, or if the service is unreachable or refuses the list', async () => {
    service.unreadable.add(service.add('?', clock.now() - minuteMs).id)
    expect(await type.readBack(command(5 * minuteMs, 0))).toMatchObject({ kind: 'unreadable' })
    service.trouble = { kind: 'not_sent', failure: failure('network.offline') }
    expect(await type.readBack(command(5 * minuteMs, 0))).toMatchObject({
      kind: 'unreadable',
      isRefused: false,
    })
    service.trouble = refused(403)
    expect(await type.readBack(command(5 * minuteMs, 0))).toMatchObject({ isRefused: true })
  })
})

describe('a list of bookings that is read after an attempt of unknown outcome', () => {
  /** Returns the type of a creation command. Its service first returns the lists in `wrong`, one for each read. */
  const wrongFirst = (wrong: Modification[][], modifications = ledger): CommandType =>
    typeOf(
      {
        ...service.api,
        listModifications: async (token, query) => {
          const outcome = await service.api.listModifications(token, query)
          const rows = wrong.shift()
          return rows && outcome.kind === 'answer' ? { ...outcome, value: { rows, skipped: [] } } : outcome
        },
      },
      { modifications },
    )

  /**
   * Runs the checks before the first attempt of a command. Returns the command with the bookings that the checks noted,
   * as if an attempt of unknown outcome had ended a minute ago.
   */
  const afterFirst = async (): Promise<CommandRow> => {
    const prepared = await type.prepare(command(null, null), false)
    if (prepared.kind !== 'go') throw new Error(prepared.kind)
    return { ...command(2 * minuteMs, minuteMs), baseline: prepared.baseline }
  }

  it('counts as unreadable if it contains no booking that the service had before the first attempt', async () => {
    service.pageCap = 3
    for (let nth = 0; nth < 8; nth++) service.add('earlier', clock.now() - 3 * dayMs - nth * 60 * minuteMs)
    const sent = await afterFirst()
    expect(sent.baseline).toHaveLength(3)
    expect(await type.readBack(sent)).toEqual({ kind: 'absent' })
    const newer = Array.from({ length: 3 }, () => service.add('newer', clock.now()))
    const malformed = { failure: { code: 'api.malformed_answer' } }
    // case 1: both reads of page 1 are empty; case 2: page 1 is correct, and both reads of page 2 are empty
    for (const pages of [
      [[], []],
      [newer, [], []],
    ]) {
      const wrong = (): CommandType => wrongFirst([...pages])
      expect(await wrong().readBack(sent)).toMatchObject({ kind: 'unreadable', isRefused: false })
      expect(await wrong().prepare(sent, false)).toMatchObject({ kind: 'not_now', ...malformed })
      expect(await wrong().explain?.(sent, refused(400))).toMatchObject({ kind: 'unreadable', ...malformed })
      // the operator has decided to send the booking without a look
      expect(await wrong().prepare({ ...sent, sendsUnseen: true }, false)).toMatchObject({ kind: 'go' })
    }
    expect(await type.prepare(sent, false)).toMatchObject({ kind: 'go' })
  })

  it('counts as unreadable if it is empty and another booking of this desk has arrived at the service, even if no booking was noted before the attempt', async () => {
    const arrived = { ...row, serverId: serverIdOf(smallId(7)) }
    const type = wrongFirst([[], []], { ...ledger, recent: () => [row, arrived] })
    expect(await type.readBack(command(2 * minuteMs, minuteMs))).toMatchObject({ kind: 'unreadable' })
    service.add('theirs', clock.now())
    expect(await type.readBack(command(2 * minuteMs, minuteMs))).toEqual({ kind: 'absent' })
  })

  it('leads to no second attempt if it lacks the booking; the next list, which is read before a second attempt is allowed, contains the booking', async () => {
    const sent = await afterFirst()
    const ours = service.add(markNote(row.note, id), clock.now() - minuteMs)
    const again = service.add(markNote(row.note, id), clock.now())
    expect(await wrongFirst([[], []]).prepare(sent, false)).toMatchObject({
      kind: 'already',
      answer: { facts: { serverId: ours.id } },
      others: [{ record: { serverId: again.id } }],
    })
  })
})

describe('a booking in a list of writes', () => {
  it('has its first 50 lines, and the number of the remaining lines and of their pieces', async () => {
    const stores = await openModificationStores()
    try {
      const lines = Array.from({ length: 120 }, (_, at) => ({
        variant: { id: smallId(at + 1), name: `Article ${at}`, articleCode: `A-${at}`, ean: null },
        quantity: at === 119 ? -3 : 2,
      }))
      const { reason, locationId, note, bookedBy } = row
      const booked = { id: commandIdOf('c'), type: modificationCreateCommand }
      stores.modifications.book({ id, reason, locationId, lines, note, bookedBy, at: 0, command: booked })
      const kind = modificationKind({
        ...{ api: new Proxy({} as ApiPort, { get: never }), session, pageLimit: new PageLimit(clock) },
        ...{ ledgers: stores, nameVariant: never, now: never, ticks: never },
        ...{ takeBack: never, modificationMoved: never, arrived: never },
      })
      expect(kind.describe(id)?.brief).toMatchObject({
        lines: Array.from({ length: 50 }, (_, at) => ({ articleCode: `A-${at}`, quantity: 2 })),
        ...{ moreLines: 70, morePieces: 69 * 2 - 3 },
      })
    } finally {
      await stores.dispose()
    }
  })
})
