import { describe, expect, it } from 'vitest'
import { addressLines, countryName } from '#labels/draw/address-lines.ts'
import { homeAddress } from '#support/label-specs.ts'

const plain = {
  ...homeAddress,
  addressedTo: 'A. Name',
  street: 'Main',
  streetNumber: '5',
  streetNumberAddition: null,
  city: 'Town',
}
const textOf = (changes: object): string[] => addressLines({ ...plain, ...changes }).map((line) => line.text)

describe('the address lines on a label', () => {
  it.each([
    [{ country: 'NL', zipcode: '5048 AB' }, ['A. Name', 'Main 5', '5048 AB  TOWN', 'NETHERLANDS']],
    [
      { country: 'FR', zipcode: '75011', streetNumberAddition: 'bis' },
      ['A. Name', '5 bis Main', '75011  TOWN', 'FRANCE'],
    ],
    [{ country: 'GB', zipcode: 'ls4 2qb' }, ['A. Name', '5 Main', 'TOWN', 'LS4 2QB', 'UNITED KINGDOM']],
    [
      { country: 'US', zipcode: '97202', state: 'OR' },
      ['A. Name', '5 Main', 'TOWN, OR  97202', 'UNITED STATES'],
    ],
  ])('follow the conventions of the country of the address: %j', (changes, lines) => {
    expect(textOf(changes)).toEqual(lines)
  })

  it('contain the contact only if it differs from the addressee, and leave out empty fields', () => {
    expect(textOf({ contactPerson: 'A. Name', street2: '  ' })).toHaveLength(4)
    expect(textOf({ contactPerson: 'B. Other', street2: 'c/o C' })).toHaveLength(6)
  })

  it('contain the name of the country, or the text of the country if it is no known code', () => {
    expect(countryName('nl')).toBe('NETHERLANDS')
    expect(countryName('QX')).toBe('QX')
    expect(countryName('4f0c2b1e-uuid')).toBe('4f0c2b1e-uuid')
  })
})
