import type { Logger } from '#kit/logger.ts'
import { ok } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import { bindDomain } from './bind.ts'

export function bindQueue(host: DeskHost, logger: Logger): void {
  bindDomain(
    'queue',
    {
      list: async () => ok((await host.desk()).queue.list()),
      decide: async ({ decision, ...shown }) => (await host.desk()).queue.decide(shown, decision),
      edit: async ({ commandId }) => (await host.desk()).queue.edit(commandId),
      dismiss: async ({ noticeId }) => ok((await host.desk()).queue.dismiss(noticeId)),
      dismissApproved: async ({ noticeId }) => ok((await host.desk()).queue.dismissApproved(noticeId)),
    },
    logger,
  )
}
