import type { SenderAddress } from '#shared/wire/address.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import { smallId } from './small-world.ts'
import { serverLabelIdOf } from './ids.ts'

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
  /** The id of the shipment. Null for a label without a shipment (by hand). */
  readonly shipmentId: string | null
  readonly methodId: string | null
  readonly wire: ReturnLabel
  /** The number of applied requests. The next two fields count the applied changes and cancellations. */
  requests: number
  patches: number
  cancels: number
  isCancelled: boolean
  request(url: string): void
}

interface ByHand {
  readonly reference: string
  readonly sender: SenderAddress
}

/** Returns a label for the shipment `origin`, or a label by hand with the reference and the sender in `origin`. */
export function scriptedLabel(
  number: number,
  origin: Shipment | ByHand,
  methodId: string | null = null,
): ScriptedLabel {
  const shipment = 'sender' in origin ? null : origin
  const byHand = 'sender' in origin ? origin : null
  const wire: ReturnLabel = {
    id: serverLabelIdOf(smallId(900 + number)),
    external_reference: byHand?.reference ?? `${shipment?.order_external_reference ?? ''}-${number}`,
    url: null,
    created_at: new Date().toISOString(),
    tracking_information: [],
    sender_address: byHand?.sender ?? null,
    shipment,
  }
  return {
    shipmentId: shipment?.id ?? null,
    methodId,
    wire,
    requests: 0,
    patches: 0,
    cancels: 0,
    isCancelled: false,
    request(url) {
      this.requests++
      if (wire.url === null) wire.external_reference = `${wire.external_reference ?? ''}.R`
      wire.url = url
      wire.tracking_information = [{ label_code: null, tracking_code: `RT${number}`, tracking_url: null }]
    },
  }
}
