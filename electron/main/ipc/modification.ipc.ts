import type { Logger } from '#kit/logger.ts'
import { ok } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import { bindDomain } from './bind.ts'

export function bindModification(host: DeskHost, logger: Logger): void {
  bindDomain(
    'modification',
    {
      draft: async () => ok((await host.desk()).modifications.draft()),
      change: async (change) => (await host.desk()).modifications.change(change),
      undo: async () => ok((await host.desk()).modifications.undo()),
      book: async () => (await host.desk()).modifications.book(),
      takeBack: async ({ id }) => (await host.desk()).modifications.takeBack(id),
      get: async ({ id }) => (await host.desk()).modifications.get(id),
      recent: async () => ok((await host.desk()).modifications.recent()),
    },
    logger,
  )
}
