import { z } from 'zod'
import { inboundStatuses, orderStatuses, warehouseWorkKinds } from '../domain/resource-states.ts'
import { isWebUrl } from '../domain/public-address.ts'
import { customer } from './customer.ts'
import { soughtText, trueOrFalse } from './listing.ts'
import { longestReference, neededText, optionalText, sentList, wholeFrom } from './loose.ts'
import { dateTime, id, storedDay } from './primitives.ts'

/**
 * The queries, bodies and responses of the calls that a warehouse management system makes. The service's published API
 * does not contain these calls. They are specific to this program, in the style of the published API.
 */

/**
 * Maximum number of items in one response. Each list of the warehouse also has `after`: the cursor of the last item
 * that the client has read. Without `after` the list starts at the beginning.
 */
const limit = z.coerce.number().int().min(1).max(200).optional()

/** GET /warehouse/work/ */
export const workQuery = z.object({
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  limit,
})

/**
 * A resource that a client created or changed. After two changes the list contains it twice, both times in its current
 * state.
 */
export const workItem = z.object({
  /** Position of the change in the list. Cursors ascend; gaps between them are normal. */
  cursor: z.number().int(),
  kind: z.enum(warehouseWorkKinds),
  id,
  customer,
  /**
   * The resource as a GET of the published API returns it with all Expand groups, but without signed links. Null: the
   * resource was removed.
   */
  resource: z.record(z.string(), z.unknown()).nullable(),
  /** Whether the resource alone is too large for a response. If so, `resource` contains only its `id`. */
  too_large: z.boolean(),
})
export type WorkItem = z.output<typeof workItem>

const recordQuery = z.object({ after: id.optional(), limit })
/**
 * The cursor of a list of records, which are in the order of their ids. If a record is created while a client reads the
 * list, its id may be before the cursor, and the client then does not receive it.
 */
const cursor = id

/** GET /warehouse/customers/ */
export const warehouseCustomerQuery = recordQuery.extend({ code: soughtText.optional() })
export const warehouseCustomer = customer.extend({ cursor })
export type WarehouseCustomer = z.output<typeof warehouseCustomer>

/** GET /warehouse/locations/ */
export const warehouseLocationQuery = recordQuery.extend({
  code: soughtText.optional(),
  pickable: trueOrFalse,
})
export const warehouseLocation = z.object({ cursor, id, code: z.string(), pickable: z.boolean() })
export type WarehouseLocation = z.output<typeof warehouseLocation>

/** Query of GET /warehouse/batches/. `customer`, `variant` and `location` are ids; a batch must match all given ids. */
export const warehouseBatchQuery = recordQuery.extend({
  customer: id.optional(),
  variant: id.optional(),
  article_code: soughtText.optional(),
  location: id.optional(),
  positive_only: trueOrFalse,
})
export const warehouseBatch = z.object({
  cursor,
  id,
  customer: id,
  variant: z.object({
    id,
    article_code: z.string(),
    name: z.string(),
    expirable: z.boolean(),
    using_serial_numbers: z.boolean(),
  }),
  location: z.object({ id, code: z.string() }),
  quantity: z.number().int(),
  expiration_date: z.iso.date().nullable(),
  /** The inbound of the batch; null: no inbound is known, for example after a transfer or a correction. */
  inbound: id.nullable(),
  created_at: dateTime,
})
export type WarehouseBatch = z.output<typeof warehouseBatch>

export const made = z.object({ id })
export const madeWithReference = made.extend({ reference: z.string() })

const webUrl = optionalText(2000).refine(
  (url) => typeof url !== 'string' || isWebUrl(url),
  'This value should be an http or https URL.',
)

const parcels = sentList(
  z.object({
    label_code: optionalText(100),
    tracking_code: optionalText(100),
    tracking_url: webUrl,
  }),
).max(1000)
export type SentParcels = z.output<typeof parcels>

const serialNumbers = sentList(neededText(100)).max(10_000).optional()
const pieces = wholeFrom(1)

/**
 * An order cannot be moved to `shipped` or `partially_shipped` by this call, because its shipment sets these statuses.
 * An inbound cannot be moved to `completed`, because its receipt sets this status.
 */
export const orderMove = z.object({
  status: z.enum(orderStatuses).exclude(['shipped', 'partially_shipped']),
})
export const inboundMove = z.object({ status: z.enum(inboundStatuses).exclude(['completed']) })

export const newShipment = z.object({
  lines: sentList(
    z.object({ variant: id, quantity: pieces, serial_numbers: serialNumbers, location: id.nullish() }),
  )
    .min(1)
    .max(1000),
  shipping_method: id.nullish(),
  labels: parcels.optional(),
  external_reference: optionalText(),
})

export const newTracking = z.object({ labels: parcels.min(1) })

export const arrival = z.object({
  customer: id,
  external_reference: optionalText(longestReference),
  is_return: z.boolean(),
  note: optionalText(),
  lines: sentList(z.object({ variant: id, quantity: pieces }))
    .min(1)
    .max(1000),
})

export const receipt = z.object({
  lines: sentList(
    z.object({
      variant: id,
      quantity: pieces,
      location: id,
      expiration_date: storedDay.nullish(),
      serial_numbers: serialNumbers,
    }),
  ).max(1000),
  complete: z.boolean(),
})

export const newQualityControl = z.object({
  pallet_count: neededText(50),
  was_delivery_appointment: z.boolean(),
  had_packing_list: z.boolean(),
  was_correct_quantity: z.boolean(),
  had_proper_markings: z.boolean(),
  box_condition: neededText(),
  comments: optionalText(),
})

const difference = wholeFrom(-1_000_000_000).refine((count) => count !== 0, 'This value should not be 0.')

export const stockCorrection = z.object({
  variant: id,
  location: id,
  /** Number of pieces to add to the stock; a negative number removes pieces. */
  quantity: difference,
  expiration_date: storedDay.nullish(),
})

export const lotMove = z.object({ batch: id, quantity: pieces, to_location: id })

export const namedLocation = z.object({ code: neededText(100), pickable: z.boolean() })

/** Body of POST /sandbox/advance: the number of steps of the simulated warehouse. */
export const advance = z.object({ steps: wholeFrom(1).pipe(z.number().max(100)).optional() })

const count = z.number().int()

/**
 * The number of steps that the simulated warehouse made, and the number of changes of each kind. `failures` is the
 * number of changes that failed; the log contains the reasons.
 */
export const advanced = z.object({
  steps: count,
  moved: z.object({
    orders: count,
    shipments: count,
    inbounds: count,
    lots: count,
    returns: count,
    modifications: count,
    transfers: count,
    failures: count,
  }),
})
