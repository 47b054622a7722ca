import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { SheetPrinted, SheetWish } from '#shared/bridge/paper-views.ts'
import type { PrinterView } from '#shared/bridge/print-views.ts'
import {
  plainLayout,
  type PrinterEntry,
  type PrinterSettings,
  type PrinterSetup,
  standardFolderTitle,
} from '#shared/bridge/printer-views.ts'
import { a4Room, countSheetPages } from '#shared/domain/sheet-layout.ts'
import { planTestPage } from '#shared/domain/test-page.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { MemoryCore } from './memory-core.ts'
import { labelFolder, withPrints } from './prints.ts'
import { zplOptions } from '#support/zpl-options.ts'

const folderEntry: PrinterEntry = {
  id: labelFolder.name,
  title: standardFolderTitle,
  settings: { kind: 'folder' },
  layout: plainLayout,
}

/** The printers of a new desk. */
export const folderSetup: PrinterSetup = { printers: [folderEntry], routes: [] }

export const zebraEntry: PrinterEntry = {
  id: 'zebra',
  title: 'Zebra left',
  settings: {
    kind: 'zpl',
    host: 'zebra-left.local',
    port: 9100,
    widthMm: 104,
    dpi: 203,
    ...zplOptions,
    darkness: 18,
  },
  layout: { turn: 'auto', offsetXMm: 1.5, offsetYMm: -2 },
}

export const receiptEntry: PrinterEntry = {
  id: 'receipt',
  title: 'Receipts',
  settings: { kind: 'escpos', host: '10.0.4.31', port: 9100, paperMm: 80, dpi: 203 },
  layout: plainLayout,
}

export const officeEntry: PrinterEntry = {
  id: 'office',
  title: 'Office A4',
  settings: { kind: 'ipp', uri: 'ipp://localhost/printers/office', media: 'iso_a4_210x297mm', dpi: 300 },
  layout: plainLayout,
}

/** Several printers, with a route that sends sheets to the office printer. */
export const severalPrinters: PrinterSetup = {
  printers: [zebraEntry, officeEntry, receiptEntry, folderEntry],
  routes: [{ paper: 'sheet', size: 'page', printerId: officeEntry.id }],
}

/** The sample printers in several states. */
export const severalViews: readonly PrinterView[] = [
  { name: zebraEntry.id, title: zebraEntry.title, folder: null, state: 'ready', failure: null },
  {
    name: officeEntry.id,
    title: officeEntry.title,
    folder: null,
    state: 'refused',
    failure: failure('printer.refused', { printer: officeEntry.id, cause: 'paper_out' }),
  },
  { name: receiptEntry.id, title: receiptEntry.title, folder: null, state: 'unknown', failure: null },
  labelFolder,
]

/** Printers from `world.printerSetup`, with their states from `world.prints`. */
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

/**
 * Returns the device of a printer, which accepts one job at a time. Null for a queue, because several printers with
 * different papers may use the same queue.
 */
function placeOf(settings: PrinterSettings): string | null {
  if (settings.kind === 'folder') return settings.kind
  if (settings.kind === 'ipp' || settings.kind === 'windows') return null
  return settings.device ?? `${settings.host}:${String(settings.port)}`
}

/** Paper of four by six inches at 203 dots per inch. */
const paper = { dpi: 203, widthDots: 812, heightDots: 1218 }
const run = 'KM'

/** Prints that are not labels. Nothing is drawn, and each print has the outcome `world.paperOutcome`. */
export function paperMethods(desk: MemoryCore): ScandeskBridge['paper'] {
  const { world } = desk
  const note = (wish: SheetWish): number => {
    world.sheets = [...world.sheets, wish]
    return countSheetPages({ ...wish, room: a4Room })
  }
  return {
    testPage: () =>
      desk.call('paper:testPage', () => {
        const { marks, gaugeMm } = planTestPage(run, paper)
        return ok({ run, dpi: paper.dpi, marks: [...marks], gaugeMm, outcome: world.paperOutcome })
      }),
    sheet: (wish) => desk.call('paper:sheet', () => printed(desk, note(wish))),
    sheetPdf: (wish) =>
      desk.call('paper:sheetPdf', () =>
        ok({
          pages: note(wish),
          file: `/home/desk/.config/scandesk/labels/2026-11-21T140700-${wish.kind}.pdf`,
        }),
      ),
  }
}

/**
 * Returns the outcome of a print of a sheet. If the paper was too narrow, `wider` has the ids of all folder and IPP
 * printers. The real desk instead selects the printers by the size of their paper.
 */
function printed({ world }: MemoryCore, pages: number): Result<SheetPrinted> {
  const { paperOutcome: outcome, printerSetup } = world
  const isNarrow = outcome.failure?.code === 'printer.paper_too_narrow'
  const hasRoom = ({ settings }: PrinterEntry): boolean =>
    settings.kind === 'folder' || settings.kind === 'ipp'
  const wider = isNarrow ? printerSetup.printers.filter(hasRoom).map(({ id }) => id) : []
  return ok({ pages, outcome, wider })
}
