import { beforeEach, describe, expect, it } from 'vitest'
import { createLabel } from '#desk/labels/label-create.ts'
import type { LabelCommandParts } from '#desk/labels/label-precheck.ts'
import type { CommandType } from '#desk/outbox/command-type.ts'
import { recentLists } from '#desk/outbox/recent-lists.ts'
import type { CommandRow } from '#desk/ports/commands.ts'
import type { LabelLedger, LabelRow } from '#desk/ports/label-ledger.ts'
import { PageLimit } from '#desk/service/page-limit.ts'
import type { Session } from '#desk/service/session.ts'
import { idHash } from '#shared/domain/id-hash.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { emptyLabelIndex, type FakeClock, fakeClock, unusedApi } from '#support/desk-fakes.ts'
import { commandIdOf, labelIdOf } from '#support/ids.ts'
import { untried } from '#support/plain-command.ts'
import { scriptedLabel, scriptedShipment } from '#support/scripted-records.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const shipment = scriptedShipment(1)

const label: LabelRow = {
  id: labelIdOf('label'),
  origin: 'desk',
  shipmentId: shipment.id,
  shipmentReference: shipment.reference,
  shippingMethodId: null,
  wishedReference: null,
  sender: null,
  serverId: null,
  externalReference: null,
  trackingCode: null,
  requested: false,
  cancelled: false,
  documentHash: null,
  documentFailure: null,
  createdAt: 0,
  asOf: null,
  create: null,
  patch: null,
  request: null,
  cancel: null,
  asked: null,
  trouble: null,
  print: null,
}

let clock: FakeClock
/** The labels of the service, newest first. */
let listed: ReturnLabel[]
/** How far the Date header of the service is ahead of the clock of the PC, in milliseconds; null: it sends none. */
let aheadMs: number | null
/** The label to create. */
let wanted: LabelRow
let parts: LabelCommandParts
let type: CommandType

beforeEach(() => {
  clock = fakeClock()
  listed = []
  aheadMs = 0
  wanted = label
  const labels: Partial<LabelLedger> = {
    get: () => wanted,
    byServerId: (id) => (id === wanted.serverId ? wanted : null),
    isClaimed: () => false,
    newestOfShipment: () => null,
    recent: () => [],
  }
  const session: Pick<Session, 'withAccess'> = { withAccess: (call) => call('token') }
  const gone = { kind: 'refused', status: 404, failure: failure('api.not_found'), serverDate: null } as const
  parts = {
    api: {
      ...unusedApi,
      listReturnLabels: (_, { page }) => {
        const value = { rows: page === 1 ? listed : [], skipped: [] }
        const serverDate = aheadMs === null ? null : clock.now() + aheadMs
        return Promise.resolve({ kind: 'answer', status: 200, value, serverDate })
      },
      // a service without the deprecated path (API.md 7.2)
      getShipmentReturnLabel: () => Promise.resolve(gone),
    },
    session: session as Session,
    ledgers: { labels: labels as LabelLedger },
    labelIndex: emptyLabelIndex,
    now: () => clock.now(),
    ticks: () => clock.ticks(),
    pageLimit: new PageLimit(clock),
  }
  type = createLabel(parts)
})

/** A label that the service created this long before the present time of the PC, by the clock of the records. */
function labelAgo(agoMs: number, of = shipment): ReturnLabel {
  const { wire } = scriptedLabel(agoMs / 1_000, of)
  return { ...wire, created_at: new Date(clock.now() - agoMs).toISOString() }
}

/** A label creation that was never sent. */
function unsent(): CommandRow<'return_label'> {
  return {
    ...untried,
    id: commandIdOf('create'),
    subject: { kind: 'return_label', id: labelIdOf('label') },
    aggregate: 'label label',
    type: labelCommands.create,
    createdAt: clock.now(),
  }
}

/** A label creation of unknown outcome, sent this long ago while the Date header was `dateAheadMs` ahead. */
function sent(agoMs: number, dateAheadMs: number): CommandRow<'return_label'> {
  const at = clock.now() - agoMs
  const times = { createdAt: at, firstSentAt: at + dateAheadMs, endedAt: at }
  return { ...unsent(), state: 'unknown', attempts: 1, ...times, baseline: [] }
}

const asked = (one: ReturnLabel | undefined): object => ({
  kind: 'unreadable',
  isRefused: true,
  alike: [{ record: { serverId: one?.id } }],
})

describe('a label of another desk that was created after the request of this label', () => {
  it.each([false, true])(
    'is shown to the operator hours later, also if the command was checked recently (hasWaited %s)',
    async (hasWaited) => {
      const command = { ...unsent(), createdAt: clock.now() - 8 * hourMs }
      const theirs = labelAgo(7 * hourMs)
      listed = [labelAgo(minuteMs, scriptedShipment(3)), theirs]
      expect(await type.prepare(command, hasWaited)).toMatchObject({
        kind: 'ask',
        question: { kind: 'exists', records: [{ record: { serverId: theirs.id } }] },
      })
    },
  )
})

