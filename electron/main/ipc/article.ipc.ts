import type { Logger } from '#kit/logger.ts'
import type { DeskHost } from '../desk-host.ts'
import { bindDomain } from './bind.ts'

export function bindArticle(host: DeskHost, logger: Logger): void {
  bindDomain(
    'article',
    { lots: async ({ variantId }) => (await host.desk()).articles.lots(variantId) },
    logger,
  )
}
