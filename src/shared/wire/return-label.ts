import { z } from 'zod'
import { senderAddress, senderAddressInput, senderAddressPatch } from './address.ts'
import { countryCode, longestReference } from './loose.ts'
import { dateTime, id, nullableText, serverLabelId } from './primitives.ts'
import { shipment, trackingInformation } from './shipment.ts'

/** Return label (API.md 8.1): `url` is null and `tracking_information` is empty until the label is requested. */
export const returnLabel = z.object({
  id: serverLabelId,
  external_reference: nullableText,
  url: nullableText,
  created_at: dateTime,
  tracking_information: z.array(trackingInformation),
  sender_address: senderAddress.nullable(),
  shipment: shipment.nullable().optional(),
})
export type ReturnLabel = z.infer<typeof returnLabel>

/** Parameters of a path with the `:id` of a return label. */
export const byReturnLabel = z.object({ id: serverLabelId })

const unexpected = z.never('This field was not expected.').optional()

const byShipment = z.object({
  shipment_id: id,
  shipping_method: id.optional(),
  sender_address: unexpected,
  external_reference: unexpected,
})
const byAddress = z.object({
  shipment_id: unexpected,
  shipping_method: id,
  sender_address: senderAddressInput,
  external_reference: z.string().trim().min(1).optional(),
})

/**
 * Body of POST /wms/return-labels/ as a desk stores and sends it: by shipment, by shipment with another method, or by
 * method and address. Any text is valid as a country, because another service may accept more countries than this
 * program's middleware.
 */
export const returnLabelRequest = z.union([byShipment, byAddress])

const ownReference = z.string().trim().min(1).max(longestReference)

/**
 * Body of POST /wms/return-labels/ as this service accepts it. With `shipment_id` the external reference is derived and
 * must not be sent (API.md 8.2); fields that only the service sets are ignored.
 */
export const returnLabelCreate = z.union([
  byShipment,
  byAddress.extend({
    sender_address: senderAddressInput.extend({ country: countryCode }),
    external_reference: ownReference.optional(),
  }),
])
export type ReturnLabelCreate = z.input<typeof returnLabelCreate>

/**
 * Body of PATCH /wms/return-labels/:id/: only the fields to change. The service refuses the call with 412 after the
 * label was requested.
 */
export const returnLabelPatch = z.object({
  sender_address: senderAddressPatch.extend({ country: countryCode.optional() }).optional(),
  shipping_method: id.optional(),
  external_reference: ownReference.optional(),
})
