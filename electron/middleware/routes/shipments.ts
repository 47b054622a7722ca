import { serverLabelId } from '#shared/domain/ids.ts'
import type { Role } from '#shared/wire/roles.ts'
import { routes } from '#shared/wire/routes.ts'
import type { Shipment, ShipmentLine, ShipmentReturnLabel } from '#shared/wire/shipment.ts'
import type { ShippingMethod } from '#shared/wire/shipping-method.ts'
import { readAddress, readSerialNumbers } from '../data/engine/stored-json.ts'
import type { ReturnLabelTable, ShipmentTable, ShippingMethodTable } from '../data/schema/orders.ts'
import { holdsRole, requireRole } from '../plugins/callers.ts'
import type { ServiceContext } from '../services/context.ts'
import { shownReference } from '../services/shipments/create-return-label.ts'
import {
  ensureShipmentReturnLabel,
  findShipmentReturnLabel,
  getShipmentReturnLabel,
} from '../services/shipments/request-return-label.ts'
import {
  documentsOfShipment,
  ensurePickupLabel,
  getShipment,
  getShippingMethod,
  listShipments,
  listShippingMethods,
  type ShipmentLineRecord,
  type ShipmentParts,
  type ShipmentRecord,
} from '../services/shipments/shipments.ts'
import { toWireDocument } from './documents.ts'
import { toWireVariant } from './goods.ts'
import { toWireOrderDocument } from './orders.ts'
import { type Call, register, type RouteHost } from './register.ts'
import { toWireAddress, toWireTime, toWireTracking } from './wire-values.ts'

/** Expand groups of a single shipment and of a list of shipments (API.md 7.1). */
export const shipmentGroups = [
  'shipment_lines',
  'shipment_colli',
  'shipment_labels',
  'shipping_address',
  'shipping_method',
  'serial_numbers',
  'variant',
  'administration_code',
] as const
type ShipmentGroup = (typeof shipmentGroups)[number]

/**
 * The groups that Expand accepts for a list of shipments (`several`) and for a single shipment (`single`). The groups
 * `shipments` and `shipment` stand for the shipment itself, not for a part of it (API.md 7.1).
 */
const several = { expand: [...shipmentGroups, 'shipments'] } as const
const single = {
  expand: [...shipmentGroups, 'shipment', 'shipment_document', 'documents', 'return_label'],
} as const
type SingleGroup = (typeof single.expand)[number]

/** Shipments (API.md 7). */
export function registerShipments(host: RouteHost): void {
  const { context } = host
  register(host, routes.listShipments, several, async ({ caller, query, expand }) => {
    const orderReferences = [
      query.order_external_reference ?? [],
      query['order_external_reference[]'] ?? [],
    ].flat()
    const groups = shownGroups(expand)
    const call = { orderReferences, query, parts: partsFor(groups) }
    const records = await listShipments(context, caller.customer, call)
    const toWire = expand.has('shipments') ? toWireShipmentDetail : toWireShipment
    return records.map((record) => toWire(record, groups))
  })
  register(host, routes.getShipment, single, async ({ caller, params: { id }, expand, linkTo }) => {
    const groups = shownGroups(expand)
    const record = await getShipment(context, caller.customer, id, partsFor(groups))
    return {
      ...toWireShipmentDetail(record, groups),
      ...(await papersOf(context, { caller, expand, linkTo }, record.shipment)),
    }
  })
  registerReturnLabelOfShipment(host)
}

/**
 * Returns the return label and the documents of a shipment only if the caller may read them. Otherwise they are left
 * out, because Expand never makes a call fail.
 */
async function papersOf(
  context: ServiceContext,
  {
    caller,
    expand,
    linkTo,
  }: Pick<Call<typeof routes.getShipment, SingleGroup>, 'caller' | 'expand' | 'linkTo'>,
  shipment: ShipmentTable,
): Promise<Pick<Shipment, 'return_label' | 'shipment_document' | 'documents'>> {
  const { customer } = caller
  const shows = (group: SingleGroup, role: Role): boolean => expand.has(group) && holdsRole(caller, role)
  const label = shows('return_label', 'RETURN_LABELS_READ')
    ? await findShipmentReturnLabel(context, customer, shipment.id)
    : undefined
  const pickupLabel = shows('shipment_document', 'DOCUMENTS_READ')
    ? await ensurePickupLabel(context, customer, shipment)
    : undefined
  const documents = shows('documents', 'ORDERS_DOCUMENTS_READ')
    ? await documentsOfShipment(context, customer, shipment)
    : undefined
  return {
    ...(label !== undefined && { return_label: label && toWireShipmentReturnLabel(label, linkTo) }),
    ...(pickupLabel !== undefined && {
      shipment_document: pickupLabel && toWireDocument(pickupLabel, linkTo),
    }),
    ...(documents && { documents: documents.map(toWireOrderDocument) }),
  }
}

