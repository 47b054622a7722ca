import { z } from 'zod'
import {
  longestReference,
  neededText,
  optionalText,
  ownPairs,
  ownPairsInput,
  sentList,
  wholeFrom,
} from './loose.ts'
import { dateTime, id, nullableText, byId, sentDay } from './primitives.ts'
import { variantOrId } from './variant.ts'
import { inboundStatuses, inboundTypes } from '../domain/resource-states.ts'
import { listQuery, soughtText } from './listing.ts'

const inboundLine = z.object({
  variant: variantOrId.nullable(),
  quantity: z.number().int(),
  processed: z.number().int().nullable(),
  packing_slip: z.number().int().nullable(),
})

const detailLine = inboundLine.extend({
  serial_numbers: z.array(z.string()),
  meta_data: ownPairs.optional(),
  /**
   * The code as the client sent it. Only the response to a create contains it, because that response repeats the
   * request.
   */
  article_code: z.string().optional(),
})

/** A document or a photograph of the goods. Its link is at /wms/documents/:id/. */
const inboundDocument = z.object({
  id,
  title: z.string(),
  mime_type: nullableText,
  created_at: dateTime,
})

/** A report about the state of the goods on arrival (API.md 5.3). */
export const qualityControl = z.object({
  id,
  created_at: dateTime,
  /** The number of pallets as text, as in the contract. */
  pallet_count: z.string(),
  was_delivery_appointment: z.boolean(),
  had_packing_list: z.boolean(),
  was_correct_quantity: z.boolean(),
  had_proper_markings: z.boolean(),
  box_condition: z.string(),
  comments: z.string(),
  documents: z.array(inboundDocument),
})
export type QualityControl = z.output<typeof qualityControl>

/**
 * An inbound (incoming goods) in a list of inbounds or in a batch. A list of inbounds does not contain the lines of the
 * inbounds. A list of batches contains the lines of its inbounds. A single batch contains the lines if the request
 * names the Expand group `inbound_lines` (API.md 4.1, 5.1).
 */
export const inbound = z.object({
  id,
  customer: id.optional(),
  reference: z.string(),
  external_reference: nullableText.default(null),
  is_return: z.boolean().default(false),
  status: z.string().nullable().default(null),
  created_at: dateTime,
  /** The value is a day in a request and a datetime in a response. */
  inbound_date: nullableText.default(null),
  note: nullableText.default(null),
  inbound_lines: z.array(inboundLine).optional(),
})
export type Inbound = z.output<typeof inbound>

/** A single inbound. It always has its lines; it has the other parts only if the request names their Expand groups. */
export const inboundDetail = inbound.extend({
  inbound_lines: z.array(detailLine),
  meta_data: ownPairs.optional(),
  inbound_quality_controls: z.array(qualityControl).optional(),
  inbound_documents: z.array(inboundDocument).optional(),
  documents: z.array(inboundDocument).optional(),
})
export type InboundDetail = z.output<typeof inboundDetail>

/**
 * Body of POST /wms/inbounds/ (API.md 5.1). If a line has no `packing_slip`, the quantity on the packing slip is the
 * quantity of the line.
 */
export const inboundCreate = z.object({
  external_reference: neededText(longestReference),
  inbound_date: sentDay,
  inbound_lines: sentList(
    z.object({
      article_code: neededText(),
      quantity: wholeFrom(1),
      packing_slip: wholeFrom(0).nullish(),
      meta_data: ownPairsInput.nullish(),
    }),
  )
    .min(1)
    .max(1000),
  note: optionalText(),
  meta_data: ownPairsInput.nullish(),
})

/** Body of PATCH /wms/inbounds/:id/: only the fields to change; the new lines replace all old ones. */
export const inboundPatch = inboundCreate.partial()

/** Inbounds (API.md 5). */
export const inboundRoutes = {
  listInbounds: {
    summary: 'List inbounds',
    method: 'GET',
    path: '/wms/inbounds/',
    query: listQuery(['createdAt', 'status', 'modifiedAt', 'inboundDate']).extend({
      reference: soughtText.optional(),
      status: z.enum(inboundStatuses).optional(),
      type: z.enum(inboundTypes).optional(),
    }),
    status: 200,
    response: z.array(inbound),
    role: 'INBOUNDS_READ',
  },
  getInbound: {
    summary: 'Get an inbound',
    method: 'GET',
    path: '/wms/inbounds/:id/',
    params: byId,
    status: 200,
    response: inboundDetail,
    role: 'INBOUNDS_READ',
  },
  createInbound: {
    summary: 'Announce an inbound',
    method: 'POST',
    path: '/wms/inbounds/',
    body: inboundCreate,
    status: 201,
    response: inboundDetail,
    role: 'INBOUNDS_CREATE',
  },
  patchInbound: {
    summary: 'Change an inbound',
    method: 'PATCH',
    path: '/wms/inbounds/:id/',
    failures: [412],
    params: byId,
    body: inboundPatch,
    status: 200,
    response: inboundDetail,
    role: 'INBOUNDS_UPDATE',
  },
  cancelInbound: {
    summary: 'Cancel an inbound',
    method: 'PATCH',
    path: '/wms/inbounds/:id/cancel/',
    failures: [412],
    params: byId,
    status: 204,
    response: z.null(),
    role: 'INBOUNDS_CANCEL',
  },
  listQualityControls: {
    summary: 'List the quality controls of an inbound',
    method: 'GET',
    path: '/wms/inbounds/:id/quality-controls/',
    params: byId,
    status: 200,
    response: z.array(qualityControl),
    role: 'INBOUNDS_READ',
  },
} as const
