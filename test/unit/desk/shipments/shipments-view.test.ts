import { describe, expect, it } from 'vitest'
import { toShipmentView } from '#desk/shipments/shipments.ts'
import { shipmentView } from '#shared/bridge/scan-views.ts'
import { scriptedShipment } from '#support/scripted-records.ts'

const address = {
  addressed_to: 'Zoë Ångström',
  contact_person: null,
  street: 'Hofstraat',
  street2: 'achterhuis',
  street_number: '12',
  street_number_addition: 'b',
  zipcode: '1234 AB',
  city: 'Utrecht',
  country: 'NL',
  state: null,
  phone_number: null,
  mobile_number: null,
  fax_number: null,
  email_address: null,
}

const nothing = (): undefined => undefined

describe('toShipmentView()', () => {
  it('returns a view that fits the contract of the bridge, even if the service left out fields', () => {
    const lacking = scriptedShipment(1)
    delete lacking.shipment_labels
    delete lacking.shipment_lines
    const bare = toShipmentView(lacking, 0, nothing)
    expect(shipmentView.parse(bare)).toEqual(bare)
    expect(bare).toMatchObject({ trackingCodes: [], lines: [], recipient: null, sender: null, carrier: null })

    const full = toShipmentView(
      { ...scriptedShipment(2), shipping_address: { ...address, invalid: false } },
      0,
      nothing,
    )
    expect(full.recipient).toEqual({
      name: 'Zoë Ångström',
      street: 'Hofstraat 12 b achterhuis',
      place: '1234 AB Utrecht',
      country: 'NL',
    })
    expect(full.sender).toEqual(address)
    expect(full.lines).toEqual([
      { quantity: 2, name: 'A-2', articleCode: 'A-2', ean: null, serialNumbers: [] },
    ])
    expect(full.asOf).toBe('1970-01-01T00:00:00.000Z')
  })

  it('adds the name and codes from the catalogue to a line that contains only the id of a variant', () => {
    const plain = scriptedShipment(2)
    const id = '00000000-0000-4000-8000-0000000000aa'
    const [line] = plain.shipment_lines ?? []
    if (!line) throw new Error('the shipment has no line')
    const reduced = { ...plain, shipment_lines: [{ ...line, shipped_article_code: null, variant: { id } }] }
    const known = { name: 'Rain coat', article_code: 'RC-1', ean: '8712345678906' }
    const lines = toShipmentView(reduced, 0, (variant) => (variant === id ? known : undefined)).lines
    expect(lines).toMatchObject([{ name: 'Rain coat', articleCode: 'RC-1', ean: '8712345678906' }])
    expect(toShipmentView(reduced, 0, nothing).lines).toMatchObject([{ name: '', articleCode: null }])
  })
})
