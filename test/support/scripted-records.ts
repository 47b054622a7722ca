import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import { smallId } from './small-world.ts'

export function scriptedShipment(number: number, createdAt = Date.now() - number * 3600_000): Shipment {
  const at = new Date(createdAt).toISOString()
  return {
    id: smallId(100 + number),
    customer: smallId(1),
    reference: `SHP${String(number).padStart(11, '0')}`,
    po_number: null,
    order_external_reference: `WEB-${number}`,
    shipment_external_reference: null,
    created_at: at,
    modified_at: at,
    shipping_method: null,
    shipping_address: null,
    shipment_labels: [{ label_code: null, tracking_code: `3SABC${number}`, tracking_url: null }],
    shipment_lines: [
      {
        shipped_quantity: number,
        shipped_ean: null,
        shipped_article_code: `A-${number}`,
        shipped_sku: null,
        variant: null,
      },
    ],
  }
}

export interface ScriptedLabel {
  readonly shipmentId: string
  readonly wire: ReturnLabel
  requests: number
  request(url: string): void
}

export function scriptedLabel(number: number, shipment: Shipment): ScriptedLabel {
  const wire: ReturnLabel = {
    id: smallId(900 + number),
    external_reference: `${shipment.order_external_reference ?? ''}-${number}`,
    url: null,
    created_at: new Date().toISOString(),
    tracking_information: [],
    sender_address: null,
    shipment,
  }
  return {
    shipmentId: shipment.id,
    wire,
    requests: 0,
    request(url) {
      this.requests++
      if (wire.url === null) wire.external_reference = `${wire.external_reference ?? ''}.R`
      wire.url = url
      wire.tracking_information = [{ label_code: null, tracking_code: `RT${number}`, tracking_url: null }]
    },
  }
}
