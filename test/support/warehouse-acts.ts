import { expect } from 'vitest'
import {
  canMoveInbound,
  inboundStatuses,
  canMoveOrder,
  type OrderStatus,
  orderStatuses,
  canMoveTransfer,
} from '#shared/domain/resource-states.ts'
import { piecesLying } from './warehouse-books.ts'
import { attempt, type Calls, type Game, nothingTouched } from './warehouse-game.ts'
import { isQuarantine, isShelf, type ModelPlace, type ModelVariant } from './warehouse-model.ts'

const ways = orderStatuses.filter((to) => to !== 'shipped' && to !== 'partially_shipped')
const inboundWays = inboundStatuses.filter((to) => to !== 'completed')

/** The next status of an order whose progress nothing prevents. */
const onwards: Partial<Record<OrderStatus, (typeof ways)[number]>> = {
  created: 'plannable',
  backorder: 'plannable',
  plannable: 'planned',
  planned: 'processing',
  partially_shipped: 'processing',
}

/** The possible statuses of an order while its goods are picked. */
const whilePicked: readonly OrderStatus[] = ['processing', 'shipment_waiting_for_ewh', 'partially_shipped']

/** Returns valid and invalid calls of a warehouse. */
export function warehouseCalls(game: Game): Calls {
  const { bench, model, int, chance, pick, some, customerOf, anyCustomer, serials, addVariant } = game

  /**
   * Updates the model after the service took pieces from locations that it chose. Expects that it took `pieces` in
   * total, and only from locations that `fits` accepts.
   */
  async function followTaking(
    variantId: string,
    pieces: number,
    fits: (place: ModelPlace) => boolean,
  ): Promise<Map<string, number>> {
    const lying = await piecesLying(bench, variantId)
    const taken = new Map<string, number>()
    for (const place of model.places.values()) {
      const part = model.at(variantId, place.id) - (lying.get(place.id) ?? 0)
      expect(part).toBeGreaterThanOrEqual(0)
      if (part > 0) expect(fits(place)).toBe(true)
      taken.set(place.id, part)
      model.add(variantId, place.id, -part)
    }
    expect([...taken.values()].reduce((sum, part) => sum + part, 0)).toBe(pieces)
    return taken
  }

  /** Returns new serial numbers. The first one is sometimes a number that was shipped or returned before. */
  function mixed(variant: ModelVariant, quantity: number): string[] {
    const [first, ...rest] = serials(variant, quantity)
    const known = [...(pick([model.gone, model.back])?.get(variant.id) ?? [])]
    return first === undefined ? [] : [(chance(0.3) ? pick(known) : undefined) ?? first, ...rest]
  }

  /**
   * Whether the stock of each variant at each location never becomes negative when the service applies the lines one
   * after the other.
   */
  function isPossible(
    lines: readonly { variantId: string; locationId: string; quantity: number }[],
  ): boolean {
    const left = new Map<string, number>()
    return lines.every(({ variantId, locationId, quantity }) => {
      const key = `${variantId} ${locationId}`
      const pieces = (left.get(key) ?? model.at(variantId, locationId)) + quantity
      left.set(key, pieces)
      return pieces >= 0
    })
  }

  return {
    moveOrder: async () => {
      const order = some(model.orders)
      const legal = ways.filter((way) => order !== undefined && canMoveOrder(order.status, way))
      const next = chance(0.75) && order !== undefined ? onwards[order.status] : undefined
      const to = next ?? pick(chance(0.6) ? legal : ways)
      if (order === undefined || to === undefined) return null
      // The goods of a picked order must be put back (`restock`) before the order gets a status outside picking.
      const isKept = !order.isPicked || to === 'restock' || whilePicked.includes(to)
      const isStopped = order.isAddressInvalid && canMoveOrder(order.status, 'invalid_address')
      const isRefused = isStopped && ['planned', 'processing'].includes(to)
      await attempt(
        order.status === to || (canMoveOrder(order.status, to) && isKept && !isRefused),
        () => bench.port.moveOrder(order.id, to),
        () => {
          const isOnwards = ['created', 'plannable'].includes(to)
          if (order.status === to) return
          if (order.status === 'invalid_address' && to === 'created') order.isAddressInvalid = false
          order.status = isStopped && isOnwards ? 'invalid_address' : to
          if (order.status === 'invalid_address') order.isAddressInvalid = true
          order.isPicked = whilePicked.includes(order.status)
        },
      )
      return { orderId: order.id, variantIds: [] }
    },
    shipOrder: async () => {
      const ready = [...model.orders.values()].filter(({ status }) => canMoveOrder(status, 'shipped'))
      const order = chance(0.9) ? pick(ready) : some(model.orders)
      const line = pick(order?.lines ?? [])
      const variant = model.variants.get(line?.variantId ?? '')
      if (order === undefined || line === undefined || variant === undefined) return null
      const owed = line.quantity - line.processed
      const quantity = chance(0.1) ? owed + 1 : int(1, Math.max(1, owed))
      const shelf = chance(0.5) ? some(model.places) : undefined
      const fits = (place: ModelPlace): boolean => isShelf(place) && (shelf === undefined || place === shelf)
      const serialNumbers = mixed(variant, quantity)
      const shipped = { variantId: variant.id, quantity, serialNumbers }
      const isThere = !serialNumbers.some((serial) => model.gone.get(variant.id)?.has(serial))
      const isAllowed =
        isThere &&
        canMoveOrder(order.status, 'shipped') &&
        quantity <= owed &&
        quantity <= model.sum(variant.id, fits)
      await attempt(
        isAllowed,
        () =>
          bench.port.shipOrder(order.id, {
            lines: [{ ...shipped, locationId: shelf?.id ?? null }],
            shippingMethodId: null,
            labels: [],
            externalReference: null,
          }),
        async () => {
          await followTaking(variant.id, quantity, fits)
          model.noteSerials(variant.id, serialNumbers, 'gone')
          line.processed += quantity
          const isWhole = order.lines.every((each) => each.processed === each.quantity)
          order.status = isWhole ? 'shipped' : 'partially_shipped'
        },
      )
      return { orderId: order.id, variantIds: [variant.id] }
    },
    arrive: async () => {
      const customer = anyCustomer()
      const variant = pick(model.living(customer.id))
      if (variant === undefined) return null
      const { id } = await bench.port.arrive({
        customerId: customer.id,
        externalReference: null,
        isReturn: chance(0.5),
        note: null,
        lines: [{ variantId: variant.id, quantity: int(1, 9) }],
      })
      const status = 'process_no_announcement'
      model.inbounds.set(id, {
        id,
        customerId: customer.id,
        status,
        variantIds: new Set([variant.id]),
        isPartlyReceived: false,
        serials: new Set(),
      })
      return nothingTouched
    },
    moveInbound: async () => {
      const inbound = some(model.inbounds)
      const to = chance(0.7) ? 'processing' : pick(inboundWays)
      if (inbound === undefined || to === undefined) return null
      await attempt(
        inbound.status === to || canMoveInbound(inbound.status, to),
        () => bench.port.moveInbound(inbound.id, to),
        () => void (inbound.status = to),
      )
      return nothingTouched
    },
    receive: async () => {
      const inbound = some(model.inbounds)
      const variant = some(model.variants)
      const place = some(model.places)
      if (inbound === undefined || variant === undefined || place === undefined) return null
      const quantity = int(1, 40)
      const complete = chance(0.5)
      const line = { variantId: variant.id, quantity, locationId: place.id }
      const expirationDate = variant.expires ? `2027-0${int(1, 9)}-01` : null
      const serialNumbers = mixed(variant, quantity)
      const received = { ...line, expirationDate, serialNumbers }
      const counted = inbound.serials
      const isNew = !serialNumbers.some((serial) => counted.has(`${variant.id} ${serial}`))
      const isOwn = !variant.isDeleted && variant.customerId === inbound.customerId
      await attempt(
        inbound.status === 'processing' && isOwn && isNew,
        () => bench.port.receive(inbound.id, { lines: [received], complete }),
        () => {
          model.add(variant.id, place.id, quantity)
          model.noteSerials(variant.id, serialNumbers, 'back')
          for (const serial of serialNumbers) counted.add(`${variant.id} ${serial}`)
          inbound.variantIds.add(variant.id)
          inbound.isPartlyReceived = true
          if (complete) inbound.status = 'completed'
        },
      )
      return { orderId: null, variantIds: [variant.id] }
    },
    decideModification: async () => {
      const modification = some(model.modifications)
      if (modification === undefined) return null
      const { id, status, lines } = modification
      const to = chance(0.8) ? 'approved' : 'disapproved'
      const isOpen = status === 'created' && (to === 'disapproved' || isPossible(lines))
      await attempt(
        status === to || isOpen,
        () =>
          to === 'approved' ? bench.port.approveModification(id) : bench.port.disapproveModification(id),
        () => {
          if (status === 'created' && to === 'approved')
            for (const line of lines) model.add(line.variantId, line.locationId, line.quantity)
          modification.status = to
        },
      )
      return { orderId: null, variantIds: lines.map(({ variantId }) => variantId) }
    },
    decideTransfer: async () => {
      const transfer = some(model.transfers)
      const to = pick(['processing', 'accepted', 'accepted', 'denied'] as const)
      if (transfer === undefined || to === undefined) return null
      const { id, from, quantity } = transfer
      const fits = (place: ModelPlace): boolean => !isQuarantine(place)
      const isThere = to !== 'accepted' || model.sum(from, fits) >= quantity
      const { port } = bench
      await attempt(
        transfer.status === to || (canMoveTransfer(transfer.status, to) && isThere),
        () => {
          if (to === 'processing') return port.beginTransfer(id)
          return to === 'accepted' ? port.acceptTransfer(id) : port.denyTransfer(id)
        },
        async () => {
          if (to === 'accepted' && transfer.status !== 'accepted')
            for (const [locationId, part] of await followTaking(from, quantity, fits))
              model.add(transfer.to, locationId, part)
          transfer.status = to
        },
      )
      return { orderId: null, variantIds: [from, transfer.to] }
    },
    correctStock: async () => {
      const [variant, place] = [some(model.variants), some(model.places)]
      if (variant === undefined || place === undefined) return null
      const pieces = int(1, 9) * (chance(0.3) ? 1 : -1)
      const correction = {
        variantId: variant.id,
        locationId: place.id,
        quantity: pieces,
        expirationDate: null,
      }
      await attempt(
        !variant.isDeleted && model.at(variant.id, place.id) + pieces >= 0,
        () => bench.port.correctStock(correction),
        () => model.add(variant.id, place.id, pieces),
      )
      return { orderId: null, variantIds: [variant.id] }
    },
    moveLot: async () => {
      const place = some(model.places)
      const lots = await bench.rows(
        'select * from batches where quantity > 0 order by created_at desc limit 20',
      )
      const lot = pick(lots)
      if (place === undefined || lot === undefined) return null
      const [variantId, from] = [String(lot['variant_id']), String(lot['location_id'])]
      const pieces = int(1, Number(lot['quantity']) + 1)
      await attempt(
        from === place.id || pieces <= Number(lot['quantity']),
        () => bench.port.moveLot({ batchId: String(lot['id']), quantity: pieces, toLocationId: place.id }),
        () => {
          if (from === place.id) return
          model.add(variantId, from, -pieces)
          model.add(variantId, place.id, pieces)
        },
      )
      return { orderId: null, variantIds: [variantId] }
    },
    nameLocation: async () => {
      const place = some(model.places)
      if (place === undefined) return null
      const isPickable = place.code.startsWith('A') ? chance(0.8) : chance(0.2)
      await bench.port.nameLocation({ code: place.code, pickable: isPickable })
      place.isPickable = isPickable
      return nothingTouched
    },
    deleteVariant: async () => {
      const unused = [...model.variants.values()].filter(
        ({ id, isDeleted }) => !isDeleted && !model.isUsed(id),
      )
      const variant = chance(0.5) ? pick(unused) : some(model.variants)
      if (variant === undefined) return null
      const isLast = model.living(variant.customerId).length === 1
      const isGone = await attempt(
        !variant.isDeleted && !isLast && !model.isUsed(variant.id),
        () => bench.port.deleteVariant(variant.id),
        () => void (variant.isDeleted = true),
      )
      // The article code of a deleted article can be used again.
      if (isGone) await addVariant(customerOf(variant.customerId), variant.code)
      return nothingTouched
    },
  }
}
