import type { InboundDetail } from '#shared/wire/inbound.ts'
import { routes } from '#shared/wire/routes.ts'
import {
  fromWireInbound,
  fromWireInboundPatch,
  type InboundGroup,
  inboundGroups,
  toWireCreatedInbound,
  toWireInbound,
  toWireInboundDetail,
  toWireQualityControl,
} from '../mappers/inbound.ts'
import type { Customer } from '../services/context.ts'
import { createInbound } from '../services/moves/create-inbound.ts'
import {
  cancelInbound,
  changeInbound,
  getInbound,
  type InboundParts,
  listInbounds,
  listQualityControls,
} from '../services/moves/inbounds.ts'
import { register, type RouteHost } from './register.ts'

const single = { expand: inboundGroups } as const

/** api.md, Inbounds. */
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
