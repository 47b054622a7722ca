import type { z } from 'zod'
import type { ReturnLabel, returnLabelCreate, returnLabelPatch } from '#shared/wire/return-label.ts'
import { routes } from '#shared/wire/routes.ts'
import { readAddress } from '../data/engine/stored-json.ts'
import { createReturnLabel, type NewReturnLabel } from '../services/shipments/create-return-label.ts'
import { requestReturnLabel } from '../services/shipments/request-return-label.ts'
import {
  cancelReturnLabel,
  changeReturnLabel,
  getReturnLabel,
  listReturnLabels,
  type ReturnLabelChange,
  type ReturnLabelRecord,
} from '../services/shipments/return-labels.ts'
import { type Call, register, type RouteHost } from './register.ts'
import { toWireShipmentBase, toWireShipmentReturnLabel } from './shipments.ts'
import { fromWireAddress, fromWireAddressPatch, toWireAddress } from './wire-values.ts'

const options = { expand: ['shipment'] } as const

/** Return labels (API.md 8). Every change returns the label after the change. */
export function registerReturnLabels(host: RouteHost): void {
  const { context } = host
  register(host, routes.listReturnLabels, options, async ({ caller, query, expand, linkTo }) => {
    const call = { query, withShipment: expand.has('shipment') }
    const records = await listReturnLabels(context, caller.customer, call)
    return records.map((record) => toWireReturnLabel(record, linkTo))
  })
  register(host, routes.getReturnLabel, options, (call) => answer(host, call, call.params.id))
  register(host, routes.createReturnLabel, options, async (call) => {
    const id = await createReturnLabel(context, call.caller.customer, fromWireReturnLabel(call.body))
    return answer(host, call, id)
  })
  register(host, routes.patchReturnLabel, options, async (call) => {
    const { id } = call.params
    const change = fromWireReturnLabelPatch(call.body)
    await changeReturnLabel(context, call.caller.customer, { id, change })
    return answer(host, call, id)
  })
  register(host, routes.requestReturnLabel, options, async (call) => {
    await requestReturnLabel(context, call.caller.customer, call.params.id)
    return answer(host, call, call.params.id)
  })
  register(host, routes.cancelReturnLabel, options, async (call) => {
    await cancelReturnLabel(context, call.caller.customer, call.params.id)
    return answer(host, call, call.params.id)
  })
}

async function answer(
  host: RouteHost,
  call: Pick<Call<typeof routes.createReturnLabel, 'shipment'>, 'caller' | 'expand' | 'linkTo'>,
  id: string,
): Promise<ReturnLabel> {
  const withShipment = call.expand.has('shipment')
  const record = await getReturnLabel(host.context, call.caller.customer, { id, withShipment })
  return toWireReturnLabel(record, call.linkTo)
}

/** Returns a return label (API.md 8.1). `linkTo` signs a new document URL for each response. */
function toWireReturnLabel(
  { label, shipment }: ReturnLabelRecord,
  linkTo: (documentId: string) => string,
): ReturnLabel {
  return {
    ...toWireShipmentReturnLabel(label, linkTo),
    sender_address: toWireAddress(readAddress(label.sender_address)),
    ...(shipment && { shipment: toWireShipmentBase(shipment) }),
  }
}

function fromWireReturnLabel(body: z.output<typeof returnLabelCreate>): NewReturnLabel {
  if (body.shipment_id !== undefined)
    return { shipmentId: body.shipment_id.toLowerCase(), shippingMethodId: lowerCase(body.shipping_method) }
  return {
    shippingMethodId: body.shipping_method.toLowerCase(),
    senderAddress: fromWireAddress(body.sender_address),
    externalReference: body.external_reference ?? null,
  }
}

function fromWireReturnLabelPatch(body: z.output<typeof returnLabelPatch>): ReturnLabelChange {
  return {
    senderAddress: body.sender_address === undefined ? null : fromWireAddressPatch(body.sender_address),
    shippingMethodId: lowerCase(body.shipping_method),
    externalReference: body.external_reference ?? null,
  }
}

/** Converts ids to the stored lower case, because some clients send them in upper case. */
function lowerCase(id: string | undefined): string | null {
  return id === undefined ? null : id.toLowerCase()
}
