import type { PrinterPort } from '#desk/ports/printers.ts'
import { createPrinterBoard, type PrinterBoard } from '#printing/printer-board.ts'
import type { PrinterEntry, PrintRoute, PrinterSetup } from '#shared/bridge/printer-views.ts'
import { ok, type Result } from '#shared/errors/result.ts'
import { checkPrinters, entryOf } from './printer-entry.ts'
import type { SettingsStore } from './settings.ts'

type CreatePrinter = (entry: PrinterEntry) => PrinterPort
type AtLeastOne<T> = readonly [T, ...T[]]

/** The printers of this PC, and the routes of the open station. */
export class Printers {
  readonly board: PrinterBoard
  readonly #settings: SettingsStore
  readonly #create: CreatePrinter
  /**
   * Drivers by their printer's entry. If the entry of a printer does not change, not even in its title, the printer
   * keeps its driver, because the driver has stored properties that it read from the printer.
   */
  #drivers: ReadonlyMap<string, PrinterPort> = new Map()
  #stationId: string | null = null

  constructor(settings: SettingsStore, create: CreatePrinter) {
    this.#settings = settings
    this.#create = create
    this.board = createPrinterBoard(this.#driversOf(settings.read().printers))
  }

  /** Uses the routes of this station from now on. Called when the desk of the station opens. */
  open(stationId: string): void {
    this.#stationId = stationId
    this.board.route(this.#routes())
  }

  setup(): PrinterSetup {
    return { printers: [...this.#settings.read().printers], routes: this.#routes() }
  }

  /**
   * Returns the printer with this id; null if no printer has it. Without an id, returns the printer of the station's
   * route for this kind and size of paper, or the first printer if there is no such route.
   */
  entryFor(printerId: string | null, wanted: Pick<PrintRoute, 'paper' | 'size'>): PrinterEntry | null {
    const { printers } = this.#settings.read()
    const route = this.#routes().find(({ paper, size }) => paper === wanted.paper && size === wanted.size)
    const id = printerId ?? route?.printerId ?? printers[0]?.id
    return printers.find((entry) => entry.id === id) ?? null
  }

  /** Saves all printers and routes, or nothing. Errors: those of `checkPrinters`. */
  save(wanted: PrinterSetup): Result<PrinterSetup> {
    const checked = checkPrinters(wanted)
    if (!checked.ok) return checked
    const { printers } = wanted
    const { routes } = this.#settings.read()
    const own = this.#stationId === null ? {} : { [this.#stationId]: wanted.routes }
    this.#settings.update({ printers, routes: { ...routes, ...own } })
    this.board.use(this.#driversOf(printers))
    this.board.route(this.#routes())
    return ok(this.setup())
  }

  /**
   * Returns the station's routes to existing printers. Other routes are left out: their printer was removed while
   * another station was open.
   */
  #routes(): PrintRoute[] {
    const { printers, routes } = this.#settings.read()
    const own = routes[this.#stationId ?? ''] ?? []
    return own.filter(({ printerId }) => printers.some(({ id }) => id === printerId))
  }

  #driversOf(entries: readonly PrinterEntry[]): AtLeastOne<PrinterPort> {
    const before = this.#drivers
    const now = new Map<string, PrinterPort>()
    const driverOf = (entry: PrinterEntry): PrinterPort => {
      const key = JSON.stringify(entry)
      const driver = before.get(key) ?? this.#create(entry)
      now.set(key, driver)
      return driver
    }
    const [first = entryOf({ kind: 'folder' }), ...rest] = entries
    const drivers = [driverOf(first), ...rest.map(driverOf)] as const
    this.#drivers = now
    return drivers
  }
}
