import { describe, expect, it } from 'vitest'
import { toLabelDraft } from '#desk/labels/label-draft.ts'
import { ownReference } from '#shared/domain/references.ts'

describe('the form content of a refused label without a shipment', () => {
  it('keeps the generated reference, because the service may have created the label in spite of the refusal', () => {
    const wishedReference = ownReference(crypto.randomUUID())
    const label = { shippingMethodId: 'method', wishedReference, sender: null }
    expect(toLabelDraft(label)).toEqual({
      shippingMethodId: 'method',
      externalReference: wishedReference,
      sender: {},
    })
  })
})
