import type { Logger } from '#kit/logger.ts'
import { ok } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import { bindDomain } from './bind.ts'

export function bindReturnLabel(host: DeskHost, logger: Logger): void {
  bindDomain(
    'returnLabel',
    {
      make: async ({ shipmentId }) => (await host.desk()).returnLabels.make(shipmentId),
      get: async ({ id }) => (await host.desk()).returnLabels.get(id),
      recent: async () => ok((await host.desk()).returnLabels.recent()),
      reprint: async ({ id }) => (await host.desk()).returnLabels.reprint(id),
    },
    logger,
  )
}
