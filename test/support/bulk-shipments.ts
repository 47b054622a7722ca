import type { Shipment } from '#shared/wire/shipment.ts'

/**
 * Shipments in bulk, each made from its number alone: the same number gives the same codes in every process. They go back
 * from `newestAt` at even steps; the higher the number, the newer. A number behind the last one is one that came since.
 */
export interface BulkShipments {
  count: number
  readonly newestAt: number
  readonly stepMs: number
}

const minuteMs = 60_000

/** So many shipments of so many days up to an hour ago, milliseconds since 1970. */
export function bulkShipments(count: number, days: number, now: number): BulkShipments {
  return { count, newestAt: now - 60 * minuteMs, stepMs: Math.floor((days * 24 * 60 * minuteMs) / count) }
}

/** `first`: the number that the newest had when they were made. */
export function madeAt({ newestAt, stepMs }: BulkShipments, number: number, first: number): number {
  return newestAt + (number - first) * stepMs
}

const carriers = ['PostNL', 'DHL', 'DPD', 'UPS', 'GLS']

export function bulkShipment(number: number, createdAt: number): Shipment {
  const at = new Date(createdAt).toISOString()
  const tail = String(number).padStart(9, '0')
  const carrier = carriers[number % carriers.length] ?? ''
  return {
    id: `00000000-0000-4000-9000-${String(number).padStart(12, '0')}`,
    customer: '00000000-0000-4000-8000-000000000001',
    reference: `SHP${String(number).padStart(11, '0')}`,
    po_number: number % 3 === 0 ? `PO-${tail}` : null,
    order_external_reference: `WEB-${tail}`,
    shipment_external_reference: number % 4 === 0 ? `EXT/${tail}` : null,
    created_at: at,
    modified_at: at,
    shipping_method: {
      id: '00000000-0000-4000-8000-000000000011',
      code: 'standard',
      description: `${carrier} Standard`,
      shipper_code: carrier,
      shipper: carrier,
      shipping_software: null,
      created_at: at,
      modified_at: at,
    },
    shipping_address: {
      addressed_to: `Receiver ${tail}`,
      contact_person: null,
      street: 'Kadeweg',
      street2: null,
      street_number: String(number % 400),
      street_number_addition: null,
      zipcode: '1234 AB',
      city: 'Utrecht',
      country: 'NL',
      state: null,
      phone_number: null,
      mobile_number: null,
      fax_number: null,
      email_address: null,
      invalid: false,
    },
    shipment_labels: [
      {
        label_code: `JVGL${tail}`,
        tracking_code: `3SQWE ${tail}`,
        tracking_url: `https://t.example.org/${tail}`,
      },
      ...(number % 10 === 0 ? [{ label_code: null, tracking_code: `3SRTY${tail}`, tracking_url: null }] : []),
    ],
    shipment_lines: Array.from({ length: 1 + (number % 3) }, (_, line) => ({
      shipped_quantity: 1 + line,
      shipped_ean: null,
      shipped_article_code: `BULK-${(number * 7 + line) % 5_000}`,
      shipped_sku: null,
      serial_numbers: number % 5 === 0 ? [`SN-${tail}-${line}`] : [],
      variant: null,
    })),
  }
}

/** Every code under which an operator may look for it, as a scanner reads it. */
export function bulkCodes(one: Shipment): string[] {
  return [
    one.reference,
    one.order_external_reference,
    one.po_number,
    one.shipment_external_reference,
    ...(one.shipment_labels ?? []).flatMap((label) => [
      label.label_code,
      label.tracking_code?.replaceAll(' ', '') ?? null,
    ]),
  ].filter((code) => code !== null)
}

export function bulkSerials(one: Shipment): string[] {
  return (one.shipment_lines ?? []).flatMap((line) => line.serial_numbers ?? [])
}
