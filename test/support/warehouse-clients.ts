import { z } from 'zod'
import { canMoveInbound, changeableOrderStatuses, canMoveTransfer } from '#shared/domain/resource-states.ts'
import { orderCreate } from '#shared/wire/order-input.ts'
import { fromWireOrder } from '#middleware/routes/orders.ts'
import type { Customer } from '#middleware/services/context.ts'
import { createInbound, cancelInbound } from '#middleware/services/moves/inbounds.ts'
import { createTransfer, cancelTransfer, requestTransfer } from '#middleware/services/moves/transfers.ts'
import { createModification } from '#middleware/services/moves/modifications.ts'
import { changeOrder } from '#middleware/services/orders/change-order.ts'
import { createOrder } from '#middleware/services/orders/create-order.ts'
import { cancelOrder } from '#middleware/services/orders/orders.ts'
import { newOrder } from './order-payloads.ts'
import { smallIds } from './small-world.ts'
import { attempt, type Calls, type Game, nothingTouched } from './warehouse-game.ts'
import type { ModelOrder, ModelVariant } from './warehouse-model.ts'

/** Returns valid and invalid calls of clients. */
export function clientCalls(game: Game): Calls {
  const { bench, model, int, chance, pick, some, customerOf, anyCustomer, fresh } = game

  function newLines(customer: Customer): ModelOrder['lines'] {
    const variants = model.living(customer.id).filter(() => chance(0.3))
    return variants.map(({ id }) => ({ variantId: id, quantity: int(1, 6), processed: 0 }))
  }

  const codeOf = (variantId: string): string => model.variants.get(variantId)?.code ?? ''
  const wireLines = (lines: ModelOrder['lines']): unknown[] =>
    lines.map(({ variantId, quantity }) => ({ article_code: codeOf(variantId), quantity, description: 'd' }))

  const isChangeable = ({ status, isPicked }: ModelOrder): boolean =>
    !isPicked && changeableOrderStatuses.some((each) => each === status)

  /** Returns the destination variant of a transfer. The transfer may just have created this variant. */
  async function counterpart(transferId: string, like: ModelVariant): Promise<string> {
    const [row] = await bench.rows(
      `select to_variant_id from transfer_lines where transfer_id = '${transferId}'`,
    )
    const id = z.string().parse(row?.['to_variant_id'])
    if (!model.variants.has(id)) model.variants.set(id, { ...like, id, customerId: bench.birch.id })
    return id
  }

  return {
    createVariant: async () => {
      const customer = anyCustomer()
      if (model.living(customer.id).length > 6) return null
      await game.addVariant(customer, `P-${fresh()}`)
      return nothingTouched
    },
    createOrder: async () => {
      const customer = anyCustomer()
      const lines = newLines(customer)
      if (lines.length === 0) return null
      const body = newOrder({
        external_reference: `R-${fresh()}`,
        order_lines: wireLines(lines),
        shipping_method: smallIds.standard,
      })
      const id = await createOrder(bench.context, customer, fromWireOrder(orderCreate.parse(body)))
      const flags = { isPicked: false, isAddressInvalid: false }
      model.orders.set(id, { id, customerId: customer.id, status: 'created', ...flags, lines })
      return { orderId: id, variantIds: [] }
    },
    changeLines: async () => {
      const order = some(model.orders)
      const lines = order === undefined ? [] : newLines(customerOf(order.customerId))
      if (order === undefined || lines.length === 0) return null
      const isWhole = order.lines.every(({ processed }) => processed === 0)
      const inputs = lines.map(({ variantId, quantity }) => ({
        articleCode: codeOf(variantId),
        quantity,
        description: 'd',
        price: null,
        packingSlip: null,
        metaData: {},
      }))
      const change = { customerId: null, fields: {}, address: null, lines: inputs }
      await attempt(
        isChangeable(order) && isWhole,
        () => changeOrder(bench.context, customerOf(order.customerId), { id: order.id, change }),
        () => void (order.lines = lines),
      )
      return { orderId: order.id, variantIds: [] }
    },
    changeAddress: async () => {
      const order = some(model.orders)
      if (order === undefined) return null
      const invalid = chance(0.5) ? 1 : 0
      const change = { customerId: null, fields: {}, address: { fields: {}, invalid } as const, lines: null }
      await attempt(
        isChangeable(order),
        () => changeOrder(bench.context, customerOf(order.customerId), { id: order.id, change }),
        () => {
          order.isAddressInvalid = invalid === 1
          if (invalid === 1) order.status = 'invalid_address'
          else if (order.status === 'invalid_address') order.status = 'created'
        },
      )
      return { orderId: order.id, variantIds: [] }
    },
    cancelOrder: async () => {
      const order = some(model.orders)
      if (order === undefined) return null
      await attempt(
        isChangeable(order) || order.status === 'cancelled',
        () => cancelOrder(bench.context, customerOf(order.customerId), order.id),
        () => void (order.status = 'cancelled'),
      )
      return { orderId: order.id, variantIds: [] }
    },
    createInbound: async () => {
      const customer = anyCustomer()
      const variant = pick(model.living(customer.id))
      if (variant === undefined) return null
      const lines = [{ code: variant.code, quantity: int(1, 30), packingSlip: 1, metaData: {} }]
      const input = { externalReference: 'PO', inboundDate: '2026-06-02', note: null, metaData: {}, lines }
      const id = await createInbound(bench.context, customer, input)
      const variantIds = new Set([variant.id])
      model.inbounds.set(id, {
        id,
        customerId: customer.id,
        status: 'announced',
        variantIds,
        isPartlyReceived: false,
        serials: new Set(),
      })
      return nothingTouched
    },
    cancelInbound: async () => {
      const inbound = some(model.inbounds)
      if (inbound === undefined) return null
      await attempt(
        inbound.status === 'cancelled' ||
          (canMoveInbound(inbound.status, 'cancelled') && !inbound.isPartlyReceived),
        () => cancelInbound(bench.context, customerOf(inbound.customerId), inbound.id),
        () => void (inbound.status = 'cancelled'),
      )
      return nothingTouched
    },
    createModification: async () => {
      const customer = anyCustomer()
      const lines = [1, 2].slice(0, int(1, 2)).flatMap(() => {
        const [variant, place] = [pick(model.living(customer.id)), some(model.places)]
        const quantity = int(1, 12) * (chance(0.5) ? 1 : -1)
        return variant && place ? [{ variantId: variant.id, locationId: place.id, quantity }] : []
      })
      if (lines.length === 0) return null
      const id = await createModification(bench.context, customer, { reason: 'CORRECTION', note: 'n', lines })
      model.modifications.set(id, { id, status: 'created', lines })
      return nothingTouched
    },
    createTransfer: async () => {
      const variant = pick(model.living(bench.alder.id))
      if (variant === undefined) return null
      const quantity = int(1, 12)
      const id = await createTransfer(bench.context, bench.alder, [bench.birch.id], {
        fromCustomerId: bench.alder.id,
        toCustomerId: bench.birch.id,
        externalReference: 'T',
        lines: [{ code: variant.code, quantity }],
      })
      const to = await counterpart(id, variant)
      model.transfers.set(id, { id, status: 'created', from: variant.id, to, quantity })
      return nothingTouched
    },
    moveTransfer: async () => {
      const transfer = some(model.transfers)
      if (transfer === undefined) return null
      const to = chance(0.8) ? 'requested' : 'cancelled'
      const call = { id: transfer.id, note: null }
      await attempt(
        transfer.status === to || canMoveTransfer(transfer.status, to),
        () =>
          to === 'requested'
            ? requestTransfer(bench.context, bench.alder, transfer.id)
            : cancelTransfer(bench.context, bench.alder, call),
        () => void (transfer.status = to),
      )
      return nothingTouched
    },
  }
}
