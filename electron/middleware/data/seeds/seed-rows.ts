import type { World } from '../../warehouse/world.ts'
import type { CustomerTable, UserCustomerTable, UserTable } from '../schema/access.ts'
import type { ShipmentLineTable, ShipmentTable } from '../schema/shipments.ts'

/** Any ISO 8601 time in the one form that sorts as text. */
export function storedTime(time: string): string {
  return new Date(time).toISOString()
}

export function customerRows(world: World): CustomerTable[] {
  return world.customers.map((customer) => ({
    id: customer.id,
    code: customer.code,
    name: customer.name,
    return_shipping_method_id: customer.returnShippingMethodId,
    return_address: JSON.stringify(customer.returnAddress),
    created_at: storedTime(customer.createdAt),
    modified_at: storedTime(customer.createdAt),
  }))
}

/** Throws when a user's password was not hashed. */
export function userRows(world: World, passwordHashes: ReadonlyMap<string, string>): UserTable[] {
  return world.users.map((user) => {
    const hash = passwordHashes.get(user.id)
    if (hash === undefined) throw new Error(`No password hash for user ${user.id}`)
    return {
      id: user.id,
      username: user.username,
      password_hash: hash,
      user_type: user.isWarehouse === true ? 'warehouse' : 'api',
      roles: JSON.stringify(user.roles),
      transfers_granted: user.transfersGranted === true ? 1 : 0,
    }
  })
}

export function userCustomerRows(world: World): UserCustomerTable[] {
  return world.users.flatMap((user) =>
    user.customerIds.map((customerId) => ({ user_id: user.id, customer_id: customerId })),
  )
}

export function shipmentRows(world: World): ShipmentTable[] {
  return world.shipments.map((shipment) => ({
    id: shipment.id,
    customer_id: shipment.customerId,
    reference: shipment.reference,
    po_number: shipment.poNumber,
    order_id: null,
    order_external_reference: shipment.orderExternalReference,
    shipment_external_reference: shipment.shipmentExternalReference,
    shipping_method_id: shipment.shippingMethodId,
    shipping_address: JSON.stringify(shipment.shippingAddress),
    labels: JSON.stringify(shipment.labels),
    created_at: storedTime(shipment.createdAt),
    modified_at: storedTime(shipment.createdAt),
  }))
}

export function shipmentLineRows(world: World): ShipmentLineTable[] {
  return world.shipments.flatMap((shipment) =>
    shipment.lines.map((line, position) => ({
      shipment_id: shipment.id,
      position,
      variant_id: line.variantId,
      quantity: line.quantity,
      serial_numbers: JSON.stringify(line.serialNumbers),
    })),
  )
}
