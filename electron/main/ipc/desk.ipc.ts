import type { Logger } from '#kit/logger.ts'
import { ok } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import { bindDomain } from './bind.ts'

export function bindDesk(host: DeskHost, logger: Logger): void {
  bindDomain('desk', { status: async () => ok((await host.desk()).status()) }, logger)
}
