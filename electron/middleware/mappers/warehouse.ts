import type { z } from 'zod'
import type {
  arrival,
  lotMove,
  newQualityControl,
  newShipment,
  receipt,
  SentParcels,
  stockCorrection,
  WarehouseBatch,
  warehouseBatchQuery,
  WarehouseCustomer,
  WarehouseLocation,
  WorkItem,
} from '#shared/wire/warehouse.ts'
import type { StoredTracking } from '../data/engine/stored-json.ts'
import type { AnyBatchFilter, PlacedBatch } from '../data/goods/batches.ts'
import type { CustomerTable } from '../data/schema/clients.ts'
import type { LocationTable } from '../data/schema/goods.ts'
import type {
  Arrival,
  LotMove,
  NewQualityControl,
  NewShipment,
  Receipt,
  StockCorrection,
} from '../services/warehouse/port.ts'
import type { WorkRecord } from '../services/warehouse/calls.ts'
import { toWireCustomer } from './customer.ts'
import { toWireTime } from './time.ts'

/** Ids are kept in lower case; some clients send them in capitals. */
const own = (id: string): string => id.toLowerCase()
const ownOrNull = (id: string | null | undefined): string | null => id?.toLowerCase() ?? null

/** `resource`: as it is now; null: it is gone. */
export function toWireWorkItem({ customer, ...rest }: WorkRecord, resource: WorkItem['resource']): WorkItem {
  return { ...rest, customer: toWireCustomer(customer), resource, too_large: false }
}

/** Of a resource that no answer can show. */
export function toLargeWorkItem(work: WorkRecord): WorkItem {
  return { ...toWireWorkItem(work, { id: work.id }), too_large: true }
}

export function fromWireParcels(parcels: SentParcels): StoredTracking {
  return parcels.map((parcel) => ({
    labelCode: parcel.label_code ?? null,
    trackingCode: parcel.tracking_code ?? null,
    trackingUrl: parcel.tracking_url ?? null,
  }))
}

export function fromWireShipment(body: z.output<typeof newShipment>): NewShipment {
  return {
    lines: body.lines.map((line) => ({
      variantId: own(line.variant),
      quantity: line.quantity,
      serialNumbers: line.serial_numbers ?? [],
      locationId: ownOrNull(line.location),
    })),
    shippingMethodId: ownOrNull(body.shipping_method),
    labels: fromWireParcels(body.labels ?? []),
    externalReference: body.external_reference ?? null,
  }
}

export function fromWireArrival(body: z.output<typeof arrival>): Arrival {
  return {
    customerId: own(body.customer),
    externalReference: body.external_reference ?? null,
    isReturn: body.is_return,
    note: body.note ?? null,
    lines: body.lines.map(({ variant, quantity }) => ({ variantId: own(variant), quantity })),
  }
}

export function fromWireReceipt(body: z.output<typeof receipt>): Receipt {
  return {
    complete: body.complete,
    lines: body.lines.map((line) => ({
      variantId: own(line.variant),
      quantity: line.quantity,
      locationId: own(line.location),
      expirationDate: line.expiration_date ?? null,
      serialNumbers: line.serial_numbers ?? [],
    })),
  }
}

export function fromWireQualityControl(body: z.output<typeof newQualityControl>): NewQualityControl {
  return {
    palletCount: body.pallet_count,
    wasDeliveryAppointment: body.was_delivery_appointment,
    hadPackingList: body.had_packing_list,
    wasCorrectQuantity: body.was_correct_quantity,
    hadProperMarkings: body.had_proper_markings,
    boxCondition: body.box_condition,
    comments: body.comments ?? '',
  }
}

export function fromWireCorrection(body: z.output<typeof stockCorrection>): StockCorrection {
  return {
    variantId: own(body.variant),
    locationId: own(body.location),
    quantity: body.quantity,
    expirationDate: body.expiration_date ?? null,
  }
}

export function fromWireLotMove(body: z.output<typeof lotMove>): LotMove {
  return { batchId: own(body.batch), quantity: body.quantity, toLocationId: own(body.to_location) }
}

export function fromWireBatchQuery(query: z.output<typeof warehouseBatchQuery>): AnyBatchFilter {
  return {
    customerId: ownOrNull(query.customer),
    variantId: ownOrNull(query.variant),
    articleCode: query.article_code ?? null,
    locationId: ownOrNull(query.location),
    positiveOnly: query.positive_only ?? false,
  }
}

export function toWarehouseCustomer(row: CustomerTable): WarehouseCustomer {
  return { cursor: row.id, ...toWireCustomer(row) }
}

export function toWarehouseLocation({ id, code, pickable }: LocationTable): WarehouseLocation {
  return { cursor: id, id, code, pickable: pickable === 1 }
}

export function toWarehouseBatch(row: PlacedBatch): WarehouseBatch {
  return {
    cursor: row.id,
    id: row.id,
    customer: row.customer_id,
    variant: {
      id: row.variant_id,
      article_code: row.article_code,
      name: row.variant_name,
      expirable: row.expirable === 1,
      using_serial_numbers: row.using_serial_numbers === 1,
    },
    location: { id: row.location_id, code: row.location_code },
    quantity: row.quantity,
    expiration_date: row.expiration_date,
    inbound: row.inbound_id,
    created_at: toWireTime(row.created_at),
  }
}
