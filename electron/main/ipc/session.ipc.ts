import type { Logger } from '#kit/logger.ts'
import { ok } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import { bindDomain } from './bind.ts'

export function bindSession(host: DeskHost, logger: Logger): void {
  bindDomain(
    'session',
    {
      state: async () => ok((await host.desk()).session.state()),
      login: async (credentials) => (await host.desk()).session.login(credentials),
      logout: async () => ok(await (await host.desk()).session.logout()),
    },
    logger,
  )
}
