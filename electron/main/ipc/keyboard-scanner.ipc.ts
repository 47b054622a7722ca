import { ok } from '#shared/errors/result.ts'
import type { SettingsStore } from '../settings.ts'
import type { Handlers } from './bind.ts'

/**
 * Creates the handlers. The scanner belongs to the PC, not to a station, because badges are scanned before a user is
 * logged in.
 */
export function keyboardScannerHandlers(settings: SettingsStore): Handlers<'keyboardScanner'> {
  return {
    profile: () => ok(settings.read().scannerProfile),
    save: ({ profile }) => {
      settings.update({ scannerProfile: profile })
      return ok(settings.read().scannerProfile)
    },
  }
}
