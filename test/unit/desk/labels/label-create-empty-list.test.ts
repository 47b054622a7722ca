import { beforeEach, describe, expect, it } from 'vitest'
import { createLabel } from '#desk/labels/label-create.ts'
import type { LabelCommandParts } from '#desk/labels/label-precheck.ts'
import type { Preparation } from '#desk/outbox/command-type.ts'
import type { ApiOutcome } from '#desk/ports/api.ts'
import type { CommandRow } from '#desk/ports/commands.ts'
import type { LabelLedger, LabelRow } from '#desk/ports/label-ledger.ts'
import type { ListedLabel } from '#desk/ports/recent-store.ts'
import { PageLimit } from '#desk/service/page-limit.ts'
import type { Session } from '#desk/service/session.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { fakeClock, unusedApi } from '#support/desk-fakes.ts'
import { commandIdOf, labelIdOf } from '#support/ids.ts'
import { refused, unavailable } from '#support/modification-service.ts'
import { untried } from '#support/plain-command.ts'
import { scriptedLabel, scriptedShipment } from '#support/scripted-records.ts'

const wanted = {
  id: labelIdOf('label'),
  shipmentId: null,
  wishedReference: 'RMA-1',
  serverId: null,
} as LabelRow
const known = scriptedLabel(1, scriptedShipment(1)).wire
const answer = { kind: 'answer', status: 200, value: known, serverDate: null } as const
const clock = fakeClock()
const command: CommandRow<'return_label'> = {
  ...untried,
  id: commandIdOf('create'),
  subject: { kind: 'return_label', id: wanted.id },
  aggregate: 'label label',
  type: labelCommands.create,
  createdAt: clock.now(),
}

/** The labels of the service's list. */
let listed: ReturnLabel[]
/** The labels of this desk. */
let recent: LabelRow[]
/** The labels of the copy of the service's list. */
let copied: ListedLabel[]

beforeEach(() => {
  listed = []
  recent = [wanted]
  copied = []
})

/** Runs the check before the first attempt. `single`: the outcome of a read of a single label. */
function prepare(single: ApiOutcome<ReturnLabel>, sendsUnseen = false): Promise<Preparation> {
  const labels: Partial<LabelLedger> = { get: () => wanted, recent: () => recent, byServerId: () => null }
  const session: Pick<Session, 'withAccess'> = { withAccess: (call) => call('token') }
  const parts: LabelCommandParts = {
    api: {
      ...unusedApi,
      listReturnLabels: (_, { page }) => {
        const value = { rows: page === 1 ? listed : [], skipped: [] }
        return Promise.resolve({ kind: 'answer', status: 200, value, serverDate: clock.now() })
      },
      getReturnLabel: () => Promise.resolve(single),
    },
    session: session as Session,
    ledgers: { labels: labels as LabelLedger },
    labelIndex: { search: () => Promise.resolve({ labels: copied, isPartial: false }) },
    now: () => clock.now(),
    ticks: () => clock.ticks(),
    pageLimit: new PageLimit(clock),
  }
  return createLabel(parts).prepare({ ...command, sendsUnseen }, false)
}

describe('a list of labels that is empty before the first attempt', () => {
  const malformed = { kind: 'not_now', failure: { code: 'api.malformed_answer' } }

  it.each([
    ['ledger', () => void recent.push({ ...wanted, serverId: known.id })],
    ['copy of the list', () => void copied.push({ serverId: known.id } as ListedLabel)],
  ])('counts as unreadable while the service has a label of the %s', async (_, know) => {
    expect(await prepare(answer)).toMatchObject({ kind: 'go' })
    know()
    expect(await prepare(answer)).toMatchObject(malformed)
    expect(await prepare(answer, true)).toMatchObject({ kind: 'go', baseline: null })
    expect(await prepare(unavailable)).toMatchObject({ kind: 'not_now', failure: unavailable.failure })
    // the service has removed the label, so its list may be empty
    expect(await prepare(refused(404))).toMatchObject({ kind: 'go' })
    listed = [known]
    expect(await prepare(answer)).toMatchObject({ kind: 'go' })
  })
})
