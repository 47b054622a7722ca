import { transferStatuses, type TransferStatus } from '#shared/domain/resource-states.ts'
import type { WorldArticle, WorldCustomer, WorldTransfer, WorldVariant } from '../world.ts'
import { daysBefore, workingMoment } from './dates.ts'
import type { Random } from './random.ts'

/** Number of transfers in each of the two directions between the two customers. */
const perCustomer = 66
/** Number of articles of each customer that occur in transfers. Only the first variant of each of them occurs. */
const traded = 6
const historyDays = 90

export interface Transfers {
  readonly transfers: readonly WorldTransfer[]
  /** The destination's articles and variants, which the first transfer created. */
  readonly articles: readonly WorldArticle[]
  readonly variants: readonly WorldVariant[]
}

interface Lane {
  readonly from: WorldCustomer
  readonly to: WorldCustomer
  /** Pairs of a variant of the source and the matching variant of the destination. */
  readonly pairs: readonly { readonly from: WorldVariant; readonly to: WorldVariant }[]
}

/** Creates transfers of a few articles between the two shops, in every status. */
export function makeTransfers(
  random: Random,
  now: Date,
  sources: {
    readonly customers: { readonly fashion: WorldCustomer; readonly outdoor: WorldCustomer }
    readonly articles: readonly WorldArticle[]
    readonly variants: readonly WorldVariant[]
  },
): Transfers {
  const { fashion, outdoor } = sources.customers
  const articles: WorldArticle[] = []
  const lanes = [
    { from: fashion, to: outdoor },
    { from: outdoor, to: fashion },
  ].map(({ from, to }): Lane => {
    const own = sources.variants.filter((variant) => variant.customerId === from.id)
    const pairs = [...Map.groupBy(own, (variant) => variant.articleId).values()]
      .slice(0, traded)
      .flatMap(([variant]) => {
        if (variant === undefined) return []
        const createdAt = daysBefore(now, historyDays + 1)
        const name = sources.articles.find(({ id }) => id === variant.articleId)?.name ?? variant.name
        const article = { id: random.uuid(), customerId: to.id, name, createdAt }
        articles.push(article)
        // the destination's variant has the same article code but no EAN and no SKU, because these belong to the
        // source's variant
        const mine = { id: random.uuid(), articleId: article.id, customerId: to.id, ean: null, sku: null }
        return [{ from: variant, to: { ...variant, ...mine, createdAt } }]
      })
    return { from, to, pairs }
  })
  const transfers = lanes
    .flatMap((lane) =>
      Array.from({ length: perCustomer }, (_, index) => makeTransfer(random, now, lane, index)),
    )
    .sort((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt))
    .map((transfer, index) => ({ ...transfer, serial: index + 1 }))
  return { transfers, articles, variants: lanes.flatMap(({ pairs }) => pairs.map(({ to }) => to)) }
}

function makeTransfer(random: Random, now: Date, lane: Lane, index: number): Omit<WorldTransfer, 'serial'> {
  const status: TransferStatus = transferStatuses[index % transferStatuses.length] ?? 'created'
  return {
    id: random.uuid(),
    customerId: lane.from.id,
    toCustomerId: lane.to.id,
    externalReference: `OVD-${random.digits(6)}`,
    status,
    cancelNote: status === 'cancelled' ? 'Toch niet nodig.' : null,
    lines: random
      .shuffled(lane.pairs)
      .slice(0, random.int(1, 3))
      .map(({ from, to }) => {
        const quantity = random.int(1, 40)
        return {
          id: random.uuid(),
          fromVariantId: from.id,
          toVariantId: to.id,
          quantity,
          finalizedQuantity: status === 'accepted' ? quantity : 0,
        }
      }),
    createdAt: workingMoment(now, 1 + random.next() * historyDays, random.int(0, 540)),
  }
}
