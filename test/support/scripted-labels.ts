import { senderAddress } from '#shared/wire/address.ts'
import { type ReturnLabelCreate, returnLabelPatch } from '#shared/wire/return-label.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import { type ScriptedLabel, scriptedLabel } from './scripted-records.ts'

/** The return labels of the scripted service, with a simple form of the rules of API.md 8.3. */

export interface Reply {
  readonly status: number
  readonly body: unknown
}

/** A postcode that the scripted service refuses. */
export const refusedPostcode = 'NOWHERE'

export function found(body: unknown): Reply {
  return body === undefined ? { status: 404, body: { error: 'Not found.' } } : { status: 200, body }
}

const badPostcode: Reply = {
  status: 400,
  body: { error: 'Invalid.', errors: { 'senderAddress.zipcode': ['This postcode does not exist.'] } },
}

interface World {
  readonly labels: ScriptedLabel[]
  readonly shipments: readonly Shipment[]
}

/** Creates a label. Not idempotent, like the real service. */
export function createScripted({ labels, shipments }: World, body: ReturnLabelCreate): Reply {
  const number = labels.length + 1
  const push = (label: ScriptedLabel): Reply => {
    labels.push(label)
    return { status: 201, body: label.wire }
  }
  if (body.shipment_id !== undefined) {
    const shipment = shipments.find(({ id }) => id === body.shipment_id)
    if (!shipment) return { status: 404, body: { error: 'Shipment not found.' } }
    return push(scriptedLabel(number, shipment, body.shipping_method ?? null))
  }
  const reference = body.external_reference ?? `RETURN-${number}`
  if (labels.some(({ wire }) => wire.external_reference?.replace(/\.R$/, '') === reference))
    return { status: 400, body: { error: 'Not unique.', errors: { externalReference: ['Not unique.'] } } }
  if (body.sender_address.zipcode === refusedPostcode) return badPostcode
  const sender = senderAddress.parse({ ...empty, ...body.sender_address })
  return push(scriptedLabel(number, { reference, sender }, body.shipping_method))
}

const empty = Object.fromEntries(Object.keys(senderAddress.shape).map((field) => [field, null]))

interface Change {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly documentUrl: string
}

/** Responds to GET, PATCH, request or cancel of one label. */
export function changeScripted(label: ScriptedLabel, { method, path, body, documentUrl }: Change): Reply {
  if (method === 'GET') return found(label.wire)
  const isRequest = path.endsWith('/request')
  if (label.isCancelled && !path.endsWith('/cancel'))
    return { status: 400, body: { error: 'Return label is cancelled.' } }
  if (isRequest) {
    label.request(documentUrl)
    return found(label.wire)
  }
  if (label.wire.url !== null) return { status: 412, body: { error: 'Return label is already requested.' } }
  if (path.endsWith('/cancel')) {
    label.cancels++
    label.isCancelled = true
    return found(label.wire)
  }
  const { sender_address: changes = {} } = returnLabelPatch.parse(body)
  if (changes.zipcode === refusedPostcode) return badPostcode
  label.patches++
  label.wire.sender_address = senderAddress.parse({ ...empty, ...label.wire.sender_address, ...changes })
  return found(label.wire)
}
