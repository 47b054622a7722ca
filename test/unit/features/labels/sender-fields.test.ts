import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countryCodes } from '#shared/domain/country.ts'
import {
  charactersLeft,
  countries,
  countryCode,
  faultOf,
  isChanged,
  limitOf,
  type SenderField,
  senderFields,
  senderRows,
  toSenderInput,
  toSenderPatch,
  typedFrom,
} from '#features/labels/sender-fields.ts'
import { addressLimits, senderAddressInput } from '#shared/wire/address.ts'
import { count } from '#support/counts.ts'
import { sampleSender } from '#support/memory-desk/labels.ts'

const typed = typedFrom(sampleSender)

describe('a sender’s country for which the service sends only an id', () => {
  it('is not shown in the form, and is not sent back in a change', () => {
    const country = '5f0c6b1e-8f5e-4a3d-8d4b-1c2f3a4b5c6d'
    const before = typedFrom({ ...sampleSender, country })
    expect(before.country).toBe('')
    expect(toSenderPatch(before, { ...before, city: 'Delft' })).toEqual({ city: 'Delft' })
    expect(toSenderPatch(before, { ...before, country: 'be' })).toEqual({ country: 'BE' })
  })
})

describe('the form of a sender', () => {
  it('offers every field of an address once, but not the fax number', () => {
    const offered = senderRows.flatMap(({ fields }) => fields)
    expect(offered.toSorted()).toEqual(senderFields.filter((field) => field !== 'fax_number').toSorted())
  })

  it('keeps the fax number of the sender, although it does not show the number', () => {
    const before = typedFrom({ ...sampleSender, fax_number: '010 123' })
    expect(toSenderInput({ ...before, city: 'Delft' })).toMatchObject({
      city: 'Delft',
      fax_number: '010 123',
    })
    expect(toSenderPatch(before, { ...before, city: 'Delft' })).toEqual({ city: 'Delft' })
  })
})

describe('a field of the sender', () => {
  it('has the maximum length that the service sets, or 255 characters if the service sets none', () => {
    for (const [field, limit] of Object.entries(addressLimits))
      expect(limitOf(field as SenderField)).toBe(limit)
    expect(limitOf('zipcode')).toBe(255)
    expect(faultOf('zipcode', 'x'.repeat(257))).toEqual({ kind: 'too_long', by: 2 })
  })

  it.each([
    ['addressed_to', '', { kind: 'missing' }],
    ['addressed_to', '  ', { kind: 'missing' }],
    ['street2', '', null],
    ['street_number', '12345678901', { kind: 'too_long', by: 1 }],
    ['street_number', ' 1234567890 ', null],
    ['city', 'x'.repeat(104), { kind: 'too_long', by: 4 }],
    ['country', 'nl', null],
    ['country', 'NLD', { kind: 'country' }],
    ['country', 'XX', { kind: 'country' }],
    ['country', 'QX', { kind: 'country' }],
    ['country', 'Nederland', { kind: 'country' }],
    ['country', 'ß', { kind: 'country' }],
  ] as const)(
    'has, for the field %s and the value “%s”, the fault %j (null: no fault)',
    (field, value, fault) => {
      expect(faultOf(field, value)).toEqual(fault)
    },
  )

  it('accepts a country code that the service sent, even if the code is not in ISO 3166-1', () => {
    expect(faultOf('country', 'xk', 'XK')).toBeNull()
    expect(faultOf('country', 'QX', 'XK')).toEqual({ kind: 'country' })
  })

  it('shows the number of remaining characters if at most a tenth of the limit remains, and no number if the text exceeds the limit', () => {
    expect(charactersLeft('city', 'x'.repeat(89))).toBeNull()
    expect(charactersLeft('city', 'x'.repeat(90))).toBe(10)
    expect(charactersLeft('city', 'x'.repeat(100))).toBe(0)
    expect(charactersLeft('city', 'x'.repeat(101))).toBeNull()
    expect(charactersLeft('zipcode', 'x'.repeat(500))).toBeNull()
  })

  it('has a fault exactly if the wire schema refuses its value', () => {
    const value = fc.oneof(fc.string({ maxLength: 12 }), fc.string({ minLength: 95, maxLength: 105 }))
    const anything = fc.record(
      Object.fromEntries(
        senderFields.map((field) => [field, field === 'country' ? fc.constant('NL') : value]),
      ) as Record<SenderField, fc.Arbitrary<string>>,
    )
    fc.assert(
      fc.property(anything, (sender) => {
        const faults = senderFields.filter((field) => faultOf(field, sender[field]) !== null)
        const wire = senderAddressInput.safeParse(
          Object.fromEntries(senderFields.map((field) => [field, sender[field]])),
        )
        const refused = wire.success ? [] : [...new Set(wire.error.issues.map(({ path }) => path[0]))]
        expect(faults.toSorted()).toEqual(refused.toSorted())
      }),
      { seed: 1, numRuns: count(200, 5000) },
    )
  })
})

describe('the sender in a request', () => {
  it('contains trimmed texts, and omits empty fields', () => {
    expect(toSenderInput({ ...typed, city: ' Den Haag ', country: 'nl' })).toEqual({
      addressed_to: 'Zoë Ångström',
      street: 'Lange Voorhout',
      street_number: '8',
      street_number_addition: 'bis',
      zipcode: '2514 ED',
      city: 'Den Haag',
      country: 'NL',
      email_address: 'zoe@example.com',
    })
    expect(() => toSenderInput({ ...typed, city: '' })).toThrow()
  })

  it('contains, for the change of a label, only the changed fields, and null for an emptied field', () => {
    expect(toSenderPatch(typed, { ...typed, street_number: '10', email_address: ' ' })).toEqual({
      street_number: '10',
      email_address: null,
    })
    expect(isChanged(typed, { ...typed, city: 'Den Haag ', country: 'nl' })).toBe(false)
  })
})

describe('the countries of a sender', () => {
  it('are those of ISO 3166-1, in the language of the screen', () => {
    const dutch = countries('nl')
    expect(dutch.find(({ code }) => code === 'DE')?.name).toBe('Duitsland')
    const codes = dutch.map(({ code }) => code)
    expect(codes.toSorted()).toEqual(countryCodes)
    for (const gone of ['EU', 'ZZ', 'UK', 'SU', 'AN', 'XK']) expect(codes).not.toContain(gone)
  })

  it('are recognised by their names in the language of the screen', () => {
    expect(countryCode(' duitsland ', countries('nl'))).toBe('DE')
    expect(countryCode('Atlantis', countries('nl'))).toBe('Atlantis')
  })
})
