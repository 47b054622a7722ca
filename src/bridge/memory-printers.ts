import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { PrinterView } from '#shared/bridge/print-views.ts'
import type { PrinterEntry, PrinterSettings, PrinterSetup } from '#shared/bridge/printer-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { MemoryCore } from './memory-core.ts'
import { labelFolder, withPrints } from './sample-prints.ts'

/** The printers as `world.printerSetup` has them; how each is doing stands in `world.prints`. */
export function printerMethods(desk: MemoryCore): ScandeskBridge['printer'] {
  const { world } = desk
  return {
    setup: () => desk.call('printer:setup', () => ok(world.printerSetup)),
    save: (setup) => desk.call('printer:save', () => save(desk, setup)),
    test: () => desk.call('printer:test', () => ok(world.printerTest)),
    discover: () => desk.call('printer:discover', () => ok(world.printQueues)),
  }
}

function save(desk: MemoryCore, setup: PrinterSetup): Result<PrinterSetup> {
  const { world } = desk
  const { printers, routes } = setup
  for (const [at, printer] of printers.entries()) {
    const other = printers.slice(0, at).find((one) => isSame(one, printer))
    if (other) return fail('printer.same_twice', { printer: printer.title, other: other.title })
  }
  const lost = routes.find(({ printerId }) => !printers.some(({ id }) => id === printerId))
  if (lost) return fail('printer.route_unknown', { printer: lost.printerId })
  const known = world.prints.printers
  world.printerSetup = setup
  world.prints = {
    ...world.prints,
    printers: printers.map(({ id, title, settings }): PrinterView => {
      const before = known.find(({ name }) => name === id)
      const folder = settings.kind === 'folder' ? labelFolder.folder : null
      return { state: 'unknown', failure: null, ...before, name: id, title, folder }
    }),
  }
  world.status = withPrints(world.status, world.prints)
  desk.emit('status', world.status)
  return ok(setup)
}

function isSame(one: PrinterEntry, other: PrinterEntry): boolean {
  const place = placeOf(one.settings)
  return one.id === other.id || (place !== null && place === placeOf(other.settings))
}

/** What takes one job at a time; null for a queue, which may stand there once for each of its papers. */
function placeOf(settings: PrinterSettings): string | null {
  if (settings.kind === 'folder') return settings.kind
  if (settings.kind === 'ipp' || settings.kind === 'windows') return null
  return settings.device ?? `${settings.host}:${String(settings.port)}`
}
