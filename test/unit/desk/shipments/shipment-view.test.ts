import { expect, it } from 'vitest'
import { toShipmentView } from '#desk/shipments/shipment-view.ts'
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

it('shows a shipment as the contract has it, whatever the service left out', () => {
  const lacking = scriptedShipment(1)
  delete lacking.shipment_labels
  delete lacking.shipment_lines
  const bare = toShipmentView(lacking, 0)
  expect(shipmentView.parse(bare)).toEqual(bare)
  expect(bare).toMatchObject({ trackingCodes: [], lines: [], recipient: null, sender: null, carrier: null })

  const full = toShipmentView({ ...scriptedShipment(2), shipping_address: { ...address, invalid: false } }, 0)
  expect(full.recipient).toEqual({
    name: 'Zoë Ångström',
    street: 'Hofstraat 12 b achterhuis',
    place: '1234 AB Utrecht',
    country: 'NL',
  })
  expect(full.sender).toEqual(address)
  expect(full.lines).toEqual([{ quantity: 2, name: 'A-2', articleCode: 'A-2', ean: null, serialNumbers: [] }])
  expect(full.asOf).toBe('1970-01-01T00:00:00.000Z')
})
