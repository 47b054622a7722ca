import { changeableOrderStatuses } from '#shared/domain/resource-states.ts'
import { needsPostcode } from '#shared/domain/country.ts'
import { type Connection, isUniqueViolation } from '../../data/engine/database.ts'
import { readShippingAddress, type StoredShippingAddress } from '../../data/engine/stored-json.ts'
import { changeOrderIn, findOrder, linesOfOrder, replaceLines } from '../../data/orders/orders.ts'
import type { OrderTable } from '../../data/schema/orders.ts'
import type { Flag } from '../../data/schema/table.ts'
import { assignShipments } from '../../data/shipments/shipments.ts'
import { type Customer, type ServiceContext, transact } from '../context.ts'
import { invalidField, Refusal } from '../refusal.ts'
import type { Unit } from '../unit.ts'
import {
  type NewOrderLine,
  type OrderFields,
  orderLineRows,
  referencesTaken,
  refuseOtherCustomer,
  refuseTakenReferences,
  refuseUnknownMethod,
} from './create-order.ts'
import { notChangeable, orderChanged, orderNotFound } from './orders.ts'

/** The fields to change. Missing fields stay unchanged, also within the address. */
export interface OrderChange {
  readonly customerId: string | null
  readonly fields: Partial<Omit<OrderFields, 'shipping_address' | 'address_invalid'>>
  /** The sent address. Null: no address or an empty address was sent. */
  readonly address: { readonly fields: Partial<StoredShippingAddress>; readonly invalid: Flag } | null
  /** Lines that replace all existing lines. Null: the lines stay unchanged. */
  readonly lines: readonly NewOrderLine[] | null
}

/**
 * Changes an order before any piece was picked. Refused with 400 after the order was cancelled and with 412 once the
 * warehouse works on it, even if the call has no fields and changes nothing. New lines are refused with 412 once a part
 * was shipped. The fields are validated as for a new order. If the call reports the address as invalid, the status
 * becomes `invalid_address`; if it corrects the address of such an order, the status becomes `created`.
 */
export async function changeOrder(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; change: OrderChange },
): Promise<void> {
  const { id, change } = call
  refuseOtherCustomer(customer, change.customerId)
  try {
    await transact(context, async (unit) => {
      const order = await findOrder(unit.connection, customer.id, id)
      if (order === null) throw orderNotFound()
      if (!isChangeable(order.status)) throw notChangeable(order.status)
      if (!isEmpty(change)) await apply(unit, customer, { order, change })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? referencesTaken(['external_reference']) : error
  }
}

function isChangeable(status: OrderTable['status']): boolean {
  return changeableOrderStatuses.some((changeable) => changeable === status)
}

function isEmpty({ fields, address, lines }: OrderChange): boolean {
  return Object.keys(fields).length === 0 && address === null && lines === null
}

async function apply(
  unit: Unit,
  customer: Customer,
  { order, change }: { order: OrderTable; change: OrderChange },
): Promise<void> {
  const { connection, now } = unit
  const { id } = order
  const { fields } = change
  await refuseTakenReferences(connection, customer, {
    external_reference: fields.external_reference ?? null,
    external_id: fields.external_id ?? null,
    exceptId: id,
  })
  await refuseUnknownMethod(connection, fields.shipping_method_id ?? null)
  const changes = {
    ...fields,
    ...(change.address && addressChanges(order, change.address)),
    modified_at: now,
  }
  const reference = fields.external_reference ?? order.external_reference
  if (reference !== order.external_reference) await assignShipments(connection, order)
  await changeOrderIn(connection, changeableOrderStatuses, id, changes)
  if (change.lines !== null) {
    await refusePartlyShipped(connection, id)
    const lines = await orderLineRows(connection, customer, { orderId: id, lines: change.lines })
    await replaceLines(connection, id, lines)
  }
  const subject = { customerId: customer.id, id }
  await orderChanged(unit, subject)
  unit.forWarehouse('order', subject)
}

/** Refuses new lines with 412 after pieces were shipped, even if other changes of the order are allowed again. */
async function refusePartlyShipped(connection: Connection, orderId: string): Promise<void> {
  const lines = await linesOfOrder(connection, orderId)
  if (lines.some(({ processed }) => processed > 0))
    throw new Refusal('too_late', 'Pieces of this order were shipped.')
}

/**
 * Returns the columns that a new address changes. An address that is sent without `invalid` counts as valid. Refused
 * with 400 if the country needs a zipcode and the address has none.
 */
function addressChanges(
  order: OrderTable,
  address: NonNullable<OrderChange['address']>,
): Pick<OrderTable, 'shipping_address' | 'address_invalid' | 'status'> {
  const whole = { ...readShippingAddress(order.shipping_address), ...address.fields }
  if (whole.zipcode === null && needsPostcode(whole.country))
    throw invalidField('shipping_address.zipcode', 'This value should not be blank.')
  return {
    shipping_address: JSON.stringify(whole),
    address_invalid: address.invalid,
    status: statusBy(order.status, address.invalid === 1),
  }
}

/**
 * Returns the status after a change of the address. `status`: the present status, in which the customer may change the
 * order.
 */
function statusBy(status: OrderTable['status'], addressIsInvalid: boolean): OrderTable['status'] {
  if (addressIsInvalid) return 'invalid_address'
  return status === 'invalid_address' ? 'created' : status
}
