import type { Logger } from '#kit/logger.ts'
import { ok } from '#shared/errors/result.ts'
import type { SettingsStore } from '../settings.ts'
import { bindDomain } from './bind.ts'

/** The scanner belongs to the PC, not to a station: badges are scanned before anybody is logged in. */
export function bindKeyboardScanner(settings: SettingsStore, logger: Logger): void {
  bindDomain(
    'keyboardScanner',
    {
      profile: () => ok(settings.read().scannerProfile),
      save: ({ profile }) => {
        settings.update({ scannerProfile: profile })
        return ok(settings.read().scannerProfile)
      },
    },
    logger,
  )
}
