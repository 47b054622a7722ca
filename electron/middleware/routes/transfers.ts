import type { Route } from '#shared/wire/routes.ts'
import { routes } from '#shared/wire/routes.ts'
import type { Transfer } from '#shared/wire/transfer.ts'
import { fromWireTransfer, toWireTransfer, transferGroups } from '../mappers/transfer.ts'
import { createTransfer } from '../services/moves/create-transfer.ts'
import {
  cancelTransfer,
  changeTransfer,
  getTransfer,
  listTransfers,
  requestTransfer,
  requireTransferAccess,
} from '../services/moves/transfers.ts'
import { type Call, register, type RouteHost } from './register.ts'

type TransferCall = Pick<Call<Route, (typeof transferGroups)[number]>, 'caller' | 'expand'>

/** api.md, Customer-to-customer transfers. Every change answers with the transfer as it then is. */
export function registerTransfers(host: RouteHost): void {
  const { context } = host
  const options = {
    expand: transferGroups,
    admit: ({ claims }: TransferCall['caller']) => requireTransferAccess(context, claims.user_id),
  } as const
  register(host, routes.listTransfers, options, async ({ caller, query, expand }) => {
    const call = { query, withLines: expand.has('customer_to_customer_transfer_lines') }
    const records = await listTransfers(context, caller.customer, call)
    return records.map((record) => toWireTransfer(record, shown({ caller, expand })))
  })
  register(host, routes.getTransfer, options, (call) => answer(host, call, call.params.id))
  register(host, routes.createTransfer, options, async ({ caller, body }) => {
    const { customer, claims } = caller
    const id = await createTransfer(context, customer, claims.customer_ids, fromWireTransfer(body))
    // whole, whatever Expand says: it shows what each article code was taken for
    const record = await getTransfer(context, customer, { id, withLines: true })
    return toWireTransfer(record, { whole: true, customerIds: claims.customer_ids })
  })
  register(host, routes.patchTransfer, options, async (call) => {
    const { id } = call.params
    const externalReference = call.body.external_reference ?? null
    await changeTransfer(context, call.caller.customer, { id, externalReference })
    return answer(host, call, id)
  })
  register(host, routes.requestTransfer, options, async (call) => {
    await requestTransfer(context, call.caller.customer, call.params.id)
    return answer(host, call, call.params.id)
  })
  register(host, routes.cancelTransfer, options, async (call) => {
    const { id } = call.params
    await cancelTransfer(context, call.caller.customer, { id, note: call.body.note ?? null })
    return answer(host, call, id)
  })
}

async function answer({ context }: RouteHost, call: TransferCall, id: string): Promise<Transfer> {
  const withLines = call.expand.has('customer_to_customer_transfer_lines')
  return toWireTransfer(await getTransfer(context, call.caller.customer, { id, withLines }), shown(call))
}

function shown({ caller, expand }: TransferCall): Parameters<typeof toWireTransfer>[1] {
  return { whole: expand.has('variant'), customerIds: caller.claims.customer_ids }
}
