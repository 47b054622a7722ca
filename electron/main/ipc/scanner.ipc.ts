import { SharedCalls } from '#desk/timing/calls.ts'
import type { Logger } from '#kit/logger.ts'
import { listPorts } from '#serial/list-ports.ts'
import { ok } from '#shared/errors/result.ts'
import type { Scanners } from '../scanners.ts'
import { bindDomain } from './bind.ts'

/** Scanners belong to the PC, as its printers do. */
export function bindScanner(scanners: Scanners, logger: Logger): void {
  const lists = new SharedCalls<Awaited<ReturnType<typeof listPorts>>>()
  bindDomain(
    'scanner',
    {
      setup: () => ok(scanners.view()),
      save: (setup) => scanners.save(setup),
      // it starts a program of the system: calls meanwhile share the one under way
      ports: async () => ok(await lists.ask('', listPorts)),
      held: () => ok(scanners.held.list()),
      taken: ({ number }) => {
        scanners.held.taken(number)
        return ok(undefined)
      },
    },
    logger,
  )
}
