import { SharedCalls } from '#desk/timing/calls.ts'
import { listPorts } from '#serial-scanner/list-ports.ts'
import { ok } from '#shared/errors/result.ts'
import type { Scanners } from '../scanners.ts'
import type { Handlers } from './bind.ts'
import type { SettingsStore } from '../settings.ts'

/** Creates the handlers. Scanners belong to the PC, as its printers do. */
export function scannerHandlers(scanners: Scanners): Handlers<'scanner'> {
  const lists = new SharedCalls<Awaited<ReturnType<typeof listPorts>>>()
  return {
    setup: () => ok(scanners.view()),
    save: (setup) => scanners.save(setup),
    // the listing starts a program of the system: calls at the same time share one run
    ports: async () => ok(await lists.ask('', listPorts)),
    held: () => ok(scanners.held.list()),
    taken: ({ number }) => {
      scanners.held.taken(number)
      return ok(undefined)
    },
  }
}

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
