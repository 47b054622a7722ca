import type { World, WorldInbound, WorldPaper } from '../../warehouse/world.ts'
import { storeDocument } from '../documents/documents.ts'
import { startSerialAfter } from '../engine/meta.ts'
import type { Connection } from '../engine/database.ts'
import { flag, insertAll, lastNumber, storedTime } from './seed-rows.ts'

/**
 * Inserts the inbounds (with their documents and lots), the modifications and the transfers. The database must already
 * contain the goods.
 */
export async function seedMoves(connection: Connection, world: World): Promise<void> {
  await seedInbounds(connection, world)
  await seedModifications(connection, world)
  for (const inbound of world.inbounds) await seedPapers(connection, inbound)
  await seedTransfers(connection, world)
  await startSerialAfter(connection, 'inbound', lastNumber(world.inbounds))
  await startSerialAfter(connection, 'transfer', Math.max(0, ...world.transfers.map(({ serial }) => serial)))
}

async function seedInbounds(connection: Connection, { inbounds, batches }: World): Promise<void> {
  await insertAll(
    connection,
    'inbounds',
    inbounds.map((inbound) => ({
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
    })),
  )
  await insertAll(
    connection,
    'inbound_lines',
    inbounds.flatMap((inbound) =>
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
    ),
  )
  await insertAll(
    connection,
    'batches',
    batches.map((batch) => ({
      id: batch.id,
      customer_id: batch.customerId,
      variant_id: batch.variantId,
      location_id: batch.locationId,
      quantity: batch.quantity,
      expiration_date: batch.expirationDate,
      inbound_id: batch.inboundId,
      created_at: storedTime(batch.createdAt),
    })),
  )
}

async function seedModifications(connection: Connection, { modifications }: World): Promise<void> {
  await insertAll(
    connection,
    'modifications',
    modifications.map((modification) => ({
      id: modification.id,
      customer_id: modification.customerId,
      reference: modification.reference,
      reason: modification.reason,
      status: modification.status,
      note: modification.note,
      created_at: storedTime(modification.createdAt),
      modified_at: storedTime(modification.modifiedAt),
    })),
  )
  await insertAll(
    connection,
    'modification_lines',
    modifications.flatMap((modification) =>
      modification.lines.map((line, position) => ({
        modification_id: modification.id,
        position,
        variant_id: line.variantId,
        location_id: line.locationId,
        quantity: line.quantity,
      })),
    ),
  )
  await startSerialAfter(connection, 'modification', lastNumber(modifications))
}

async function seedPapers(connection: Connection, inbound: WorldInbound): Promise<void> {
  for (const paper of inbound.documents) {
    await seedDocument(connection, inbound.customerId, paper)
    await insertAll(connection, 'inbound_documents', [{ inbound_id: inbound.id, document_id: paper.id }])
  }
  for (const control of inbound.qualityControls) {
    await insertAll(connection, 'quality_controls', [
      {
        id: control.id,
        inbound_id: inbound.id,
        pallet_count: control.palletCount,
        was_delivery_appointment: flag(control.wasDeliveryAppointment),
        had_packing_list: flag(control.hadPackingList),
        was_correct_quantity: flag(control.wasCorrectQuantity),
        had_proper_markings: flag(control.hadProperMarkings),
        box_condition: control.boxCondition,
        comments: control.comments,
        created_at: storedTime(control.createdAt),
      },
    ])
    for (const paper of control.documents) {
      await seedDocument(connection, inbound.customerId, paper)
      const link = { quality_control_id: control.id, document_id: paper.id }
      await insertAll(connection, 'quality_control_documents', [link])
    }
  }
}

async function seedDocument(connection: Connection, customerId: string, paper: WorldPaper): Promise<void> {
  await storeDocument(connection, {
    id: paper.id,
    customer_id: customerId,
    content: paper.content,
    title: paper.title,
    mime_type: paper.mimeType,
    document_type: paper.documentType,
    created_at: storedTime(paper.createdAt),
  })
}

async function seedTransfers(connection: Connection, { transfers }: World): Promise<void> {
  await insertAll(
    connection,
    'transfers',
    transfers.map((transfer) => ({
      id: transfer.id,
      serial: transfer.serial,
      customer_id: transfer.customerId,
      to_customer_id: transfer.toCustomerId,
      external_reference: transfer.externalReference,
      status: transfer.status,
      cancel_note: transfer.cancelNote,
      created_at: storedTime(transfer.createdAt),
      modified_at: storedTime(transfer.createdAt),
    })),
  )
  await insertAll(
    connection,
    'transfer_lines',
    transfers.flatMap((transfer) =>
      transfer.lines.map((line, position) => ({
        id: line.id,
        transfer_id: transfer.id,
        position,
        from_variant_id: line.fromVariantId,
        to_variant_id: line.toVariantId,
        quantity: line.quantity,
        finalized_quantity: line.finalizedQuantity,
      })),
    ),
  )
}