describe('the look for a label creation of unknown outcome, with clocks that differ from the times of the records', () => {
  it('asks the operator about a new label if the Date header is two days ahead', async () => {
    aheadMs = 2 * dayMs
    const creation = sent(minuteMs, aheadMs)
    listed = [labelAgo(hourMs)]
    const baseline = listed.map(({ id }) => idHash(id))
    expect(await type.readBack({ ...creation, baseline })).toEqual({ kind: 'absent' })
    listed = [labelAgo(minuteMs), ...listed]
    expect(await type.readBack({ ...creation, baseline })).toMatchObject(asked(listed[0]))
    expect(await type.prepare({ ...creation, baseline }, false)).toMatchObject({ kind: 'doubt' })
  })

  it('asks the operator about a new label if the service sends no Date header and the PC is an hour ahead', async () => {
    aheadMs = null
    listed = [labelAgo(hourMs + minuteMs)]
    expect(await type.readBack(sent(minuteMs, 0))).toMatchObject(asked(listed[0]))
  })

  it.each([0, 30 * minuteMs, 2 * dayMs])(
    'asks the operator a quarter of an hour after the attempt if the Date header was ahead at the attempt and is now %i ms ahead',
    async (nowAheadMs) => {
      listed = [labelAgo(0, scriptedShipment(2)), labelAgo(15 * minuteMs)]
      aheadMs = nowAheadMs
      const creation = sent(15 * minuteMs, nowAheadMs || 30 * minuteMs)
      expect(await type.readBack(creation)).toMatchObject(asked(listed[1]))
    },
  )
})

describe('a label creation at a service with two machines, where the clock of the machine that creates the label is behind', () => {
  /**
   * Makes a label creation that was sent a minute ago and whose response is lost; its baseline is the labels that the
   * service has now. Then adds the created label at the service, with a creation time that is `behindMs` before the
   * attempt.
   */
  async function lose(behindMs: number): Promise<CommandRow<'return_label'>> {
    const prepared = await type.prepare(unsent(), false)
    if (prepared.kind !== 'go') throw new Error(prepared.kind)
    const creation = { ...sent(minuteMs, 0), baseline: prepared.baseline }
    listed = [...listed, labelAgo(minuteMs + behindMs)]
    return creation
  }

  it.each([11 * minuteMs, hourMs, 400 * dayMs])(
    'asks the operator about the label of a lost response, if the clock is %i ms behind',
    async (behindMs) => {
      listed = [labelAgo(0, scriptedShipment(2))]
      const creation = await lose(behindMs)
      expect(await type.readBack(creation)).toMatchObject(asked(listed[1]))
      expect(await type.prepare(creation, false)).toMatchObject({ kind: 'doubt' })
    },
  )

  it('finds a label by the reference that this desk generated', async () => {
    wanted = { ...label, shipmentId: null, wishedReference: 'RET-0123456789AB' }
    listed = [labelAgo(2 * minuteMs, scriptedShipment(2))]
    const creation = await lose(hourMs)
    listed = listed.map((one, at) => (at === 1 ? { ...one, external_reference: 'RET-0123456789AB' } : one))
    expect(await type.readBack(creation)).toMatchObject({
      kind: 'found',
      answer: { facts: { label: { serverId: listed[1]?.id } } },
    })
  })

  it('asks nothing about earlier labels of the shipment, for example cancelled ones, before and after an attempt that did not arrive', async () => {
    listed = [labelAgo(2 * minuteMs, scriptedShipment(2)), labelAgo(hourMs), labelAgo(3 * dayMs)]
    const creation = await lose(hourMs)
    listed.pop()
    expect(await type.readBack(creation)).toEqual({ kind: 'absent' })
    expect(await type.sightings?.(creation, recentLists(parts))).toEqual({ kind: 'seen', matches: [] })
  })

  it('notes at most a thousand earlier labels of the shipment, the newest ones', async () => {
    const earlier = Array.from({ length: 1_100 }, (_, number) => labelAgo(hourMs + number * 1_000))
    listed = [labelAgo(0, scriptedShipment(2)), ...earlier]
    const prepared = await type.prepare(unsent(), false)
    const noted = prepared.kind === 'go' ? prepared.baseline : null
    expect(new Set(noted)).toEqual(new Set(listed.slice(0, 1_001).map(({ id }) => idHash(id))))
  })

  it.each([0, hourMs])(
    'notices the late label of a discarded creation, also if only the Date header is ahead (clock %i ms behind)',
    async (behindMs) => {
      listed = [labelAgo(2 * minuteMs, scriptedShipment(2)), labelAgo(hourMs)]
      if (behindMs === 0) aheadMs = 30 * minuteMs
      const creation = await lose(behindMs)
      const late = listed[2]
      listed = listed.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
      const firstSentAt = clock.now() - minuteMs + (aheadMs ?? 0)
      const discarded = { ...creation, state: 'discarded', firstSentAt } as const
      expect(await type.sightings?.(discarded, recentLists(parts))).toMatchObject({
        kind: 'seen',
        matches: [{ record: { serverId: late?.id } }],
      })
      // the service returned no list before the attempt, so the late label may be older than the attempt
      expect(await type.sightings?.({ ...discarded, baseline: null }, recentLists(parts))).toMatchObject({
        kind: 'unreadable',
      })
    },
  )
})

const skews = [0, 15 * minuteMs, -15 * minuteMs, 2 * dayMs]

describe('the check before the first attempt of a label creation', () => {
  it.each(skews)(
    'asks the operator about a label of another desk if the Date header is %i ms ahead',
    async (ms) => {
      aheadMs = ms
      listed = [labelAgo(minuteMs)]
      const records = [{ record: { serverId: listed[0]?.id } }]
      expect(await type.prepare(unsent(), false)).toMatchObject({
        kind: 'ask',
        question: { kind: 'exists', records },
      })
    },
  )
})

describe('the look for labels of other desks after a label creation', () => {
  it.each(skews)(
    'finds a label that was created a second after the label of this desk if the Date header is %i ms ahead',
    async (ms) => {
      aheadMs = ms
      const [theirs, own] = [labelAgo(minuteMs), labelAgo(minuteMs + 1_000)]
      listed = [theirs, own, labelAgo(12 * minuteMs)]
      wanted = { ...label, serverId: own.id }
      expect(await type.neighbours?.(sent(minuteMs, ms), recentLists(parts))).toMatchObject([
        { record: { serverId: theirs.id } },
      ])
    },
  )
})
