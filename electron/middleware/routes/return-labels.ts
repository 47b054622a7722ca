import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { routes } from '#shared/wire/routes.ts'
import { fromWireReturnLabel, fromWireReturnLabelPatch, toWireReturnLabel } from '../mappers/return-label.ts'
import { createReturnLabel } from '../services/shipments/create-return-label.ts'
import { requestReturnLabel } from '../services/shipments/request-return-label.ts'
import {
  cancelReturnLabel,
  changeReturnLabel,
  getReturnLabel,
  listReturnLabels,
} from '../services/shipments/return-labels.ts'
import { type Call, register, type RouteHost } from './register.ts'

const options = { expand: ['shipment'] } as const

/** api.md, Return labels. Every change answers with the label as it then is. */
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
