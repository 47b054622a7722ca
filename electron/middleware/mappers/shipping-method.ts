import type { ShippingMethod } from '#shared/wire/shipping-method.ts'
import type { ShippingMethodTable } from '../data/schema/orders.ts'
import { toWireTime } from './time.ts'

/** api.md, Shipping method; `administration_code` only with its Expand group. */
export function toWireShippingMethod(
  row: ShippingMethodTable,
  expand: ReadonlySet<'administration_code'>,
): ShippingMethod {
  return {
    id: row.id,
    shipper: row.shipper,
    shipper_code: row.shipper_code,
    code: row.code,
    description: row.description,
    shipping_software: row.shipping_software,
    created_at: toWireTime(row.created_at),
    modified_at: toWireTime(row.modified_at),
    ...(expand.has('administration_code') && { administration_code: row.administration_code }),
  }
}
