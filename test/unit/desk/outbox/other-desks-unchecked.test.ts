import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLabel } from '#desk/labels/label-create.ts'
import { toLabelAnswer } from '#desk/labels/label-records.ts'
import { createModification, modificationCreateCommand } from '#desk/modifications/modification-create.ts'
import { modificationAnswer } from '#desk/modifications/modification-records.ts'
import type { CommandType } from '#desk/outbox/command-type.ts'
import { OtherDesks } from '#desk/outbox/later-looks.ts'
import { recentLists } from '#desk/outbox/recent-lists.ts'
import type { ApiPort } from '#desk/ports/api.ts'
import type { StorePort } from '#desk/ports/store.ts'
import type { Line } from '#desk/service/line.ts'
import { PageLimit } from '#desk/service/page-limit.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import type { CommandId } from '#shared/domain/ids.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { CommandFacts } from '#shared/writes/write-kinds.ts'
import { emptyLabelIndex, type FakeClock, fakeClock } from '#support/desk-fakes.ts'
import { commandIdOf, labelIdOf, serverLabelIdOf } from '#support/ids.ts'
import { ModificationService } from '#support/modification-service.ts'
import { scriptedLabel, scriptedShipment } from '#support/scripted-records.ts'
import { smallId } from '#support/small-world.ts'
import { StoreBench } from '#support/store-bench.ts'

const minuteMs = 60_000
const waitedMs = 5 * 60 * minuteMs
const id = commandIdOf('c')

let bench: StoreBench
let store: StorePort
let clock: FakeClock
let service: ModificationService

beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
  clock = fakeClock()
  service = new ModificationService(clock)
})
afterEach(() => bench.dispose())

/** How the creation was sent after it had waited five hours. */
interface Sent {
  readonly isAllowed: boolean
  readonly baseline: readonly string[] | null
  readonly isAmbiguous: boolean
}

/**
 * Stores that an operator has allowed the creation to be sent without the check (`isAllowed`), and that it was sent now
 * and has arrived. `isAmbiguous`: the first attempt had no response.
 */
function send({ isAllowed, baseline, isAmbiguous }: Sent, facts: CommandFacts): void {
  const note = { commandId: id, at: clock.now(), by: 'sam', decision: 'retry', details: null } as const
  if (isAllowed) expect(store.queue.decide(note, 'queued', { do: 'send_unchecked' })).toBe(true)
  store.outbox.holdLease('me', clock.now(), minuteMs)
  store.outbox.begin(id, 'me', { at: clock.now(), serviceTime: clock.now(), baseline })
  if (isAmbiguous) store.outbox.markUnknown(id, clock.now(), failure('network.timeout'))
  expect(store.outbox.complete(id, clock.now(), facts)).toBe(true)
}

/** Makes the first look for the records of other desks. Returns the ids of the records in the notices. */
async function lookAround(
  typeName: string,
  type: CommandType,
  api: ApiPort,
): Promise<(string | undefined)[]> {
  const noticed: (string | undefined)[] = []
  const looked = new Promise<CommandId>((resolve, reject) => {
    const others = new OtherDesks({
      types: new Map([[typeName, type]]),
      lists: recentLists({ api, session, pageLimit: new PageLimit(clock), now: () => clock.now() }),
      session,
      line: { isOffline: () => false } as Line,
      clock,
      quietMs: minuteMs,
      noticed: (_, __, records) => void noticed.push(...records.map(({ record }) => record.serverId)),
      onFault: reject,
      store: {
        ...store.outbox,
        lookedAround(commandId, nextAt) {
          store.outbox.lookedAround(commandId, nextAt)
          resolve(commandId)
        },
      },
    })
    others.kick()
  })
  await looked
  return noticed
}

let session: Awaited<ReturnType<ModificationService['session']>>
beforeEach(async () => {
  session = await service.session()
})

