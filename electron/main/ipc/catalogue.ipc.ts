import type { Logger } from '#kit/logger.ts'
import { ok } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import { bindDomain } from './bind.ts'

export function bindCatalogue(host: DeskHost, logger: Logger): void {
  bindDomain(
    'catalogue',
    {
      methods: async () => ok((await host.desk()).catalogue.methods()),
      sync: async () => (await host.desk()).catalogue.sync(),
      overview: async () => ok((await host.desk()).catalogue.overview()),
      keepLots: async ({ everyHours }) => ok((await host.desk()).catalogue.keepLots(everyHours)),
      keepShipments: async ({ months }) => ok((await host.desk()).catalogue.keepShipments(months)),
    },
    logger,
  )
}
