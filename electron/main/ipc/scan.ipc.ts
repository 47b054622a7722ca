import type { Logger } from '#kit/logger.ts'
import { ok } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import { bindDomain } from './bind.ts'

export function bindScan(host: DeskHost, logger: Logger): void {
  bindDomain(
    'scan',
    {
      submit: async ({ raw, expect }) => ok(await (await host.desk()).scans.submit(raw, expect)),
      recent: async () => ok((await host.desk()).scans.recent()),
      lookup: async ({ id }) => (await host.desk()).scans.lookup(id),
      choose: async ({ id, expect, ...answer }) => (await host.desk()).scans.choose(id, expect, answer),
      forget: async (key) => {
        const { scans } = await host.desk()
        scans.forget(key)
        return ok(undefined)
      },
    },
    logger,
  )
}
