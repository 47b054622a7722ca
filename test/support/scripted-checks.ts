import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { anyMethodId } from './label-wishes.ts'
import { found, type Reply } from './scripted-labels.ts'
import type { ScriptedLabel } from './scripted-records.ts'

interface World {
  readonly labels: readonly ScriptedLabel[]
  readonly variants: readonly Variant[]
  /** The one method was taken away. */
  readonly hasMethod: boolean
}

/** What the desk asks before it sends something that waited; null: another call. */
export function answerCheck(
  { labels, variants, hasMethod }: World,
  path: string,
  page: string,
): Reply | null {
  const named = /^\/wms\/shipments\/([^/]+)\/return-label$/.exec(path)
  if (named) {
    const label = labels.findLast(({ shipmentId, isCancelled }) => shipmentId === named[1] && !isCancelled)
    return found(label && withoutAddress(label.wire))
  }
  const variant = /^\/wms\/variants\/([^/]+)\/$/.exec(path)
  if (variant) return found(variants.find(({ id }) => id === variant[1]))
  if (path === '/wms/shippingmethods/')
    return { status: 200, body: hasMethod && page === '1' ? [method] : [] }
  return null
}

const method = {
  id: anyMethodId,
  code: 'PARCEL',
  description: 'Parcel',
  shipper: 'Post',
  shipper_code: 'POST',
  shipping_software: null,
  created_at: '2026-01-01T00:00:00.000Z',
  modified_at: '2026-01-01T00:00:00.000Z',
}

function withoutAddress({
  id,
  tracking_information,
  external_reference,
  url,
  created_at,
}: ReturnLabel): unknown {
  return { id, tracking_information, external_reference, url, created_at }
}
