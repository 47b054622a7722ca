import { describe, expect, it } from 'vitest'
import { describeLabel } from '#desk/labels/label-records.ts'
import { labelKind, type LabelKindParts } from '#desk/labels/label-kind.ts'
import type { LabelLedger } from '#desk/ports/label-ledger.ts'
import { addressLimits, type SenderAddress, senderAddress } from '#shared/wire/address.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { longestAddressField } from '#shared/writes/bounds.ts'
import { labelIdOf } from '#support/ids.ts'
import { anySender } from '#support/label-wishes.ts'
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

describe('the title of a label in the status and in the queue', () => {
  it('is made from the name of the label, without a read of its sender, its commands, its prints and the list of shipping methods', () => {
    const name = {
      ...{ shipmentReference: null, shippingMethodId: 'method', wishedReference: 'RMA-1' },
      ...{ externalReference: null, senderName: 'Zoë', senderCity: 'Breda' },
    }
    // the ledger has only this method, so `describe` would fail if it read anything else
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
