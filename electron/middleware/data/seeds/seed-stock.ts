import type { World } from '../../warehouse/world.ts'
import type { BatchTable } from '../schema/goods.ts'
import type {
  InboundLineTable,
  InboundTable,
  ModificationLineTable,
  ModificationTable,
} from '../schema/moves.ts'
import { flag } from './seed-goods.ts'
import { storedTime } from './seed-rows.ts'

export function inboundRows(world: World): InboundTable[] {
  return world.inbounds.map((inbound) => ({
    id: inbound.id,
    customer_id: inbound.customerId,
    reference: inbound.reference,
    external_reference: inbound.externalReference,
    is_return: flag(inbound.isReturn),
    status: inbound.status,
    type: inbound.type,
    inbound_date: inbound.inboundDate,
    note: inbound.note,
    meta_data: JSON.stringify(inbound.metaData),
    created_at: storedTime(inbound.createdAt),
    modified_at: storedTime(inbound.createdAt),
  }))
}

export function inboundLineRows(world: World): InboundLineTable[] {
  return world.inbounds.flatMap((inbound) =>
    inbound.lines.map((line, position) => ({
      inbound_id: inbound.id,
      position,
      variant_id: line.variantId,
      quantity: line.quantity,
      processed: line.processed,
      packing_slip: line.packingSlip,
      serial_numbers: JSON.stringify(line.serialNumbers),
      meta_data: JSON.stringify(line.metaData),
    })),
  )
}

export function batchRows(world: World): BatchTable[] {
  return world.batches.map((batch) => ({
    id: batch.id,
    customer_id: batch.customerId,
    variant_id: batch.variantId,
    location_id: batch.locationId,
    quantity: batch.quantity,
    expiration_date: batch.expirationDate,
    inbound_id: batch.inboundId,
    created_at: storedTime(batch.createdAt),
  }))
}

export function modificationRows(world: World): ModificationTable[] {
  return world.modifications.map((modification) => ({
    id: modification.id,
    customer_id: modification.customerId,
    reference: modification.reference,
    reason: modification.reason,
    status: modification.status,
    note: modification.note,
    created_at: storedTime(modification.createdAt),
    modified_at: storedTime(modification.modifiedAt),
  }))
}

export function modificationLineRows(world: World): ModificationLineTable[] {
  return world.modifications.flatMap((modification) =>
    modification.lines.map((line, position) => ({
      modification_id: modification.id,
      position,
      variant_id: line.variantId,
      location_id: line.locationId,
      quantity: line.quantity,
    })),
  )
}
