import type { Logger } from '#kit/logger.ts'
import { ok } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import { bindDomain } from './bind.ts'

export function bindReturnLabel(host: DeskHost, logger: Logger): void {
  bindDomain(
    'returnLabel',
    {
      make: async ({ mode, request, seen }) => (await host.desk()).returnLabels.make(mode, request, seen),
      look: async ({ shipmentId }) => ok(await (await host.desk()).returnLabels.look(shipmentId)),
      request: async ({ id }) => (await host.desk()).returnLabels.request(id),
      patch: async ({ id, sender }) => (await host.desk()).returnLabels.patch(id, sender),
      cancel: async ({ id }) => (await host.desk()).returnLabels.cancel(id),
      get: async ({ id }) => (await host.desk()).returnLabels.get(id),
      open: async ({ serverId }) => (await host.desk()).returnLabels.open(serverId),
      recent: async () => ok((await host.desk()).returnLabels.recent()),
      search: async ({ text }) => ok((await host.desk()).returnLabels.search(text)),
      reprint: async ({ id, reason }) => (await host.desk()).returnLabels.reprint(id, reason),
      readDraft: async () => ok((await host.desk()).returnLabels.readDraft()),
      writeDraft: async (draft) => ok((await host.desk()).returnLabels.writeDraft(draft)),
    },
    logger,
  )
}
