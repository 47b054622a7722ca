import type { Connection } from '../../data/engine/database.ts'
import type { ShippingMethodTable, ShipmentTable } from '../../data/schema/orders.ts'
import { findShippingMethod } from '../../data/shipments/shipping-methods.ts'
import type { Customer } from '../context.ts'
import { invalidField, Refusal } from '../refusal.ts'

/** A method named by the client, fit for return labels; 400 under `shipping_method` otherwise. */
export async function returnMethod(connection: Connection, id: string): Promise<ShippingMethodTable> {
  const method = await findShippingMethod(connection, id)
  if (method === null) throw invalidField('shipping_method', 'Shipping method not found.')
  if (method.supports_return_labels === 0) throw invalidField('shipping_method', unsupportedMethod)
  return method
}

/** The method nobody named: the customer's default for returns, else the one the shipment went out with. */
export async function defaultReturnMethod(
  connection: Connection,
  customer: Customer,
  shipment: ShipmentTable,
): Promise<ShippingMethodTable> {
  const method = await findDefaultReturnMethod(connection, customer, shipment)
  if (method === null) throw new Refusal('invalid', unsupportedMethod)
  return method
}

/** Null: it makes no return labels. */
export async function findDefaultReturnMethod(
  connection: Connection,
  customer: Customer,
  shipment: ShipmentTable,
): Promise<ShippingMethodTable | null> {
  const id = customer.return_shipping_method_id ?? shipment.shipping_method_id
  const method = await findShippingMethod(connection, id)
  return method === null || method.supports_return_labels === 0 ? null : method
}

export const unsupportedMethod = 'Shipping method does not support return labels.'
