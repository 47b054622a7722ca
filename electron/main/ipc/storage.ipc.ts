import type { Logger } from '#kit/logger.ts'
import { ok } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import type { SettingsStore } from '../settings.ts'
import { bindDomain } from './bind.ts'

/** How long is kept belongs to the PC: every desk that opens here keeps to it. */
export function bindStorage(host: DeskHost, settings: SettingsStore, logger: Logger): void {
  bindDomain(
    'storage',
    {
      state: async () => ok(await (await host.desk()).storage.state()),
      backUp: async () => ok(await (await host.desk()).storage.backUp()),
      keep: async ({ days }) => {
        settings.update({ keepDays: days })
        return ok(await (await host.desk()).storage.keep(days))
      },
      recoveryRead: async () => ok(await (await host.desk()).storage.recoveryRead()),
    },
    logger,
  )
}
