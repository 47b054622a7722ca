import type { z } from 'zod'
import type { ReturnLabel, returnLabelCreate, returnLabelPatch } from '#shared/wire/return-label.ts'
import type { ShipmentReturnLabel } from '#shared/wire/shipment.ts'
import type { ReturnLabelTable } from '../data/schema/orders.ts'
import { readAddress } from '../data/engine/stored-json.ts'
import type { NewReturnLabel } from '../services/shipments/create-return-label.ts'
import { shownReference } from '../services/orders/external-references.ts'
import type { ReturnLabelChange, ReturnLabelRecord } from '../services/shipments/return-labels.ts'
import { fromWireAddress, fromWireAddressPatch, toWireAddress } from './address.ts'
import { toWireShipmentBase } from './shipment.ts'
import { toWireTime } from './time.ts'
import { toWireTracking } from './tracking.ts'

/** api.md, Return label. `linkTo` makes a freshly signed URL of a document, so each answer's link is valid anew. */
export function toWireReturnLabel(
  { label, shipment }: ReturnLabelRecord,
  linkTo: (documentId: string) => string,
): ReturnLabel {
  return {
    ...toWireShipmentReturnLabel(label, linkTo),
    sender_address: toWireAddress(readAddress(label.sender_address)),
    ...(shipment && { shipment: toWireShipmentBase(shipment) }),
  }
}

/** The record of the deprecated paths, and of Expand `return_label` (api.md, Shipments). */
export function toWireShipmentReturnLabel(
  label: ReturnLabelTable,
  linkTo: (documentId: string) => string,
): ShipmentReturnLabel {
  return {
    id: label.id,
    external_reference: shownReference(label),
    url: label.document_id === null ? null : linkTo(label.document_id),
    created_at: toWireTime(label.created_at),
    tracking_information: toWireTracking(label.tracking),
  }
}

export function fromWireReturnLabel(body: z.output<typeof returnLabelCreate>): NewReturnLabel {
  if (body.shipment_id !== undefined)
    return { shipmentId: body.shipment_id.toLowerCase(), shippingMethodId: lowerCase(body.shipping_method) }
  return {
    shippingMethodId: body.shipping_method.toLowerCase(),
    senderAddress: fromWireAddress(body.sender_address),
    externalReference: body.external_reference ?? null,
  }
}

export function fromWireReturnLabelPatch(body: z.output<typeof returnLabelPatch>): ReturnLabelChange {
  return {
    senderAddress: body.sender_address === undefined ? null : fromWireAddressPatch(body.sender_address),
    shippingMethodId: lowerCase(body.shipping_method),
    externalReference: body.external_reference ?? null,
  }
}

/** Ids are kept in lower case; some clients send them in capitals. */
function lowerCase(id: string | undefined): string | null {
  return id === undefined ? null : id.toLowerCase()
}
