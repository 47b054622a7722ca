import { answerWithQuirks } from '../plugins/quirks.ts'
import { registerAuth, registerCustomers } from './access.ts'
import { registerDocuments, registerFiles } from './documents.ts'
import { registerExports } from './exports.ts'
import { registerGdpr } from './gdpr.ts'
import { registerArticles, registerBundles, registerVariants } from './goods.ts'
import { registerInbounds } from './inbounds.ts'
import { registerModifications } from './modifications.ts'
import { registerOrders } from './orders.ts'
import type { RouteHost } from './register.ts'
import { registerReturnLabels } from './return-labels.ts'
import { registerSandbox } from './sandbox.ts'
import { registerShipments, registerShippingMethods } from './shipments.ts'
import { registerBatches, registerLocationTypes, registerStock } from './stock.ts'
import { registerTransfers } from './transfers.ts'
import { registerWarehouse } from './warehouse.ts'
import { registerWebhooks } from './webhooks.ts'

/** Registers all routes, in the order of the OpenAPI document. `quirks`: see plugins/quirks.ts. */
export async function registerRoutes(host: RouteHost, { quirks }: { quirks: boolean }): Promise<void> {
  registerAuth(host)
  // the resources have a separate Fastify scope, because quirks change only the responses of resources
  await host.app.register((app, _, done) => {
    if (quirks) answerWithQuirks(app)
    registerResources({ ...host, app })
    done()
  })
  registerExports(host)
  registerWebhooks(host)
  registerFiles(host)
  registerWarehouse(host)
  registerSandbox(host)
}

function registerResources(host: RouteHost): void {
  registerCustomers(host)
  registerShippingMethods(host)
  registerArticles(host)
  registerVariants(host)
  registerBundles(host)
  registerBatches(host)
  registerInbounds(host)
  registerTransfers(host)
  registerLocationTypes(host)
  registerModifications(host)
  registerShipments(host)
  registerReturnLabels(host)
  registerOrders(host)
  registerStock(host)
  registerGdpr(host)
  registerDocuments(host)
}
