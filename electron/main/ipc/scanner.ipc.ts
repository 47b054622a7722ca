import type { Logger } from '#kit/logger.ts'
import { listPorts } from '#serial/list-ports.ts'
import { ok } from '#shared/errors/result.ts'
import type { Scanners } from '../scanners.ts'
import { bindDomain, shared } from './bind.ts'

/** Scanners belong to the PC, as its printers do. */
export function bindScanner(scanners: Scanners, logger: Logger): void {
  bindDomain(
    'scanner',
    {
      setup: () => ok(scanners.view()),
      save: (setup) => scanners.save(setup),
      ports: shared(async () => ok(await listPorts())),
      held: () => ok(scanners.held.list()),
      taken: ({ number }) => {
        scanners.held.taken(number)
        return ok(undefined)
      },
    },
    logger,
  )
}