const cases: readonly [string, Sent, boolean][] = [
  ['was checked', { isAllowed: false, baseline: ['x'], isAmbiguous: false }, false],
  [
    'was checked, and its attempt was ambiguous',
    { isAllowed: false, baseline: ['x'], isAmbiguous: true },
    false,
  ],
  [
    'was checked after the operator had allowed it to be sent without',
    { isAllowed: true, baseline: ['x'], isAmbiguous: false },
    false,
  ],
  ['was sent without the check', { isAllowed: true, baseline: null, isAmbiguous: false }, true],
  [
    'was sent without the check, and its attempt was ambiguous',
    { isAllowed: true, baseline: null, isAmbiguous: true },
    true,
  ],
]
const everyCase = cases.flatMap(([how, sent, isFound]) =>
  [2, 1_000].map((pageCap) => [isFound ? 'is shown' : 'is not shown', how, pageCap, sent] as const),
)

describe('a similar record that another desk made while the creation of this desk waited five hours', () => {
  it.each(everyCase)(
    '%s if the creation of a booking %s, with pages of %i rows',
    async (result, _, pageCap, sent) => {
      service.pageCap = pageCap
      const line = { variant: { id: smallId(21) }, location: { id: smallId(41) }, quantity: -1 }
      store.modifications.book({
        id: '0f0e0d0c-0b0a-4908-8706-050403020100',
        reason: 'LOST',
        locationId: smallId(41),
        lines: [{ variant: { id: smallId(21), name: 'Mug', articleCode: 'MUG', ean: null }, quantity: -1 }],
        note: '',
        bookedBy: 'sam',
        at: clock.now(),
        command: { id, type: modificationCreateCommand },
      })
      const theirs = service.add('theirs', clock.now() + 30 * minuteMs, [line])
      clock.advance(waitedMs)
      for (let minutes = 5; minutes < 300; minutes += 10)
        service.add('another one', clock.now() - minutes * minuteMs).reason = 'DEFECTIVE'
      send(sent, modificationAnswer(service.add('ours', clock.now(), [line])).facts)
      const type = createModification({
        ...{ api: service.api, session, pageLimit: new PageLimit(clock) },
        ...{ now: () => clock.now(), ticks: () => clock.ticks() },
        ledgers: { modifications: store.modifications },
        nameVariant: () => null,
      })
      const noticed = await lookAround(modificationCreateCommand, type, service.api)
      expect(noticed).toEqual(result === 'is shown' ? [theirs.id] : [])
    },
  )

  it.each(everyCase)(
    '%s if the creation of a label %s, with pages of %i rows',
    async (result, _, pageCap, sent) => {
      const shipment = scriptedShipment(1)
      store.labels.make(
        {
          id: labelIdOf('label'),
          ...{ shipmentId: shipment.id, shipmentReference: shipment.reference, shippingMethodId: null },
          ...{ wishedReference: null, sender: null, madeBy: 'sam', at: clock.now() },
          commands: [{ id, type: labelCommands.create, payload: '{}' }],
        },
        () => null,
      )
      const made = (number: number, agoMs: number, of = shipment): ReturnLabel => {
        const { wire } = scriptedLabel(number, of)
        return { ...wire, created_at: new Date(clock.now() - agoMs).toISOString() }
      }
      const theirs = made(1, -30 * minuteMs)
      clock.advance(waitedMs)
      const ours = made(2, 0)
      const listed = [ours]
      for (let nth = 0; nth < 30; nth++) {
        const other = made(3 + nth, (5 + 10 * nth) * minuteMs, scriptedShipment(3 + nth))
        listed.push({ ...other, id: serverLabelIdOf(smallId(2_000 + nth)) })
      }
      listed.push(theirs)
      listed.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
      const api: ApiPort = {
        ...service.api,
        listReturnLabels(_token, { page, limit }) {
          const length = Math.min(limit, pageCap)
          const rows = listed.slice((page - 1) * length, page * length)
          const value = { rows, skipped: [] }
          return Promise.resolve({ kind: 'answer', status: 200, value, serverDate: clock.now() })
        },
      }
      send(sent, toLabelAnswer(ours).facts)
      const type = createLabel({
        ...{ api, session, pageLimit: new PageLimit(clock), labelIndex: emptyLabelIndex },
        ...{ now: () => clock.now(), ticks: () => clock.ticks() },
        ledgers: { labels: store.labels },
      })
      const noticed = await lookAround(labelCommands.create, type, api)
      expect(noticed).toEqual(result === 'is shown' ? [theirs.id] : [])
    },
  )
})
