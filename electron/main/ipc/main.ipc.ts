import type { PrinterPort } from '#desk/ports/printers.ts'
import { SharedCalls } from '#desk/timing/calls.ts'
import { discoverIpp } from '#printing/ipp-discovery.ts'
import { windowsPrinters } from '#printing/windows-printer.ts'
import { listPorts } from '#serial-scanner/list-ports.ts'
import type { SettingsChange } from '#shared/bridge/pc-settings.ts'
import type { PrintQueues, PrinterEntry } from '#shared/bridge/printer-views.ts'
import type { ProvisioningView } from '#shared/bridge/setup-views.ts'
import type { AppInfo, ConnectionTest, StationDraft } from '#shared/bridge/views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { ConfirmedAddresses } from '../confirmed-addresses.ts'
import type { DeskHost } from '../desk-host.ts'
import { checkPrinters } from '../printer-entry.ts'
import type { Printers } from '../printers.ts'
import type { Scanners } from '../scanners.ts'
import type { SettingsStore } from '../settings.ts'
import type { SetupNotices } from '../setup-notice.ts'
import { OutwardLimit, testLimit, testPrinter } from '../setup-tests.ts'
import { removeStation, type Stations } from '../stations.ts'
import type { Handlers } from './bind.ts'

// The domains of the contract that belong to the PC: main implements them without a desk (desk.ipc.ts has the others).

interface AppDomain {
  readonly info: () => AppInfo
  /** Applies a change of settings at once and stores it for the next start. */
  readonly change: (settings: SettingsChange) => void
  readonly close: () => void
  readonly unsaved: (unsaved: boolean) => void
  readonly provisioning: () => ProvisioningView
  readonly notices: SetupNotices
}

export function appHandlers({
  info,
  change,
  close,
  unsaved,
  provisioning,
  notices,
}: AppDomain): Handlers<'app'> {
  return {
    info: () => ok(info()),
    change: (settings) => {
      change(settings)
      return ok(info())
    },
    close: () => {
      close()
      return ok(undefined)
    },
    unsaved: (holds) => {
      unsaved(holds.unsaved)
      return ok(undefined)
    },
    provisioning: () => ok(provisioning()),
    setupNotice: () => ok(notices.read()),
    acknowledgeSetup: () => ok(notices.acknowledge()),
  }
}

interface StationParts {
  readonly stations: Stations
  readonly host: DeskHost
  readonly addresses: Pick<ConfirmedAddresses, 'confirmService' | 'forgetUnused'>
  readonly testConnection: (draft: StationDraft) => Promise<Result<ConnectionTest>>
}

/**
 * Creates the handlers of the domain `station`. A station is used only after a person has confirmed its server's
 * address. Uses and removals of stations run one after another: if a station were used while it is being removed, its
 * desk would stay open and would store work that is never sent.
 */
export function stationHandlers({
  stations,
  host,
  addresses,
  testConnection,
}: StationParts): Handlers<'station'> {
  const added = new OutwardLimit((seconds) => failure('station.too_many_new', { seconds }))
  /** Resolves when the most recent use or removal of a station has ended. */
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(change: () => Promise<T>): Promise<T> => {
    const done = last.then(change)
    last = done.catch(() => undefined)
    return done
  }
  return {
    list: () => ok(stations.list()),
    current: () => ok(stations.current()),
    test: testConnection,
    save: (draft) => (stations.adds(draft) ? added.run(() => stations.save(draft)) : stations.save(draft)),
    use: async ({ id }) => {
      const wanted = stations.list().find((station) => station.id === id)
      if (!wanted) return fail('station.none')
      const confirmed = await addresses.confirmService(wanted.baseUrl)
      if (!confirmed.ok) return confirmed
      return inTurn(async () => {
        const station = stations.use(id)
        if (station.ok) await host.open(station.value)
        return station
      })
    },
    renewSecret: ({ id }) => stations.renewSecret(id),
    remove: async ({ id }) => {
      const rest = await inTurn(() => removeStation({ stations, host }, id))
      if (rest.ok) addresses.forgetUnused()
      return rest
    },
  }
}

interface PrinterParts {
  readonly printers: Printers
  readonly createPrinter: (entry: PrinterEntry) => PrinterPort
  readonly host: DeskHost
  readonly addresses: Pick<ConfirmedAddresses, 'confirmPrinters' | 'forgetUnused'>
}

/**
 * Creates the handlers of the domain `printer`. Printers belong to the PC, not to a station: every desk that opens on
 * the PC uses them, with its own routes. A printer on the network is saved only after a person has confirmed its
 * address, because labels with names and addresses of people are sent to saved printers.
 */
export function printerHandlers({
  printers,
  createPrinter,
  host,
  addresses,
}: PrinterParts): Handlers<'printer'> {
  const limit = testLimit()
  const newPrinters = new OutwardLimit((seconds) => failure('printer.too_many_new', { seconds }))
  const addsPrinter = (entries: readonly PrinterEntry[]): boolean => {
    const known = new Set(printers.setup().printers.map(({ id }) => id))
    return entries.some(({ id }) => !known.has(id))
  }
  const discoveries = new SharedCalls<Awaited<ReturnType<typeof discover>>>()
  return {
    setup: () => ok(printers.setup()),
    save: async (setup, station) => {
      const checked = checkPrinters(setup)
      if (!checked.ok) return checked
      const save = async (): Promise<ReturnType<Printers['save']>> => {
        const confirmed = await addresses.confirmPrinters(setup.printers)
        if (!confirmed.ok) return confirmed
        // the routes belong to the station for which the window called
        if (station !== undefined && !host.isAt(station)) return fail('station.changed')
        const saved = printers.save(setup)
        addresses.forgetUnused()
        // if the desk cannot be opened now, the next desk that opens gets the new printers
        const desk = saved.ok ? await host.desk().catch(() => null) : null
        desk?.printersChanged()
        return saved
      }
      // Adding printers is limited, because main keeps a queue for each printer. Changes of routes are not limited,
      // because operators make them often, with barcodes.
      return addsPrinter(setup.printers) ? newPrinters.run(save) : save()
    },
    test: (settings) =>
      limit.run(async () => ok(await testPrinter(settings, printers.setup().printers, createPrinter))),
    // the search starts a program of the system, so simultaneous calls share one search
    discover: async () => ok(await discoveries.ask('', discover)),
  }
}

/** Returns the print queues and printers that this PC finds. */
async function discover(): Promise<PrintQueues> {
  const queues = await discoverIpp()
  const windows = process.platform === 'win32' ? await windowsPrinters() : undefined
  return { isThere: queues !== null, queues: queues ?? [], ...(windows && { windows }) }
}

/** Creates the handlers of the domain `scanner`. Serial scanners belong to the PC, not to a station. */
export function scannerHandlers(scanners: Scanners): Handlers<'scanner'> {
  const lists = new SharedCalls<Awaited<ReturnType<typeof listPorts>>>()
  return {
    setup: () => ok(scanners.view()),
    save: (setup) => scanners.save(setup),
    // the listing starts a program of the system, so simultaneous calls share one listing
    ports: async () => ok(await lists.ask('', listPorts)),
    held: () => ok(scanners.held.list()),
    taken: ({ number }) => {
      scanners.held.taken(number)
      return ok(undefined)
    },
  }
}

/**
 * Creates the handlers of the domain `keyboardScanner`. The scanner belongs to the PC, not to a station, because badges
 * are scanned before a user is logged in.
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
