import type { z } from 'zod'
import type {
  Inbound,
  inboundCreate,
  InboundDetail,
  inboundPatch,
  QualityControl,
} from '#shared/wire/inbound.ts'
import { routes } from '#shared/wire/routes.ts'
import { readOwnPairs, readSerialNumbers } from '../data/engine/stored-json.ts'
import type { ListedInbound } from '../data/moves/inbounds.ts'
import type { Customer } from '../services/context.ts'
import {
  cancelInbound,
  changeInbound,
  createInbound,
  getInbound,
  type InboundChange,
  type InboundParts,
  type InboundRecord,
  listInbounds,
  listQualityControls,
  type NewInbound,
  type NewInboundLine,
  type QualityControlRecord,
} from '../services/moves/inbounds.ts'
import { toWireVariant } from './goods.ts'
import { register, type RouteHost } from './register.ts'
import { toWireTime } from './wire-values.ts'

/** Expand groups of one inbound. Lines and their variants are always included (API.md 5.1). */
export const inboundGroups = [
  'inbound_lines',
  'variant',
  'inbound_quality_controls',
  'inbound_documents',
  'documents',
  'inbound_line_meta_data',
  'meta_data',
] as const
type InboundGroup = (typeof inboundGroups)[number]

const single = { expand: inboundGroups } as const

/** Inbounds (API.md 5). */
export function registerInbounds(host: RouteHost): void {
  const { context } = host
  register(host, routes.listInbounds, { expand: [] }, async ({ caller, query }) => {
    const { reference = null, status = null, type = null } = query
    const call = { filters: { reference, status, type }, query }
    return (await listInbounds(context, caller.customer, call)).map(toWireInbound)
  })
  register(host, routes.getInbound, single, ({ caller, params, expand }) =>
    answer(host, caller.customer, params.id, expand),
  )
  register(host, routes.createInbound, { expand: [] }, async ({ caller: { customer }, body }) => {
    const id = await createInbound(context, customer, fromWireInbound(body))
    const record = await getInbound(context, customer, id, { controls: false, documents: false })
    return toWireCreatedInbound(record, body)
  })
  register(host, routes.patchInbound, single, async ({ caller: { customer }, params, body, expand }) => {
    const { id } = params
    await changeInbound(context, customer, { id, change: fromWireInboundPatch(body) })
    return answer(host, customer, id, expand)
  })
  register(host, routes.cancelInbound, { expand: [] }, async ({ caller, params }) => {
    await cancelInbound(context, caller.customer, params.id)
    return null
  })
  register(host, routes.listQualityControls, { expand: [] }, async ({ caller, params }) => {
    const controls = await listQualityControls(context, caller.customer, params.id)
    return controls.map(toWireQualityControl)
  })
}

async function answer(
  { context }: RouteHost,
  customer: Customer,
  id: string,
  expand: ReadonlySet<InboundGroup>,
): Promise<InboundDetail> {
  const parts: InboundParts = {
    controls: expand.has('inbound_quality_controls'),
    documents: expand.has('inbound_documents') || expand.has('documents'),
  }
  return toWireInboundDetail(await getInbound(context, customer, id, parts), expand)
}

/** Returns an inbound as lists of inbounds contain it: without its lines. */
export function toWireInbound(row: ListedInbound): Inbound {
  return {
    id: row.id,
    customer: row.customer_id,
    reference: row.reference,
    external_reference: row.external_reference,
    is_return: row.is_return === 1,
    status: row.status,
    created_at: toWireTime(row.created_at),
    // `inbound_date` is a day in requests and a time in responses (API.md 1.6).
    inbound_date: toWireTime(row.inbound_date),
    note: row.note,
  }
}

export function toWireInboundDetail(
  { inbound, lines, controls, documents }: InboundRecord,
  expand: ReadonlySet<InboundGroup>,
): InboundDetail {
  const withMetaData = expand.has('meta_data')
  return {
    ...toWireInbound(inbound),
    inbound_lines: lines.map(({ line, variant }) => ({
      variant: toWireVariant(variant),
      quantity: line.quantity,
      processed: line.processed,
      packing_slip: line.packing_slip,
      serial_numbers: readSerialNumbers(line.serial_numbers),
      ...((withMetaData || expand.has('inbound_line_meta_data')) && {
        meta_data: readOwnPairs(line.meta_data),
      }),
    })),
    ...(withMetaData && { meta_data: readOwnPairs(inbound.meta_data) }),
    ...(controls && { inbound_quality_controls: controls.map(toWireQualityControl) }),
    ...(documents && expand.has('inbound_documents') && { inbound_documents: documents.map(toDocument) }),
    ...(documents && expand.has('documents') && { documents: documents.map(toDocument) }),
  }
}

/**
 * Returns the response to the creation of an inbound: the record with the `meta_data` and the codes that the lines of
 * the request contained.
 */
function toWireCreatedInbound(record: InboundRecord, body: z.output<typeof inboundCreate>): InboundDetail {
  const detail = toWireInboundDetail(record, new Set<InboundGroup>(['meta_data']))
  const codes = new Set(body.inbound_lines.map((line) => line.article_code))
  return {
    ...detail,
    inbound_lines: detail.inbound_lines.map((line, index) => {
      const variant = record.lines[index]?.variant
      const sent = [variant?.article_code, variant?.ean, variant?.sku].find((code) => code && codes.has(code))
      return { ...line, ...(sent && { article_code: sent }) }
    }),
  }
}

function toWireQualityControl({ control, documents }: QualityControlRecord): QualityControl {
  return {
    id: control.id,
    created_at: toWireTime(control.created_at),
    pallet_count: control.pallet_count,
    was_delivery_appointment: control.was_delivery_appointment === 1,
    had_packing_list: control.had_packing_list === 1,
    was_correct_quantity: control.was_correct_quantity === 1,
    had_proper_markings: control.had_proper_markings === 1,
    box_condition: control.box_condition,
    comments: control.comments,
    documents: documents.map(toDocument),
  }
}

function toDocument({
  id,
  title,
  mime_type,
  created_at,
}: QualityControlRecord['documents'][number]): QualityControl['documents'][number] {
  return { id, title, mime_type, created_at: toWireTime(created_at) }
}

function fromWireInbound(body: z.output<typeof inboundCreate>): NewInbound {
  return {
    externalReference: body.external_reference,
    inboundDate: body.inbound_date,
    note: body.note ?? null,
    metaData: body.meta_data ?? {},
    lines: body.inbound_lines.map(fromWireLine),
  }
}

/** Returns only the fields that the client sent; null clears the note and the `meta_data`. */
function fromWireInboundPatch(body: z.output<typeof inboundPatch>): InboundChange {
  return {
    ...(body.external_reference !== undefined && { externalReference: body.external_reference }),
    ...(body.inbound_date !== undefined && { inboundDate: body.inbound_date }),
    ...(body.note !== undefined && { note: body.note }),
    ...(body.meta_data !== undefined && { metaData: body.meta_data ?? {} }),
    ...(body.inbound_lines !== undefined && { lines: body.inbound_lines.map(fromWireLine) }),
  }
}

function fromWireLine(line: z.output<typeof inboundCreate>['inbound_lines'][number]): NewInboundLine {
  return {
    code: line.article_code,
    quantity: line.quantity,
    packingSlip: line.packing_slip ?? line.quantity,
    metaData: line.meta_data ?? {},
  }
}
