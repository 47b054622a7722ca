import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { createLabel } from '#desk/labels/label-create.ts'
import type { LabelCommandParts } from '#desk/labels/label-precheck.ts'
import { ReturnLabels, type ReturnLabelsParts } from '#desk/labels/return-labels.ts'
import type { CommandType } from '#desk/outbox/command-type.ts'
import type { ApiOutcome, ApiPort, SkippedRow } from '#desk/ports/api.ts'
import type { CommandRow } from '#desk/ports/commands.ts'
import type { LabelLedger, LabelRow, NewLabel } from '#desk/ports/label-ledger.ts'
import { PageLimit } from '#desk/service/page-limit.ts'
import type { Session } from '#desk/service/session.ts'
import { contract } from '#shared/bridge/contract.ts'
import { labelMode } from '#shared/bridge/label-views.ts'
import { idHash } from '#shared/domain/id-hash.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { returnLabelRequest, type ReturnLabel } from '#shared/wire/return-label.ts'
import { count, seed } from '#support/counts.ts'
import { emptyLabelIndex, type FakeClock, fakeClock, unusedApi } from '#support/desk-fakes.ts'
import { anySender } from '#support/label-wishes.ts'
import { refused } from '#support/modification-service.ts'
import { scriptedLabel, scriptedShipment } from '#support/scripted-records.ts'
import { senderAddress } from '#shared/wire/address.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import { commandIdOf, labelIdOf, serverLabelIdOf } from '#support/ids.ts'
import { untried } from '#support/plain-command.ts'

