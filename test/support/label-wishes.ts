import type { LabelMode } from '#shared/bridge/label-views.ts'
import type { SenderAddressInput } from '#shared/wire/address.ts'

/**
 * Returns the request for a label of a shipment, with the default method and the shipment's address unless they are
 * given.
 */
export function byShipment(
  shipmentId: string,
  changes: Partial<Omit<Extract<LabelMode, { by: 'shipment' }>, 'by' | 'shipmentId'>> = {},
): LabelMode {
  return { by: 'shipment', shipmentId, shippingMethodId: null, sender: null, ...changes }
}

export const anySender: SenderAddressInput = {
  addressed_to: 'Zoë Łącka',
  contact_person: null,
  street: 'Kerkstraat',
  street2: null,
  street_number: '12',
  street_number_addition: null,
  zipcode: '3511 AB',
  city: 'Utrecht',
  country: 'NL',
  state: null,
  phone_number: null,
  mobile_number: null,
  fax_number: null,
  email_address: null,
}

export const anyMethodId = '00000000-0000-4000-8000-00000000a001'

/** Returns the request for a label without a shipment. */
export function byHand(
  externalReference: string | null = null,
  sender: SenderAddressInput = anySender,
): LabelMode {
  return { by: 'hand', shippingMethodId: anyMethodId, sender, externalReference }
}
