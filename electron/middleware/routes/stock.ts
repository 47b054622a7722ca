import type { Batch } from '#shared/wire/batch.ts'
import type { Inbound } from '#shared/wire/inbound.ts'
import type { LocationType } from '#shared/wire/location-type.ts'
import { routes } from '#shared/wire/routes.ts'
import type { Stock } from '#shared/wire/stock.ts'
import type { StockRecord } from '../data/goods/stock.ts'
import type { ListedInbound, ListedInboundLine } from '../data/moves/inbounds.ts'
import type { LocationTypeTable } from '../data/schema/goods.ts'
import { getLocationType, listLocationTypes } from '../services/goods/location-types.ts'
import { type BatchRecord, getBatch, listBatches, listStock } from '../services/goods/stock.ts'
import { boundary, nearestTime } from '../services/paging.ts'
import { identifiersIn, toWireVariant } from './goods.ts'
import { toWireInbound } from './inbounds.ts'
import { register, type RouteHost } from './register.ts'
import { oncePerRecord, toWireTime } from './wire-values.ts'

/** Stock levels of the variants (API.md 4.2). */
export function registerStock(host: RouteHost): void {
  const { context } = host
  register(host, routes.listStock, { expand: ['variant'] }, async ({ caller, query, expand }) => {
    const filters = {
      ...identifiersIn(query),
      search: query.search ?? null,
      changedFrom: query.modified_gte === undefined ? null : since(query.modified_gte),
    }
    const records = await listStock(context, caller.customer, { filters, query })
    return records.map((record) => toWireStock(record, expand))
  })
}

/** Converts a day, a minute, or a time in the format of responses to a stored time. */
function since(text: string): string {
  return text.includes('T') ? nearestTime(text) : boundary('from', text, 'modified_gte')
}

/** Batches (API.md 4.1). */
export function registerBatches(host: RouteHost): void {
  const { context } = host
  register(host, routes.listBatches, { expand: [] }, async ({ caller, query }) => {
    const filters = { ...identifiersIn(query), positiveOnly: query.positive_only ?? false }
    return (await listBatches(context, caller.customer, { filters, query })).map(toWireBatch)
  })
  const single = { expand: ['inbound_lines'] } as const
  register(host, routes.getBatch, single, async ({ caller, params: { id }, expand }) => {
    const call = { id, withLines: expand.has('inbound_lines') }
    return toWireBatch(await getBatch(context, caller.customer, call))
  })
}

const options = { expand: ['administration_code'] } as const

/** Location types (API.md 4.3). */
export function registerLocationTypes(host: RouteHost): void {
  const { context } = host
  register(host, routes.listLocationTypes, options, async ({ query, expand }) => {
    const filters = { code: query.code ?? null, pickableOnly: query.pickable ?? false }
    const types = await listLocationTypes(context, { filters, query })
    return types.map((type) => toWireLocationType(type, expand))
  })
  register(host, routes.getLocationType, options, async ({ params, expand }) =>
    toWireLocationType(await getLocationType(context, params.id), expand),
  )
}

/** Returns the stock of a variant, with the variant only if its Expand group is requested. */
export function toWireStock(record: StockRecord, expand: ReadonlySet<'variant'>): Stock {
  const { variant } = record
  return {
    id: variant.id,
    article_code: variant.article_code,
    ean: variant.ean,
    sku: variant.sku,
    stock_physical: record.physical,
    stock_salable: record.salable,
    stock_available: record.available,
    stock_quarantine: record.quarantine,
    stock_pickable: record.pickable,
    modified_at: toWireTime(variant.stock_modified_at),
    ...(expand.has('variant') && { variant: toWireVariant(variant) }),
  }
}

/** Returns a batch (API.md 4.1), always with its variant and its inbound. */
export function toWireBatch({ batch, variant, inbound, inboundLines }: BatchRecord): Batch {
  return {
    id: batch.id,
    expiration_date: batch.expiration_date,
    quantity: batch.quantity,
    variant: toWireVariant(variant),
    inbound: inbound && toInbound(inbound, inboundLines),
  }
}

/** Returns the inbound of a batch. `lines` null: the lines were not requested. */
function toInbound(inbound: ListedInbound, lines: readonly ListedInboundLine[] | null): Inbound {
  return { ...toWireInbound(inbound), ...(lines && { inbound_lines: toLines(lines) }) }
}

/** Converts the lines of an inbound. The variant of a line is only `{id}` (API.md 3.2). */
const toLines = oncePerRecord((lines: readonly ListedInboundLine[]) =>
  lines.map((line) => ({
    variant: { id: line.variant_id },
    quantity: line.quantity,
    processed: line.processed,
    packing_slip: line.packing_slip,
  })),
)

/** Returns a location type (API.md 4.3), with `administration_code` only if its Expand group is requested. */
function toWireLocationType(
  row: LocationTypeTable,
  expand: ReadonlySet<'administration_code'>,
): LocationType {
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    transport: row.transport === 1,
    pickable: row.pickable === 1,
    ...(expand.has('administration_code') && { administration_code: row.administration_code }),
  }
}
