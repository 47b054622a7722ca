import { sandbox } from '#shared/domain/sandbox.ts'
import type { World } from '../world.ts'
import { makeGoods, makeBundles } from './articles.ts'
import { makeCustomers, makeUsers, makeExports, makeWebhooks } from './customers.ts'
import { makeInbounds } from './inbounds.ts'
import { makeLocationTypes, makeLocations } from './locations.ts'
import { makeModifications } from './modifications.ts'
import { makeOrders } from './orders.ts'
import { makeRandom } from './random.ts'
import { makeShipments } from './shipments.ts'
import { makeShippingMethods } from './shipping-methods.ts'
import { makeTransfers } from './transfers.ts'

/**
 * Creates the initial data of the sandbox. The same seed and time give the same data, including the ids. Each kind of
 * resource has its own random sequence, so that a change of one kind does not change the ids and choices of the others.
 */
export function makeDemoWorld(options: { readonly seed: number; readonly now: Date }): World {
  const { now } = options
  const root = makeRandom(options.seed)
  const shippingMethods = makeShippingMethods(root.fork('shipping-methods'), now)
  const customers = makeCustomers(root.fork('customers'), now, shippingMethods)
  const { articles, variants } = makeGoods(root.fork('goods'), now, customers)
  const locations = makeLocations(root.fork('locations'))
  const shops = [customers.fashion, customers.outdoor]
  const { inbounds, batches } = makeInbounds(root.fork('inbounds'), now, {
    customers: shops,
    variants,
    locations,
  })
  const traded = makeTransfers(root.fork('transfers'), now, { customers, articles, variants })
  const shipments = makeShipments(root.fork('shipments'), now, {
    customers,
    methods: shippingMethods,
    variants,
  })
  return {
    wmsCode: sandbox.wmsCode,
    customers: shops,
    users: makeUsers(root.fork('users'), customers),
    shippingMethods,
    articles: [...articles, ...traded.articles],
    variants: [...variants, ...traded.variants],
    locations,
    locationTypes: makeLocationTypes(root.fork('location-types'), now),
    inbounds,
    batches,
    modifications: makeModifications(root.fork('modifications'), now, {
      customers: shops,
      variants,
      locations,
    }),
    bundles: makeBundles(root.fork('bundles'), now, { customers: shops, variants }),
    transfers: traded.transfers,
    orders: makeOrders(root.fork('orders'), now, {
      customers: shops,
      methods: shippingMethods,
      variants,
      shipments,
    }),
    shipments,
    exports: makeExports(root.fork('exports'), now, shops),
    webhooks: makeWebhooks(root.fork('webhooks'), now, shops),
  }
}
