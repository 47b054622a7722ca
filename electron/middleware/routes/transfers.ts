import type { z } from 'zod'
import { type Route, routes } from '#shared/wire/routes.ts'
import type { Transfer, transferCreate } from '#shared/wire/transfer.ts'
import type { VariantTable } from '../data/schema/goods.ts'
import {
  cancelTransfer,
  changeTransfer,
  createTransfer,
  getTransfer,
  listTransfers,
  type NewTransfer,
  requestTransfer,
  requireTransferAccess,
  type TransferRecord,
} from '../services/moves/transfers.ts'
import { toWireVariant } from './goods.ts'
import { type Call, register, type RouteHost } from './register.ts'
import { toWireTime } from './wire-values.ts'

/** The Expand groups of a transfer. The transfer itself is always included (API.md 10.1). */
const transferGroups = [
  'customer_to_customer_transfer_lines',
  'customer_to_customer_transfer',
  'variant',
] as const

type TransferCall = Pick<Call<Route, (typeof transferGroups)[number]>, 'caller' | 'expand'>

/** Customer-to-customer transfers (API.md 10). Every change returns the transfer after the change. */
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
    // the response always contains the lines, because they show which variant each article code matched
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

/**
 * Decides which variants of the lines are shown in full. A variant of a customer for whom the user may not act is only
 * `{id}`.
 */
interface ShownVariants {
  readonly whole: boolean
  readonly customerIds: readonly string[]
}

/** Returns a customer-to-customer transfer (API.md 10.1), with its lines if requested. */
export function toWireTransfer({ transfer, lines }: TransferRecord, shown: ShownVariants): Transfer {
  const variant = (row: VariantTable): ReturnType<typeof toWireVariant> | { id: string } =>
    shown.whole && shown.customerIds.includes(row.customer_id) ? toWireVariant(row) : { id: row.id }
  return {
    id: transfer.id,
    to_customer: transfer.to_customer_id,
    created_at: toWireTime(transfer.created_at),
    external_reference: transfer.external_reference,
    status: transfer.status,
    ...(lines && {
      customer_to_customer_transfer_lines: lines.map(({ line, from, to }) => ({
        id: line.id,
        from_variant: variant(from),
        to_variant: variant(to),
        quantity: line.quantity,
        finalized_quantity: line.finalized_quantity,
      })),
    }),
  }
}

/**
 * Converts the body of a new transfer. Ids become lower case, because they are stored so and some clients send them in
 * upper case.
 */
function fromWireTransfer(body: z.output<typeof transferCreate>): NewTransfer {
  return {
    fromCustomerId: body.customer.toLowerCase(),
    toCustomerId: body.to_customer.toLowerCase(),
    externalReference: body.external_reference,
    lines: body.customer_to_customer_transfer_lines.map(({ article_code, quantity }) => ({
      code: article_code,
      quantity,
    })),
  }
}
