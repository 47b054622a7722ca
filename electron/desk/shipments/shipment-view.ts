import type { ShipmentView } from '#shared/bridge/scan-views.ts'
import { senderAddress, type ShippingAddress } from '#shared/wire/address.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { isoTime } from '../timing/iso-time.ts'

/**
 * A shipment as the card shows it; `asOf` in milliseconds since 1970. `catalogued`: what is known here of a variant that
 * the service only named by its id (api.md, Variant).
 */
export function toShipmentView(
  shipment: Shipment,
  asOf: number,
  catalogued: (variantId: string) => Pick<Variant, 'name' | 'article_code' | 'ean'> | undefined,
): ShipmentView {
  const { shipping_method: method, shipping_address: address } = shipment
  return {
    id: shipment.id,
    reference: shipment.reference,
    orderReference: shipment.order_external_reference,
    createdAt: shipment.created_at,
    carrier: method?.shipper ?? method?.shipper_code ?? null,
    methodDescription: method?.description ?? method?.code ?? null,
    recipient: address ? toRecipient(address) : null,
    // without what only the address of an order has
    sender: address ? senderAddress.parse(address) : null,
    trackingCodes: (shipment.shipment_labels ?? []).flatMap((label) => label.tracking_code ?? []),
    lines: (shipment.shipment_lines ?? []).map((line) => {
      const said = line.variant
      const variant = said && said.name === undefined ? (catalogued(said.id) ?? null) : said
      return {
        quantity: line.shipped_quantity,
        name: variant?.name ?? line.shipped_article_code ?? line.shipped_ean ?? '',
        articleCode: line.shipped_article_code ?? variant?.article_code ?? null,
        ean: line.shipped_ean ?? variant?.ean ?? null,
        serialNumbers: line.serial_numbers ?? [],
      }
    }),
    asOf: isoTime(asOf),
  }
}

function toRecipient(address: ShippingAddress): ShipmentView['recipient'] {
  return {
    name: address.addressed_to ?? address.contact_person ?? '',
    street: joined(
      address.street,
      joined(address.street_number, address.street_number_addition),
      address.street2,
    ),
    place: joined(address.zipcode, address.city),
    country: address.country ?? '',
  }
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(' ')
}
