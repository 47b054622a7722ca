import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { PrinterView } from '#shared/bridge/print-views.ts'
import type { PrinterSettings, PrinterSetup } from '#shared/bridge/printer-views.ts'
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
  const places = printers.map(({ settings }) => placeOf(settings))
  const ids = printers.map(({ id }) => id)
  if (new Set(places).size < places.length || new Set(ids).size < ids.length)
    return fail('printer.same_twice')
  if (!routes.every(({ printerId }) => ids.includes(printerId))) return fail('printer.route_unknown')
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

/** Where paper comes out: two printers at one place are one printer. */
function placeOf(settings: PrinterSettings): string {
  if (settings.kind === 'folder') return 'folder'
  if (settings.kind === 'ipp') return settings.uri
  return settings.device ?? `${settings.host}:${String(settings.port)}`
}
