import { describe, expect, it } from 'vitest'
import { describeLabel } from '#desk/labels/label-records.ts'
import { labelKind, type LabelKindParts } from '#desk/labels/label-kind.ts'
import type { WriteKind } from '#desk/outbox/command-type.ts'
import type { ApiOutcome } from '#desk/ports/api.ts'
import type { CommandRow } from '#desk/ports/commands.ts'
import type { LabelLedger, LabelRow } from '#desk/ports/label-ledger.ts'
import type { Session } from '#desk/service/session.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { addressLimits, type SenderAddress, senderAddress } from '#shared/wire/address.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { longestAddressField } from '#shared/writes/bounds.ts'
import { unusedApi } from '#support/desk-fakes.ts'
import { commandIdOf, labelIdOf } from '#support/ids.ts'
import { anySender } from '#support/label-wishes.ts'
import { untried } from '#support/plain-command.ts'
import { scriptedLabel } from '#support/scripted-records.ts'

const fields = Object.keys(senderAddress.shape) as (keyof SenderAddress)[]

/** Returns an address with the same text in all fields. */
function addressOf(textOf: (field: keyof SenderAddress) => string): SenderAddress {
  return senderAddress.parse(Object.fromEntries(fields.map((field) => [field, textOf(field)])))
}

function labelOf(changes: Partial<ReturnLabel>): ReturnLabel {
  const { wire } = scriptedLabel(1, { reference: 'RMA-1', sender: senderAddress.parse(anySender) })
  return { ...wire, ...changes }
}

const long = '한'.repeat(2_000)

describe('the stored description of a label', () => {
  it('has at most 256 characters in each text, whatever the service returns', () => {
    const label = labelOf({
      external_reference: long,
      sender_address: addressOf(() => long),
      tracking_information: [{ tracking_code: long, label_code: null, tracking_url: null }],
    })
    const { externalReference, trackingCode, sender } = describeLabel(label)
    expect([externalReference?.length, trackingCode?.length]).toEqual([255, 255])
    expect(fields.map((field) => sender?.[field]?.length)).toEqual(fields.map(() => 256))
    const shipment = { id: 'shipment', reference: long }
    expect(describeLabel({ ...label, shipment }).shipment?.reference).toHaveLength(255)
  })

  it('contains every character of a sender whose texts all have the maximum length of the label form', () => {
    const limits: Partial<Record<keyof SenderAddress, number>> = addressLimits
    const sender = addressOf((field) => 'x'.repeat(limits[field] ?? longestAddressField))
    expect(describeLabel(labelOf({ sender_address: sender })).sender).toEqual(sender)
  })
})

/**
 * Returns the kind of write for labels. The service returns this outcome for each label that is read. `observed`
 * receives how the connection observes each read.
 */
function kindWith(
  outcome: ApiOutcome<ReturnLabel>,
  observed: (string | undefined)[] = [],
): WriteKind<'return_label'> {
  const labels: Partial<LabelLedger> = { get: () => ({ serverId: labelOf({}).id }) as LabelRow }
  const session: Pick<Session, 'withAccess'> = {
    withAccess(call, observe) {
      observed.push(observe)
      return call('token')
    },
  }
  const parts: Partial<LabelKindParts> = {
    ledgers: { labels: labels as LabelLedger },
    session: session as Session,
    api: { ...unusedApi, getReturnLabel: () => Promise.resolve(outcome) },
  }
  return labelKind(parts as LabelKindParts)
}

const request: CommandRow<'return_label'> = {
  ...untried,
  id: commandIdOf('request'),
  subject: { kind: 'return_label', id: labelIdOf('label') },
  aggregate: 'label label',
  type: labelCommands.request,
}

describe('a command for a label that has waited, if the read of the label is malformed', () => {
  it.each([labelCommands.request, labelCommands.patch, labelCommands.cancel])(
    'waits, and is sent if the operator wants it to be sent without the check (%s)',
    async (type) => {
      const why = failure('api.malformed_answer')
      const waiting = kindWith({ kind: 'ambiguous', status: 200, failure: why }).types[type]
      expect(await waiting.prepare({ ...request, type }, true)).toEqual({ kind: 'not_now', failure: why })
      expect(await waiting.prepare({ ...request, type, sendsUnseen: true }, true)).toMatchObject({
        kind: 'go',
      })
    },
  )
})

describe('the check and the look of a command for a label, if the read of the label fails', () => {
  const unavailable = { kind: 'ambiguous', status: 503, failure: failure('api.unavailable') } as const
  const tried = { ...request, attempts: 1, firstSentAt: 1, endedAt: 1 }

  it.each([labelCommands.request, labelCommands.patch, labelCommands.cancel])(
    'do not make the desk offline (%s)',
    async (type) => {
      const observed: (string | undefined)[] = []
      const kind = kindWith(unavailable, observed).types[type]
      await kind.prepare({ ...request, type }, true)
      await kind.readBack({ ...tried, type })
      expect(new Set(observed)).toEqual(new Set(['observePage']))
    },
  )

  it('do not delay a change after an attempt that may have arrived, because a repeated change is harmless', async () => {
    const change = kindWith(unavailable).types[labelCommands.patch]
    const type = labelCommands.patch
    expect(await change.prepare({ ...tried, type }, true)).toMatchObject({ kind: 'go' })
    expect(await change.prepare({ ...request, type }, true)).toMatchObject({ kind: 'not_now' })
  })
})

describe('a look for the effect of a request', () => {
  it('proves nothing if a cache returns the label, because the label may have been requested since the cache stored it', async () => {
    const label = { ...labelOf({ url: null }), shipment: undefined }
    const outcome = { kind: 'answer', status: 200, value: label, serverDate: null } as const
    const look = (isStored?: true): Promise<unknown> => {
      const kind = kindWith({ ...outcome, ...(isStored && { isStored }) })
      return kind.types[labelCommands.request].readBack(request)
    }
    expect(await look()).toEqual({ kind: 'absent' })
    expect(await look(true)).toMatchObject({ kind: 'unreadable', isRefused: false })
  })
})

describe('the title of a label in the status and in the queue', () => {
  it('is made from the name of the label, without a read of its sender, its commands, its prints and the list of shipping methods', () => {
    const name = {
      ...{ shipmentReference: null, shippingMethodId: 'method', wishedReference: 'RMA-1' },
      ...{ externalReference: null, senderName: 'Zoë', senderCity: 'Breda' },
    }
    // the ledger has only the method `nameOf`, so `describe` would fail if it read anything else
    const labels: Partial<LabelLedger> = { nameOf: () => name }
    const parts: Partial<LabelKindParts> = {
      ledgers: { labels: labels as LabelLedger },
      catalogue: { methodCode: (id) => id.toUpperCase() },
    }
    expect(labelKind(parts as LabelKindParts).describe(labelIdOf('label'))).toMatchObject({
      title: 'Zoë',
      brief: { methodCode: 'METHOD', externalReference: 'RMA-1', senderName: 'Zoë', senderCity: 'Breda' },
    })
  })
})
