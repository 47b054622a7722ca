import type { Logger } from '#kit/logger.ts'
import { ok } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import { bindDomain } from './bind.ts'

export function bindPrint(host: DeskHost, logger: Logger): void {
  bindDomain(
    'print',
    {
      list: async () => ok((await host.desk()).prints.list()),
      preview: async ({ jobId }) => (await host.desk()).prints.preview(jobId),
      decide: async ({ decision, ...shown }) => (await host.desk()).prints.decide(shown, decision),
    },
    logger,
  )
}
