import { SharedCalls } from '#desk/timing/calls.ts'
import { listPorts } from '#serial/list-ports.ts'
import { ok } from '#shared/errors/result.ts'
import type { Scanners } from '../scanners.ts'
import type { Handlers } from './bind.ts'

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
