import type { Logger } from '#kit/logger.ts'
import { ok } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import { bindDomain } from './bind.ts'

export function bindArticle(host: DeskHost, logger: Logger): void {
  bindDomain(
    'article',
    {
      lots: async ({ variantId }) => (await host.desk()).articles.lots(variantId),
      stock: async ({ variantId }) => (await host.desk()).articles.stock(variantId),
      search: async ({ text, limit }) => ok((await host.desk()).articles.search(text, limit)),
      expiring: async ({ withinDays }) => ok((await host.desk()).articles.expiring(withinDays)),
    },
    logger,
  )
}
