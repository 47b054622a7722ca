import { describe, expect, it } from 'vitest'
import { returnLabelCreate, returnLabelRequest } from '#shared/wire/return-label.ts'

const label = {
  shipping_method: '00000000-0000-4000-8000-000000000011',
  sender_address: {
    addressed_to: 'Kim',
    street: 'Lange weg',
    street_number: '7',
    zipcode: '9000',
    city: 'Gent',
    country: 'XK',
  },
}

describe('a return label request stored by a desk', () => {
  it('is accepted with a country that the middleware refuses, because another service may accept it', () => {
    expect(returnLabelRequest.parse(label)).toEqual(label)
    expect(returnLabelCreate.safeParse(label).success).toBe(false)
  })

  it('is accepted by the desk even if its reference is longer than the middleware allows', () => {
    const long = {
      ...label,
      sender_address: { ...label.sender_address, country: 'NL' },
      external_reference: 'x'.repeat(501),
    }
    expect(returnLabelRequest.parse(long)).toEqual(long)
    expect(returnLabelCreate.safeParse(long).success).toBe(false)
  })
})
