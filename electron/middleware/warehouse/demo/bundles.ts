import type { WorldBundle, WorldCustomer, WorldVariant } from '../world.ts'
import { daysBefore } from './dates.ts'
import type { Random } from './random.ts'

const perCustomer = 62

/** Sets that are sold as one article: 62 a customer, of one to four other articles, some taken several times. */
export function makeBundles(
  random: Random,
  now: Date,
  sources: { readonly customers: readonly WorldCustomer[]; readonly variants: readonly WorldVariant[] },
): WorldBundle[] {
  return sources.customers.flatMap((customer) => {
    const own = sources.variants.filter((variant) => variant.customerId === customer.id)
    const [wholes, parts] = halves(random.shuffled(own))
    return wholes.slice(0, perCustomer).map((whole, index) => ({
      id: random.uuid(),
      customerId: customer.id,
      variantId: whole.id,
      items: random
        .shuffled(parts)
        .slice(0, random.int(1, 4))
        .map((part) => ({
          id: random.uuid(),
          variantId: part.id,
          quantity: random.weighted([
            [1, 70],
            [2, 20],
            [6, 10],
          ] as const),
        })),
      createdAt: daysBefore(now, 120 - index - random.next()),
    }))
  })
}

function halves<T>(items: readonly T[]): [T[], T[]] {
  const middle = Math.floor(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)]
}
