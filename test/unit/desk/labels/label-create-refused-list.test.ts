import { describe, expect, it } from 'vitest'
import { createLabel } from '#desk/labels/label-create.ts'
import type { CommandType } from '#desk/outbox/command-type.ts'
import type { ApiOutcome, ApiPort } from '#desk/ports/api.ts'
import type { CommandRow } from '#desk/ports/commands.ts'
import type { LabelLedger, LabelRow } from '#desk/ports/label-ledger.ts'
import { PageLimit } from '#desk/service/page-limit.ts'
import type { Session } from '#desk/service/session.ts'
import { idHash } from '#shared/domain/id-hash.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { emptyLabelIndex, fakeClock, unusedApi } from '#support/desk-fakes.ts'
import { commandIdOf, labelIdOf } from '#support/ids.ts'
import { refused } from '#support/modification-service.ts'
import { untried } from '#support/plain-command.ts'
import { scriptedLabel, scriptedShipment } from '#support/scripted-records.ts'

describe('a label creation at a service that refuses the list of labels', () => {
  const label: Partial<LabelRow> = {
    ...{ id: labelIdOf('label'), shipmentId: null, shippingMethodId: null, wishedReference: 'RMA-1' },
  }
  const theirs = {
    ...scriptedLabel(1, scriptedShipment(1)).wire,
    shipment: null,
    external_reference: 'RMA-1',
  }
  /** The label that the deprecated path returns for the shipment. */
  const named = scriptedLabel(2, scriptedShipment(1)).wire
  const command: CommandRow<'return_label'> = {
    ...untried,
    id: commandIdOf('c'),
    subject: { kind: 'return_label', id: labelIdOf('label') },
    aggregate: 'return_label label',
    type: labelCommands.create,
    createdAt: Date.parse(theirs.created_at),
  }

  const typeWith = (
    status: number,
    longest: number,
    values: Partial<LabelRow> = {},
    calls: Partial<ApiPort> = {},
  ): CommandType<'return_label'> => {
    const labels: Partial<LabelLedger> = {
      get: () => ({ ...label, ...values }) as LabelRow,
      recent: () => [],
      byServerId: () => null,
      isClaimed: () => false,
    }
    const session: Pick<Session, 'withAccess'> = { withAccess: (call) => call('token') }
    const value = { rows: [theirs], skipped: [] }
    const answer = { kind: 'answer', status: 200, value, serverDate: command.createdAt } as const
    return createLabel({
      api: {
        ...unusedApi,
        getShipmentReturnLabel: () =>
          Promise.resolve({ ...answer, value: { ...named, shipment: undefined } }),
        getReturnLabel: () => Promise.resolve({ ...answer, value: named }),
        listReturnLabels: (_, { limit }) => Promise.resolve(limit > longest ? refused(status) : answer),
        ...calls,
      },
      session: session as Session,
      pageLimit: new PageLimit(fakeClock()),
      ledgers: { labels: labels as LabelLedger },
      labelIndex: emptyLabelIndex,
      now: () => command.createdAt,
      ticks: () => 0,
    })
  }

  it.each([400, 413, 422])(
    'reads the list in shorter pages, to find labels of other desks, if the service refuses longer pages (status %i)',
    async (status) => {
      const prepared = await typeWith(status, 50).prepare(command, false)
      expect(prepared).toMatchObject({ kind: 'ask', question: { kind: 'exists' } })
    },
  )

  it.each([400, 404, 500])(
    'is not sent now, and a look does not report the refusal of the list as a missing role (status %i)',
    async (status) => {
      const type = typeWith(status, 0)
      for (const hasWaited of [false, true])
        expect(await type.prepare(command, hasWaited)).toMatchObject({ kind: 'not_now' })
      const seen = await type.readBack({ ...command, firstSentAt: 1, endedAt: 1 })
      expect(seen).toMatchObject({ kind: 'unreadable', isRefused: false })
    },
  )

  it.each([
    ['is sent', 'api.unavailable', 'go'],
    ['is sent', 'session.expired', 'go'],
    ['is sent', 'api.too_many_requests', 'go'],
    ['is sent', 'network.not_the_service', 'go'],
    ['is sent', 'network.timeout', 'go'],
    ['is sent', 'network.interrupted', 'go'],
    ['is not sent', 'network.offline', 'not_now'],
    ['is not sent', 'session.signed_out', 'not_now'],
  ] as const)(
    '%s if the operator wants it to be sent without the check, and reads of the list fail for long: %s',
    async (_, code, kind) => {
      const failed: ApiOutcome<never> = { kind: 'ambiguous', status: null, failure: failure(code) }
      const type = typeWith(404, 0, {}, { listReturnLabels: () => Promise.resolve(failed) })
      expect(await type.prepare(command, true)).toMatchObject({ kind: 'not_now' })
      const decided = { ...command, sendsUnseen: true }
      // the failure of the list may end soon, and the check is then possible, so the command is not sent yet
      expect(await type.prepare(decided, true)).toMatchObject({ kind: 'not_now' })
      expect(await type.prepare({ ...decided, failsForLong: true }, true)).toMatchObject({ kind })
    },
  )

  it('is sent if the operator wants it to be sent without the check, unless the service names a label of its shipment', async () => {
    const decided = { ...command, sendsUnseen: true }
    const go = { kind: 'go', baseline: null }
    for (const hasWaited of [false, true])
      expect(await typeWith(404, 0).prepare(decided, hasWaited)).toMatchObject(go)
    const type = typeWith(404, 0, { shipmentId: scriptedShipment(1).id })
    const exists = {
      kind: 'ask',
      question: { kind: 'exists', records: [{ record: { serverId: named.id } }] },
    }
    expect(await type.prepare(decided, false)).toMatchObject(exists)
    expect(await type.prepare({ ...decided, acknowledged: [named.id] }, false)).toMatchObject(go)
  })

  it.each([
    ['is sent', 'api.unavailable', 'named', 'go'],
    ['is sent', 'api.malformed_answer', 'named', 'go'],
    ['is not sent', 'api.unavailable', 'read', 'not_now'],
    ['is not sent', 'network.offline', 'named', 'not_now'],
    ['is not sent', 'session.signed_out', 'named', 'not_now'],
    ['is sent', 'session.expired', 'named', 'go'],
    ['is sent', 'network.timeout', 'named', 'go'],
    ['is not sent', 'network.timeout', 'read', 'not_now'],
  ] as const)(
    '%s if the operator wants it to be sent without the check and a call fails with %s (`named`: the call that names the label of its shipment; `read`: the read of this label): %s',
    async (_, code, call, kind) => {
      const failed: ApiOutcome<never> = { kind: 'ambiguous', status: null, failure: failure(code) }
      const fails = (): Promise<ApiOutcome<never>> => Promise.resolve(failed)
      const calls = call === 'named' ? { getShipmentReturnLabel: fails } : { getReturnLabel: fails }
      const type = typeWith(404, 0, { shipmentId: scriptedShipment(1).id }, calls)
      expect(await type.prepare(command, true)).toMatchObject({ kind: 'not_now' })
      const decided = { ...command, sendsUnseen: true, failsForLong: true }
      for (const hasWaited of [false, true])
        expect(await type.prepare(decided, hasWaited)).toMatchObject({ kind })
    },
  )

  it.each([
    [401, 'session.expired'],
    [429, 'api.too_many_requests'],
  ] as const)(
    'is sent if the operator wants it to be sent without the check, and the service refuses the label of its shipment with %i',
    async (status, code) => {
      const refused: ApiOutcome<never> = {
        ...{ kind: 'refused', status, serverDate: null },
        failure: failure(code),
      }
      const calls = { getShipmentReturnLabel: () => Promise.resolve(refused) }
      const type = typeWith(404, 0, { shipmentId: scriptedShipment(1).id }, calls)
      expect(await type.prepare(command, true)).toMatchObject({ kind: 'not_now' })
      const decided = { ...command, sendsUnseen: true, failsForLong: true }
      expect(await type.prepare(decided, true)).toMatchObject({ kind: 'go' })
    },
  )

  it('is checked for labels of other desks if the operator sent it although the shipping methods are malformed', async () => {
    const malformed: ApiOutcome<never> = {
      ...{ kind: 'ambiguous', status: 200 },
      failure: failure('api.malformed_answer'),
    }
    const type = typeWith(
      404,
      100,
      { shippingMethodId: 'method' },
      {
        listShippingMethods: () => Promise.resolve(malformed),
      },
    )
    expect(await type.prepare(command, true)).toMatchObject({ kind: 'not_now' })
    const decided = { ...command, sendsUnseen: true }
    const exists = {
      kind: 'ask',
      question: { kind: 'exists', records: [{ record: { serverId: theirs.id } }] },
    }
    expect(await type.prepare(decided, true)).toMatchObject(exists)
    const seen = { ...decided, acknowledged: [theirs.id] }
    expect(await type.prepare(seen, true)).toMatchObject({ kind: 'go', baseline: [idHash(theirs.id)] })
  })
})