/** The two deprecated calls for the return label of a shipment (API.md 7.2). */
function registerReturnLabelOfShipment(host: RouteHost): void {
  const { context } = host
  const { getShipmentReturnLabel: read, createShipmentReturnLabel: create } = routes
  register(host, read, { expand: [] }, async ({ caller, params, linkTo }) =>
    toWireShipmentReturnLabel(await getShipmentReturnLabel(context, caller.customer, params.id), linkTo),
  )
  register(host, create, { expand: [] }, async ({ caller, params, linkTo }) => {
    requireRole(caller, 'RETURN_LABELS_REQUEST')
    return toWireShipmentReturnLabel(
      await ensureShipmentReturnLabel(context, caller.customer, params.id),
      linkTo,
    )
  })
}

function shownGroups(expand: ReadonlySet<SingleGroup | 'shipments'>): Set<ShipmentGroup> {
  return new Set(shipmentGroups.filter((group) => expand.has(group)))
}

function partsFor(expand: ReadonlySet<ShipmentGroup>): ShipmentParts {
  return {
    lines: expand.has('shipment_lines'),
    variants: expand.has('variant'),
    shippingMethod: expand.has('shipping_method'),
  }
}

/**
 * Returns the fields of a shipment that every response contains. A list without Expand contains only these fields
 * (API.md 7.1).
 */
export function toWireShipmentBase(row: ShipmentTable): Shipment {
  return {
    id: row.id,
    customer: row.customer_id,
    reference: row.reference,
    po_number: row.po_number,
    order_external_reference: row.order_external_reference,
    shipment_external_reference: row.shipment_external_reference,
    created_at: toWireTime(row.created_at),
  }
}

/** Returns a shipment with the requested groups. */
function toWireShipment(record: ShipmentRecord, expand: ReadonlySet<ShipmentGroup>): Shipment {
  const { shipment, lines, shippingMethod } = record
  const method = shippingMethod === null ? null : toWireShippingMethod(shippingMethod, administration(expand))
  return {
    ...toWireShipmentBase(shipment),
    ...(expand.has('shipping_method') && { shipping_method: method }),
    ...(expand.has('shipment_labels') && { shipment_labels: toWireTracking(shipment.labels) }),
    ...(expand.has('shipment_colli') && {
      shipment_colli: toWireTracking(shipment.labels).map((parcel, index) => ({
        number: index + 1,
        ...parcel,
      })),
    }),
    ...(expand.has('shipment_lines') && {
      shipment_lines: (lines ?? []).map((line) => toLine(line, expand)),
    }),
    ...(expand.has('shipping_address') && {
      shipping_address: toWireAddress(readAddress(shipment.shipping_address)),
    }),
  }
}

/** Returns the return label of a shipment, for the deprecated calls and for Expand `return_label` (API.md 7.2). */
export function toWireShipmentReturnLabel(
  label: ReturnLabelTable,
  linkTo: (documentId: string) => string,
): ShipmentReturnLabel {
  return {
    id: serverLabelId.parse(label.id),
    external_reference: shownReference(label),
    url: label.document_id === null ? null : linkTo(label.document_id),
    created_at: toWireTime(label.created_at),
    tracking_information: toWireTracking(label.tracking),
  }
}

/**
 * Returns a shipment with the time of its last change, for a single shipment and for a list with Expand `shipments`.
 */
export function toWireShipmentDetail(record: ShipmentRecord, expand: ReadonlySet<ShipmentGroup>): Shipment {
  return { ...toWireShipment(record, expand), modified_at: toWireTime(record.shipment.modified_at) }
}

function administration(expand: ReadonlySet<ShipmentGroup>): ReadonlySet<'administration_code'> {
  return new Set(expand.has('administration_code') ? (['administration_code'] as const) : [])
}

function toLine({ line, variant }: ShipmentLineRecord, expand: ReadonlySet<ShipmentGroup>): ShipmentLine {
  return {
    shipped_quantity: line.quantity,
    shipped_ean: line.ean,
    shipped_article_code: line.article_code,
    shipped_sku: line.sku,
    ...(expand.has('serial_numbers') && { serial_numbers: readSerialNumbers(line.serial_numbers) }),
    variant: variant === null ? { id: line.variant_id } : toWireVariant(variant),
  }
}

const options = { expand: ['administration_code'] } as const

/** Shipping methods (API.md 7.3). */
export function registerShippingMethods(host: RouteHost): void {
  const { context } = host
  register(host, routes.listShippingMethods, options, async ({ query, expand }) => {
    const methods = await listShippingMethods(context, query, query)
    return methods.map((method) => toWireShippingMethod(method, expand))
  })
  register(host, routes.getShippingMethod, options, async ({ params, expand }) =>
    toWireShippingMethod(await getShippingMethod(context, params.id), expand),
  )
}

/** Returns a shipping method (API.md 7.3), with `administration_code` only if its Expand group is requested. */
function toWireShippingMethod(
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
