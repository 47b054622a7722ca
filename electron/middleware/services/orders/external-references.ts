import type { Connection } from '../../data/engine/database.ts'
import { isReferenceTaken } from '../../data/shipments/return-labels.ts'
import type { ReturnLabelTable, ShipmentTable } from '../../data/schema/orders.ts'
import { Refusal } from '../refusal.ts'

const requestedSuffix = '.R'

/** What identifies a label to its customer: the reference without the suffix that a request adds, sent once or often. */
export function bareReference(reference: string): string {
  let bare = reference
  while (bare.endsWith(requestedSuffix) && bare.length > requestedSuffix.length)
    bare = bare.slice(0, -requestedSuffix.length)
  return bare
}

/** The reference as it is shown: with `.R` once the label was requested (api.md, Return labels). */
export function shownReference(label: Pick<ReturnLabelTable, 'external_reference' | 'state'>): string {
  return label.state === 'requested' ? label.external_reference + requestedSuffix : label.external_reference
}

/** Reference of a label made without one: `RTL` and eleven digits, like the service's other references. */
export function serialReference(serial: number): string {
  return `RTL${String(serial).padStart(11, '0')}`
}

/** The order's reference; while another label of the same order is not cancelled, `-2`, and so on. */
export async function referenceFromShipment(
  connection: Connection,
  shipment: ShipmentTable,
): Promise<string> {
  const base = bareReference(shipment.order_external_reference)
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? base : `${base}-${count}`
    if (!(await isReferenceTaken(connection, shipment.customer_id, candidate))) return candidate
  }
}

/** 400 with the message both for the call and for the field, as the service's clients expect it. */
export function referenceNotUnique(): Refusal {
  const message = 'Reference is not unique'
  return new Refusal('invalid', message, { fields: { '': [message], external_reference: [message] } })
}
