import { beforeEach, describe, expect, it } from 'vitest'
import { LabelLooks, type LabelLookParts } from '#desk/labels/label-look.ts'
import { readShipmentLabel } from '#desk/labels/label-reader.ts'
import type { ApiOutcome, ApiPort } from '#desk/ports/api.ts'
import type { LabelLedger, LabelRow } from '#desk/ports/label-ledger.ts'
import type { LabelIndexStore, ShipmentIndexStore } from '#desk/ports/recent-store.ts'
import type { Line } from '#desk/service/line.ts'
import type { Session } from '#desk/service/session.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { LabelDescription } from '#shared/writes/return-label.ts'
import { fakeClock, unusedApi } from '#support/desk-fakes.ts'
import { labelIdOf } from '#support/ids.ts'
import { scriptedLabel, scriptedShipment } from '#support/scripted-records.ts'

const mine = scriptedShipment(1)
const theirs = scriptedShipment(2)

/** The labels of the service. */
let labels: ReturnLabel[]
/** The label that the service returns for the path of the shipment's label (`getShipmentReturnLabel`). */
let named: ReturnLabel
/** The labels that the look has added to the ledger. */
let adopted: LabelDescription[]

beforeEach(() => {
  labels = [scriptedLabel(1, mine).wire, scriptedLabel(2, theirs).wire]
  named = labels[0] ?? raise()
  adopted = []
})

const raise = (): never => {
  throw new Error('there is no label')
}

const answer = <T>(value: T): ApiOutcome<T> => ({ kind: 'answer', status: 200, value, serverDate: null })
const gone: ApiOutcome<never> = {
  kind: 'refused',
  status: 404,
  failure: failure('return_label.unknown'),
  serverDate: null,
}

const api: ApiPort = {
  ...unusedApi,
  getShipmentReturnLabel() {
    return Promise.resolve(answer(named))
  },
  getReturnLabel(_, id) {
    const label = labels.find((one) => one.id === id)
    return Promise.resolve(label ? answer(label) : gone)
  },
}
const session: Pick<Session, 'withAccess' | 'isSignedIn'> = {
  isSignedIn: true,
  withAccess: (call) => call('token'),
}

function looks(service: ApiPort = api): LabelLooks {
  const ledger: Partial<LabelLedger> = {
    newestOfShipment: () => null,
    byServerId: () => null,
    adopt(id, description) {
      adopted.push(description)
      return rowOf(description)
    },
  }
  const parts: Pick<LabelLookParts, 'api' | 'clock' | 'askMs' | 'printers'> = {
    api: service,
    clock: fakeClock(),
    askMs: 1_000,
    printers: { named: () => null },
  }
  const line: Pick<Line, 'isOffline'> = { isOffline: () => false }
  const labelIndex: Pick<LabelIndexStore, 'newestOf' | 'state'> = { newestOf: () => null, state: () => null }
  const index: Pick<ShipmentIndexStore, 'get'> = { get: () => null }
  return new LabelLooks({
    ...parts,
    session: session as Session,
    line: line as Line,
    labels: ledger as LabelLedger,
    labelIndex: labelIndex as LabelIndexStore,
    index: index as ShipmentIndexStore,
  })
}

function rowOf({ serverId, shipment, externalReference, sender }: LabelDescription): LabelRow {
  return {
    ...{ id: labelIdOf('label'), origin: 'service', serverId, externalReference, sender },
    ...{ shipmentId: shipment?.id ?? null, shipmentReference: shipment?.reference ?? null },
    ...{ shippingMethodId: null, wishedReference: null, trackingCode: null, requested: false },
    ...{ cancelled: false, documentHash: null, documentFailure: null, createdAt: 0, asOf: null },
    ...{ create: null, patch: null, request: null, cancel: null, asked: null, trouble: null, print: null },
  }
}

describe('the look for the label of a shipment', () => {
  it('takes the label of another desk if the label belongs to the shipment', async () => {
    expect(await looks().ofShipment(mine.id)).toMatchObject({
      state: 'label',
      label: { serverId: named.id, shipmentId: mine.id },
    })
    expect(adopted).toMatchObject([{ shipment: { id: mine.id, reference: mine.reference } }])
  })

  it('does not take a label of another shipment, which a proxy that confuses responses returns', async () => {
    named = labels[1] ?? raise()
    expect(await looks().ofShipment(mine.id)).toMatchObject({
      state: 'unasked',
      label: null,
      failure: { code: 'api.malformed_answer' },
    })
    expect(adopted).toEqual([])
  })

  it('leaves open whether the shipment has a label if the service names a label and then returns 404 for it', async () => {
    labels = []
    expect(await looks().ofShipment(mine.id)).toMatchObject({
      state: 'unasked',
      failure: { code: 'api.malformed_answer' },
    })
  })

  it('leaves open whether the shipment has a label if the 404 comes from a cache', async () => {
    const ask = (refusal: ApiOutcome<never>): ReturnType<LabelLooks['ofShipment']> =>
      looks({ ...api, getShipmentReturnLabel: () => Promise.resolve(refusal) }).ofShipment(mine.id)
    expect(await ask(gone)).toMatchObject({ state: 'none' })
    expect(await ask({ ...gone, isStored: true })).toMatchObject({
      state: 'unasked',
      failure: { code: 'api.malformed_answer' },
    })
  })
})

describe('the label that the deprecated path returns for a shipment', () => {
  it('counts as the label of the shipment even if its record names no shipment', async () => {
    labels = labels.map((label) => ({ ...label, shipment: undefined }))
    expect(await readShipmentLabel({ api, session }, mine.id, 'SHP1')).toMatchObject({
      kind: 'answer',
      value: { id: named.id, shipment: { id: mine.id, reference: 'SHP1' } },
    })
  })

  it('does not count as the label of the shipment if its record names no shipment and has the kind of reference that desks generate for labels without a shipment', async () => {
    const reference = 'RET-00000000000A.R'
    labels = labels.map((label) => ({ ...label, shipment: undefined, external_reference: reference }))
    expect(await readShipmentLabel({ api, session }, mine.id, 'SHP1')).toMatchObject({ kind: 'ambiguous' })
  })

  it('counts as the label of the shipment even if the service writes the id of the shipment in upper case', async () => {
    labels = labels.map((label) =>
      label.shipment
        ? { ...label, shipment: { ...label.shipment, id: label.shipment.id.toUpperCase() } }
        : label,
    )
    expect(await readShipmentLabel({ api, session }, mine.id, 'SHP1')).toMatchObject({ kind: 'answer' })
  })
})
