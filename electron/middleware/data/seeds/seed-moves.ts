import type { World, WorldInbound, WorldPaper } from '../../warehouse/world.ts'
import { startSerialAfter } from '../engine/counters.ts'
import type { Connection } from '../engine/database.ts'
import { storeDocument } from '../documents/documents.ts'
import { portions } from '../engine/portions.ts'
import { flag } from './seed-goods.ts'
import { storedTime } from './seed-rows.ts'

/** What goods came in with, bundles and transfers; after articles, customers and inbounds. */
export async function seedMoves(connection: Connection, world: World): Promise<void> {
  for (const inbound of world.inbounds) await seedPapers(connection, inbound)
  await seedBundles(connection, world)
  await seedTransfers(connection, world)
  const inbounds = world.inbounds.map(({ reference }) => Number(reference.slice(3)))
  await startSerialAfter(connection, 'inbound', Math.max(0, ...inbounds))
  await startSerialAfter(connection, 'transfer', Math.max(0, ...world.transfers.map(({ serial }) => serial)))
}

async function seedPapers(connection: Connection, inbound: WorldInbound): Promise<void> {
  for (const paper of inbound.documents) {
    await seedDocument(connection, inbound.customerId, paper)
    const link = { inbound_id: inbound.id, document_id: paper.id }
    await connection.insertInto('inbound_documents').values(link).execute()
  }
  for (const control of inbound.qualityControls) {
    await connection
      .insertInto('quality_controls')
      .values({
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
      })
      .execute()
    for (const paper of control.documents) {
      await seedDocument(connection, inbound.customerId, paper)
      const link = { quality_control_id: control.id, document_id: paper.id }
      await connection.insertInto('quality_control_documents').values(link).execute()
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

async function seedBundles(connection: Connection, { bundles }: World): Promise<void> {
  const rows = bundles.map((bundle) => ({
    id: bundle.id,
    customer_id: bundle.customerId,
    variant_id: bundle.variantId,
    created_at: storedTime(bundle.createdAt),
    modified_at: storedTime(bundle.createdAt),
  }))
  for (const portion of portions(rows))
    await connection.insertInto('variant_bundles').values(portion).execute()
  const items = bundles.flatMap((bundle) =>
    bundle.items.map(({ id, variantId, quantity }, position) => ({
      id,
      bundle_id: bundle.id,
      position,
      variant_id: variantId,
      quantity,
    })),
  )
  for (const portion of portions(items))
    await connection.insertInto('variant_bundle_items').values(portion).execute()
}

async function seedTransfers(connection: Connection, { transfers }: World): Promise<void> {
  const rows = transfers.map((transfer) => ({
    id: transfer.id,
    serial: transfer.serial,
    customer_id: transfer.customerId,
    to_customer_id: transfer.toCustomerId,
    external_reference: transfer.externalReference,
    status: transfer.status,
    cancel_note: transfer.cancelNote,
    created_at: storedTime(transfer.createdAt),
    modified_at: storedTime(transfer.createdAt),
  }))
  for (const portion of portions(rows)) await connection.insertInto('transfers').values(portion).execute()
  const lines = transfers.flatMap((transfer) =>
    transfer.lines.map((line, position) => ({
      id: line.id,
      transfer_id: transfer.id,
      position,
      from_variant_id: line.fromVariantId,
      to_variant_id: line.toVariantId,
      quantity: line.quantity,
      finalized_quantity: line.finalizedQuantity,
    })),
  )
  for (const portion of portions(lines))
    await connection.insertInto('transfer_lines').values(portion).execute()
}