const label: LabelRow = {
  id: labelIdOf('label'),
  origin: 'desk',
  shipmentId: null,
  shipmentReference: null,
  shippingMethodId: null,
  wishedReference: 'RMA-1',
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
let listed: ReturnLabel[]
let skipped: SkippedRow[]
let calls: number
/** Whether the list of the service returns a full page for any page number. */
let isEndless: boolean
/** How far the Date header of the service is ahead of the times of its records, in milliseconds. */
let aheadMs: number
/** The label to create. */
let wanted: LabelRow
/** The labels of this desk. */
let recent: LabelRow[]
/** How often the ledger was searched for labels of the service. */
let ledgerReads: number
let type: CommandType

beforeEach(() => {
  clock = fakeClock()
  listed = []
  skipped = []
  calls = 0
  isEndless = false
  aheadMs = 0
  wanted = label
  recent = []
  ledgerReads = 0
  type = createLabel(partsOf())
})

function partsOf(): LabelCommandParts {
  const labels: Partial<LabelLedger> = {
    get: () => wanted,
    recent: () => recent,
    newestOfShipment: () => wanted,
    byServerId() {
      ledgerReads++
      return null
    },
    isClaimed() {
      ledgerReads++
      return false
    },
  }
  const session: Pick<Session, 'withAccess'> = { withAccess: (call) => call('token') }
  return {
    api: {
      ...unusedApi,
      listReturnLabels: (_, { page }) => {
        calls++
        const more = isEndless
          ? Array.from({ length: 1_000 }, (_, row) => labelBefore(page * 1_000 + row))
          : []
        const value = page === 1 ? { rows: [...listed, ...more], skipped } : { rows: more, skipped: [] }
        return Promise.resolve({ kind: 'answer', status: 200, value, serverDate: clock.now() + aheadMs })
      },
    },
    session: session as Session,
    ledgers: { labels: labels as LabelLedger },
    labelIndex: emptyLabelIndex,
    now: () => clock.now(),
    ticks: () => clock.ticks(),
    pageLimit: new PageLimit(clock),
  }
}

/** A label of the service that was created by hand a minute ago. */
function labelBefore(number: number, reference = 'RMA-1'): ReturnLabel {
  const { wire } = scriptedLabel(number, { reference, sender: senderAddress.parse(anySender) })
  return { ...wire, created_at: new Date(clock.now() - 60_000).toISOString() }
}

/**
 * A label creation. `baseline` undefined: it was never sent. Otherwise it was sent a minute ago, with an unknown
 * outcome, and `baseline` contains the hashes of the ids that the service had before; null: they are not known.
 */
function command(baseline?: readonly string[] | null): CommandRow<'return_label'> {
  const sentAt = baseline === undefined ? null : clock.now() - 60_000
  return {
    ...untried,
    id: commandIdOf('create'),
    subject: { kind: 'return_label', id: labelIdOf('label') },
    aggregate: 'label label',
    type: labelCommands.create,
    state: sentAt === null ? 'queued' : 'unknown',
    attempts: sentAt === null ? 0 : 1,
    createdAt: clock.now(),
    firstSentAt: sentAt,
    endedAt: sentAt,
    baseline: baseline ?? null,
  }
}

const unreadable = (count: number): SkippedRow[] =>
  Array.from({ length: count }, (_, number) => ({ id: `${'x'.repeat(90)}${number}`, problem: 'url: ?' }))

async function noted(): Promise<readonly string[] | null> {
  const prepared = await type.prepare(command(), false)
  if (prepared.kind !== 'go') throw new Error(prepared.kind)
  return prepared.baseline
}

describe('the response to a label creation', () => {
  const [mine, theirs] = [scriptedShipment(1), scriptedShipment(2)]
  const created = (shipment: Shipment): ReturnLabel => scriptedLabel(1, shipment).wire
  const outcome = (
    response: ReturnLabel,
    owner: LabelRow | null,
    shipmentId: string | null = mine.id,
    readById: ApiPort['getReturnLabel'] = (access, id) => unusedApi.getReturnLabel(access, id),
  ): ReturnType<ReturnType<CommandType['build']>> => {
    wanted = { ...label, shipmentId }
    const parts = partsOf()
    const write = (_token: string, _route: unknown, { expand }: { readonly expand?: string }) => {
      const { shipment, ...rest } = response
      const value = expand === 'shipment' && shipment ? { ...rest, shipment } : rest
      return Promise.resolve({ kind: 'answer', status: 201, value, serverDate: null })
    }
    const labels: Pick<LabelLedger, 'get' | 'byServerId'> = { get: () => wanted, byServerId: () => owner }
    const type = createLabel({
      ...parts,
      api: { ...parts.api, write: write as ApiPort['write'], getReturnLabel: readById },
      ledgers: { labels: labels as LabelLedger },
    })
    return type.build({ ...command(), payload: JSON.stringify({ shipment_id: mine.id }) })('token')
  }
  const other: LabelRow = { ...label, id: labelIdOf('other') }

  it('contains the created label, also if this desk has found this label at the service meanwhile', async () => {
    expect(await outcome(created(mine), null)).toMatchObject({ kind: 'answer' })
    expect(await outcome(created(mine), { ...other, origin: 'service' })).toMatchObject({ kind: 'answer' })
    expect(await outcome(created(mine), wanted)).toMatchObject({ kind: 'answer' })
  })

  it('is ambiguous if it describes a label that another creation of this desk has made', async () => {
    expect(await outcome(created(mine), other)).toMatchObject({
      kind: 'ambiguous',
      failure: { code: 'api.malformed_answer' },
    })
  })

  it('is ambiguous if it describes a label of another shipment', async () => {
    const isAmbiguous = { kind: 'ambiguous', failure: { code: 'api.malformed_answer' } }
    expect(await outcome(created(theirs), null)).toMatchObject(isAmbiguous)
    expect(await outcome(created(theirs), null, null)).toMatchObject(isAmbiguous)
  })

  it('is compared with the label that is read by its id, if it does not name the shipment', async () => {
    const unnamed = (readById: ApiOutcome<ReturnLabel>): Promise<unknown> =>
      outcome({ ...created(theirs), shipment: undefined }, null, mine.id, () => Promise.resolve(readById))
    const answer = (value: ReturnLabel): ApiOutcome<ReturnLabel> => ({
      kind: 'answer',
      status: 200,
      value,
      serverDate: null,
    })
    const isAmbiguous = { kind: 'ambiguous', status: 201, failure: { code: 'api.malformed_answer' } }
    expect(await unnamed(answer(created(theirs)))).toMatchObject(isAmbiguous)
    expect(
      await unnamed({ kind: 'ambiguous', status: 502, failure: failure('api.unavailable') }),
    ).toMatchObject(isAmbiguous)
    expect(await unnamed(answer(created(mine)))).toMatchObject({
      kind: 'answer',
      value: { facts: { label: { shipment: { id: mine.id } } } },
    })
    // a service may leave out the shipment in every response, so the response is accepted although the label that is
    // read by its id names no shipment either
    const bare = { ...created(mine), shipment: undefined }
    expect(await unnamed(answer(bare))).toMatchObject({ kind: 'answer' })
    const byHand = { ...bare, external_reference: 'RET-05607F579C43' }
    expect(await unnamed(answer(byHand))).toMatchObject(isAmbiguous)
  })

  it('is ambiguous if it describes a label that has no shipment and has a reference other than the one that was sent', async () => {
    const byHand = (reference: string | null): Promise<unknown> =>
      outcome({ ...labelBefore(1), external_reference: reference }, null, null)
    expect(await byHand('RMA-2')).toMatchObject({
      kind: 'ambiguous',
      failure: { code: 'api.malformed_answer' },
    })
    for (const same of ['RMA-1.R', 'rma-1', 'RMA'])
      expect(await byHand(same), same).toMatchObject({ kind: 'answer' })
    expect(await byHand(null)).toMatchObject({ kind: 'answer' })
  })
})

describe('the check before the first attempt of a label creation', () => {
  const [mine, theirs] = [scriptedShipment(1), scriptedShipment(2)]
  /** Prepares a label of `mine` at a service that returns this label as the label of the shipment. */
  const prepared = (
    named: ReturnLabel,
    readById?: ApiOutcome<ReturnLabel>,
  ): ReturnType<CommandType['prepare']> => {
    wanted = { ...label, shipmentId: mine.id }
    const parts = partsOf()
    const outcome = { kind: 'answer', status: 200, value: named, serverDate: null } as const
    const api = {
      ...parts.api,
      getShipmentReturnLabel: () => Promise.resolve(outcome),
      getReturnLabel: () => Promise.resolve(readById ?? outcome),
    }
    return createLabel({ ...parts, api }).prepare(command(), false)
  }

  it('shows a label of another desk to the operator, but not a label of another shipment', async () => {
    const own = scriptedLabel(1, mine).wire
    expect(await prepared(own)).toMatchObject({
      kind: 'ask',
      question: { kind: 'exists', records: [{ record: { serverId: own.id } }] },
    })
    expect(await prepared(scriptedLabel(2, theirs).wire)).toMatchObject({ kind: 'go' })
  })

  it('shows to the operator an existing label with the reference that was generated for the new label, because an earlier, refused creation may have used this reference', async () => {
    listed = [labelBefore(1, 'RET-0123456789AB'), labelBefore(2)]
    expect(await type.prepare(command(), false)).toMatchObject({ kind: 'go' })
    wanted = { ...label, wishedReference: 'RET-0123456789AB' }
    expect(await type.prepare(command(), false)).toMatchObject({
      kind: 'ask',
      question: { kind: 'exists', records: [{ record: { serverId: listed[0]?.id } }] },
    })
  })

  it('waits while the service names a label of the shipment but does not return it', async () => {
    const unread = failure('api.unavailable', { status: 502 })
    expect(
      await prepared(scriptedLabel(1, mine).wire, { kind: 'ambiguous', status: 502, failure: unread }),
    ).toMatchObject({ kind: 'not_now', failure: unread })
  })
})

describe('the baseline of a label creation (the records that the service had before the first attempt)', () => {
  it('contains a hash of the id of each similar label, and of each unreadable row that has an id', async () => {
    listed = [...Array.from({ length: 5 }, (_, number) => labelBefore(number)), labelBefore(5, 'RMA-2')]
    skipped = [...unreadable(2), { id: null, problem: ': too_many_rows' }]
    const ids = [...listed.slice(0, 5), ...unreadable(2)].map(({ id }) => id ?? '')
    expect(await noted()).toEqual(ids.map(idHash))
  })

  it('also contains hashes of the ids of the five newest labels, whether or not they are similar', async () => {
    listed = Array.from({ length: 6 }, (_, number) => labelBefore(number, `RMA-${number}`))
    const ids = [1, 0, 2, 3, 4].map((number) => listed[number]?.id ?? '')
    expect(await noted()).toEqual(ids.map(idHash))
  })

  it('has fewer than twenty thousand characters even if ten thousand rows are unreadable', async () => {
    skipped = unreadable(10_000)
    expect(JSON.stringify(await noted()).length).toBeLessThan(20_000)
  })

  it('is null when there are more than a thousand similar labels', async () => {
    listed = Array.from({ length: 1_001 }, (_, number) => labelBefore(number))
    expect(await noted()).toBeNull()
  })
})

describe('the look for a label creation of unknown outcome', () => {
  it('reports the label as absent if the list has only rows that it already had before the first attempt', async () => {
    listed = [labelBefore(1)]
    skipped = unreadable(3)
    expect(await type.readBack(command(await noted()))).toEqual({ kind: 'absent' })
  })

  it('finds a label that was not in the list before the first attempt', async () => {
    listed = [labelBefore(1)]
    const before = await noted()
    listed = [labelBefore(2), ...listed]
    expect(await type.readBack(command(before))).toMatchObject({
      kind: 'found',
      answer: { facts: { label: { serverId: listed[0]?.id } } },
    })
  })

  it('cannot decide when there are more than a thousand unreadable rows', async () => {
    skipped = unreadable(1_001)
    expect(await type.readBack(command(await noted()))).toMatchObject({
      kind: 'unreadable',
      isRefused: false,
    })
  })

  it('leaves the outcome open if the list has an unreadable row that it did not have before the first attempt', async () => {
    skipped = unreadable(3)
    const before = await noted()
    skipped = unreadable(4)
    expect(await type.readBack(command(before))).toMatchObject({ kind: 'unreadable', isRefused: false })
  })

  it('cannot decide if the list has none of the rows that it had before the first attempt', async () => {
    listed = [labelBefore(2, 'RMA-2')]
    const before = await noted()
    for (const wrong of [[], [labelBefore(3, 'RMA-3')]]) {
      listed = wrong
      expect(await type.readBack(command(before))).toMatchObject({
        kind: 'unreadable',
        failure: { code: 'api.malformed_answer' },
        isRefused: false,
      })
    }
    listed = [labelBefore(3, 'RMA-3'), labelBefore(2, 'RMA-2')]
    expect(await type.readBack(command(before))).toEqual({ kind: 'absent' })
  })

  it('takes an empty list as proof that the label does not exist only if the service never had a label of this desk', async () => {
    const before = await noted()
    expect(before).toEqual([])
    expect(await type.readBack(command(before))).toEqual({ kind: 'absent' })
    recent = [label, { ...label, serverId: serverLabelIdOf('earlier') }]
    expect(await type.readBack(command(before))).toMatchObject({ kind: 'unreadable', isRefused: false })
    listed = [labelBefore(2, 'RMA-2')]
    expect(await type.readBack(command(before))).toEqual({ kind: 'absent' })
  })

  it('leaves the decision to the operator if more than a thousand similar labels existed before the first attempt', async () => {
    listed = Array.from({ length: 1_001 }, (_, number) => labelBefore(number))
    const before = await noted()
    expect(await type.readBack(command(before))).toMatchObject({ kind: 'unreadable', isRefused: true })
  })
})

describe('the later looks for a label creation that was sent once', () => {
  it('find its label also if the desk has adopted another label of the shipment', async () => {
    const shipment = scriptedShipment(1)
    wanted = { ...label, shipmentId: shipment.id, serverId: serverLabelIdOf('adopted') }
    const createdAt = new Date(clock.now()).toISOString()
    const late = { ...scriptedLabel(1, shipment).wire, created_at: createdAt }
    const lists = {
      labels: () =>
        Promise.resolve({
          ok: true as const,
          labels: [late],
          older: [],
          beyond: [],
          skipped: [],
          listed: new Set([idHash(late.id)]),
          serviceTime: clock.now(),
        }),
      modifications: () => Promise.reject(new Error('not expected')),
    }
    expect(await type.sightings?.({ ...command([]), state: 'done' }, lists)).toMatchObject({
      kind: 'seen',
      matches: [{ record: { serverId: late.id } }],
    })
  })
})

describe('the look for a label creation at a service whose Date header is half an hour ahead of the times of its records', () => {
  beforeEach(() => {
    aheadMs = 30 * 60_000
  })

  const sent = (baseline: readonly string[] | null): CommandRow<'return_label'> => {
    const firstSentAt = clock.now() - 60_000 + aheadMs
    return { ...command(baseline), firstSentAt }
  }

  it('finds a label without a shipment by a reference that this desk generated', async () => {
    wanted = { ...label, wishedReference: 'RET-0123456789AB' }
    const before = await noted()
    listed = [labelBefore(1, 'RET-0123456789AB'), labelBefore(2)]
    const seen = await type.readBack(sent(before))
    expect(seen).toMatchObject({ kind: 'found', answer: { facts: { label: { serverId: listed[0]?.id } } } })
    expect(seen.kind === 'found' && seen.records).toHaveLength(1)
  })

  it('asks the operator about a label with the typed reference, because this label may have existed before the first attempt', async () => {
    const before = await noted()
    listed = [labelBefore(1)]
    expect(await type.readBack(sent(before))).toMatchObject({
      kind: 'unreadable',
      isRefused: true,
      alike: [{ record: { serverId: listed[0]?.id } }],
    })
  })

  it('reports the label as absent if each similar label already existed before the first attempt', async () => {
    listed = [labelBefore(1)]
    expect(await type.readBack(sent(await noted()))).toEqual({ kind: 'absent' })
  })
})

describe('the similar labels of a label creation', () => {
  const many = 3_000

  it('are compared with the ledger only until twenty suitable labels are found, even if there are 3,000 similar ones', async () => {
    const before = await noted()
    listed = Array.from({ length: many }, (_, number) => labelBefore(number))
    const seen = await type.readBack({ ...command(before), attempts: 2 })
    expect(seen).toMatchObject({ kind: 'found', answer: { facts: { label: { serverId: listed[0]?.id } } } })
    expect(seen.kind === 'found' && seen.records.length).toBe(20)
    expect(await type.readBack(command(before))).toMatchObject({ kind: 'unreadable', isRefused: true })
    wanted = { ...label, shipmentId: 'shipment' }
    const shipment = { id: 'shipment', reference: 'SHP' }
    const labels = listed.map((one) => ({ ...one, shipment }))
    const lists = {
      labels: () =>
        Promise.resolve({
          ok: true as const,
          labels,
          older: [],
          beyond: [],
          skipped: [],
          listed: new Set<string>(),
          serviceTime: clock.now(),
        }),
      modifications: () => Promise.reject(new Error('not expected')),
    }
    expect(await type.neighbours?.(command(before), lists)).toHaveLength(20)
    expect(ledgerReads).toBeLessThanOrEqual(100)
  })

  it('omit a label of which the operator has said that it is not the result of the creation, so that a look finds the created label', async () => {
    const before = await noted()
    listed = [labelBefore(1), labelBefore(2)]
    const acknowledged = listed.slice(0, 1).map(({ id }) => id)
    expect(await type.readBack({ ...command(before), acknowledged })).toMatchObject({
      kind: 'found',
      answer: { facts: { label: { serverId: listed[1]?.id } } },
      others: [],
    })
  })
})

describe('the look for a label creation whose login may not list labels', () => {
  it('does not ask again about a label of the shipment that the operator has excluded as the result', async () => {
    const shipment = scriptedShipment(1)
    const theirs = scriptedLabel(1, shipment).wire
    wanted = { ...label, shipmentId: shipment.id }
    const parts = partsOf()
    const answer = <T>(value: T) =>
      Promise.resolve({ kind: 'answer', status: 200, value, serverDate: null } as const)
    const api = {
      ...parts.api,
      listReturnLabels: () => Promise.resolve(refused(403)),
      getShipmentReturnLabel: () => answer(theirs),
      getReturnLabel: () => answer(theirs),
    }
    const type = createLabel({ ...parts, api })
    expect(await type.readBack(command(null))).toMatchObject({
      kind: 'unreadable',
      isRefused: true,
      alike: [{ record: { serverId: theirs.id } }],
    })
    expect(await type.readBack({ ...command(null), acknowledged: [theirs.id] })).toMatchObject({
      kind: 'unreadable',
      isRefused: true,
      alike: [],
    })
  })
})

describe('an endless list of labels', () => {
  it('is read only once for 21 checks of label creations within 900 ms, whether the creations are new or have waited', async () => {
    isEndless = true
    const waiting = command()
    expect(await type.prepare(waiting, false)).toMatchObject({ kind: 'not_now' })
    const once = calls
    expect(once).toBeGreaterThan(10)
    clock.advance(900)
    for (let other = 0; other < 20; other++)
      expect(await type.prepare(waiting, other > 9)).toMatchObject({
        kind: 'not_now',
        failure: { code: 'api.malformed_answer' },
      })
    expect(calls).toBe(once)
  })
})

describe('the request body of a label creation', () => {
  /** Creates the label. Returns the payload of its creation command. */
  async function payloadOf(mode: unknown): Promise<string | null> {
    const made: NewLabel[] = []
    const shipment = { reference: 'SHP00000000001', shipping_address: null }
    const labels: Partial<LabelLedger> = {
      get: () => null,
      make(one) {
        made.push(one)
        throw new Error('the label is made')
      },
    }
    const parts: Pick<ReturnLabelsParts, 'clock'> & {
      session: unknown
      labels: unknown
      shipments: unknown
    } = {
      clock,
      labels,
      session: { state: () => ({ state: 'signed_in', username: 'sam' }) },
      shipments: { byId: () => Promise.resolve({ kind: 'stored', stored: { shipment } }) },
    }
    const args = contract.returnLabel.make.args.parse({ mode, request: true, seen: null })
    await new ReturnLabels(parts as ReturnLabelsParts).make(args).catch(() => undefined)
    return made[0]?.commands[0]?.payload ?? null
  }

  const guid = fc.oneof(
    fc.uuid(),
    fc.uuid().map((text) => text.toUpperCase()),
    fc.constantFrom('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
  )
  const id = fc.oneof({ weight: 8, arbitrary: guid }, fc.string({ minLength: 1, maxLength: 100 }))
  const text = fc.oneof(
    fc.string({ minLength: 1, maxLength: 10 }),
    fc.constantFrom('1', ' a ', 'é'.repeat(10), 12, null, undefined),
  )
  const filled = fc.oneof(fc.string({ minLength: 1, maxLength: 10 }), fc.integer())
  const sender = fc.record({
    ...{ addressed_to: filled, street: filled, street_number: fc.integer({ min: 0, max: 99 }) },
    ...{ zipcode: filled, city: filled, country: filled, contact_person: text, street2: text },
    ...{ street_number_addition: text, state: text, phone_number: text, email_address: text },
  })
  const mode = fc.oneof(
    fc.record({
      by: fc.constant('hand'),
      shippingMethodId: id,
      sender,
      externalReference: fc.option(fc.string({ minLength: 1, maxLength: 100 })),
    }),
    fc.record({
      by: fc.constant('shipment'),
      shipmentId: id,
      shippingMethodId: fc.option(id),
      sender: fc.option(sender),
    }),
  )

  it('can be built from all arguments that the bridge accepts', async () => {
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(mode, async (input) => {
        if (!labelMode.safeParse(input).success) return
        accepted++
        const payload = await payloadOf(input)
        expect(returnLabelRequest.safeParse(JSON.parse(payload ?? 'null')).error).toBeUndefined()
        expect(() => type.build({ ...command(), payload })).not.toThrow()
      }),
      { seed, numRuns: count(300, 5_000) },
    )
    expect(accepted).toBeGreaterThan(50)
  })

  it('cannot be built from an invalid id: build() throws before a call is made', () => {
    const body = { shipping_method: 'm', sender_address: anySender, external_reference: 'R' }
    expect(() => type.build({ ...command(), payload: JSON.stringify(body) })).toThrow('GUID')
  })
})
