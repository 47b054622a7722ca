import { join } from 'node:path'
import { BrowserWindow } from 'electron'
import { composeDesk } from '#compose-desk'
import type { Desk } from '#desk/desk.ts'
import type { PrinterPort } from '#desk/ports/printers.ts'
import type { ForkedLogger } from '#kit/logger.ts'
import { startDocumentsWith } from '#labels/raster-in-thread.ts'
import { createPrinter } from '#printing/printer-kinds.ts'
import { SerialScanner } from '#serial-scanner/serial-scanner.ts'
import { testConnection } from '#remote/connection-test.ts'
import { eventChannel, type EventName } from '#shared/bridge/channels.ts'
import type { EventPayload } from '#shared/bridge/contract.ts'
import type { Closing, ConnectionTest, StationDraft, StationView } from '#shared/bridge/views.ts'
import type { ProvisioningView } from '#shared/bridge/setup-views.ts'
import type { PrinterEntry } from '#shared/bridge/printer-views.ts'
import type { Language } from '#shared/domain/languages.ts'
import { embeddedBaseUrl } from '#shared/domain/scope.ts'
import { parseHosts } from '#shared/domain/station-fields.ts'
import { ok, type Result } from '#shared/errors/result.ts'
import { askAboutAddress } from './address-dialog.ts'
import { holdSettings, type HeldSettings } from './app-settings.ts'
import type { CommandLine } from './command-line.ts'
import { ConfirmedAddresses } from './confirmed-addresses.ts'
import { takeDeskFolder } from './data-folder.ts'
import { DeskHost } from './desk-host.ts'
import { bindBridge, type Handlers } from './ipc/bind.ts'
import { CallLog } from './ipc/call-log.ts'
import { deskHandlers } from './ipc/desk.ipc.ts'
import {
  appHandlers,
  keyboardScannerHandlers,
  printerHandlers,
  scannerHandlers,
  stationHandlers,
} from './ipc/main.ipc.ts'
import { supportHandlers } from './ipc/support.ipc.ts'
import type { LogFile } from './log-file.ts'
import { MiddlewareSupervisor } from './middleware-supervisor.ts'
import { PaperMaker } from './paper-maker.ts'
import { Printers } from './printers.ts'
import { findProvisioning } from './provisioning-file.ts'
import { provision } from './provisioning.ts'
import { Scanners } from './scanners.ts'
import { systemNetwork, systemProxies } from './system-network.ts'
import { SystemProxies } from './system-proxies.ts'
import { createSecrets } from './secrets.ts'
import { SetupNotices } from './setup-notice.ts'
import { testLimit, toldOfConnection } from './setup-tests.ts'
import { openSettings, type SettingsStore } from './settings.ts'
import { LabelTimes, SpeedToday } from './speed-today.ts'
import { checkAddress, dropUnusedLogins, scopeOf, Stations } from './stations.ts'
import { startUtility } from './utility-child.ts'

interface AppParts {
  readonly dataDir: string
  readonly version: string
  readonly engine: string
  /** The system's language, which the app uses until an operator chooses another one. */
  readonly systemLanguage: string
  readonly middlewareBundle: string
  readonly commandLine: CommandLine
  /** Main's logger, which also writes to `logFile`. */
  readonly log: ForkedLogger
  readonly logFile: LogFile
  /** Closes the window after the operator's confirmation; waiting commands stay in the queue. */
  readonly closeWindow: () => void
  /** Receives whether the window contains unsaved input. */
  readonly onUnsaved: (unsaved: boolean) => void
}

type Tell = <E extends EventName>(event: E, payload: EventPayload<E>) => void

export interface RunningApp {
  /** Opens the desk of the station used last, or of the sandbox. */
  open(): Promise<void>
  /** Counts the commands that would wait until the next start if the app closed now; null while no desk runs. */
  unsent(): Closing | null
  /** Returns the language of the screens. */
  language(): Language
  /** Sends an event to the window. */
  readonly tell: Tell
  close(): Promise<void>
}

/**
 * Connects the desk (compose-desk.ts) to Electron: settings, secrets, the embedded middleware and the bridge's
 * channels.
 */
export function composeApp(parts: AppParts): RunningApp {
  const { logger } = parts.log
  const calls = new CallLog(parts.log)
  takeDeskFolder(parts.dataDir, logger)
  const settings = openSettings(parts.dataDir, (error) =>
    logger.error({ err: error }, 'settings.json is damaged or cannot be written'),
  )
  const provisioned = provision(settings, findProvisioning(parts.commandLine.provision))
  if (provisioned.state === 'wrong')
    logger.error({ provisioning: provisioned }, 'a set-up file was refused as a whole')
  const supervisor = new MiddlewareSupervisor({
    bundle: parts.middlewareBundle,
    dataDir: parts.dataDir,
    logger,
    outputLogger: parts.log.named('middleware'),
    port: settings.read().sandboxPort,
    onPort: (sandboxPort) => settings.update({ sandboxPort }),
  })
  startDocumentsWith(startUtility)
  const folder = join(parts.dataDir, 'labels')
  const toPrinter = (entry: PrinterEntry): PrinterPort => createPrinter(entry, folder, startUtility)
  const printers = new Printers(settings, toPrinter)
  const speed = new SpeedToday()
  const labelTimes = new LabelTimes((ms) => speed.took('label', ms))
  const tell: Tell = (event, payload) => {
    calls.event(event, payload)
    if (event === 'returnLabel') labelTimes.moved(payload as EventPayload<'returnLabel'>)
    if (event === 'status') proxies.heard(payload as EventPayload<'status'>)
    for (const window of BrowserWindow.getAllWindows()) window.webContents.send(eventChannel(event), payload)
  }
  const stations = new Stations(settings)
  const commandSecret = (): string | null => stations.current().commandSecret?.text ?? null
  const held = holdSettings(settings, parts.commandLine.settings, parts.systemLanguage)
  parts.log.keepFrom(held.read().logLevel)
  parts.logFile.open(parts.dataDir)
  logger.info({ version: parts.version, engine: parts.engine, platform: process.platform }, 'the app starts')
  const proxies = new SystemProxies(systemProxies)
  proxies.onChanged((proxy) => logger.info({ proxy }, 'the proxy of the service has changed'))
  const host: DeskHost = new DeskHost(
    deskComposer(parts, { settings, held, supervisor, printers, stations, commandSecret, proxies }),
    tell,
  )
  const scanners = new Scanners(settings, (entry, deps) => new SerialScanner(entry, deps), tell)
  const limit = testLimit()
  const addresses = new ConfirmedAddresses({
    settings,
    ask: (question) => askAboutAddress(question, held.read().language),
  })
  const ofDesk = deskHandlers({ host, settings, stations })
  bindBridge(
    {
      app: ownHandlers(parts, settings, held, provisioned, calls),
      station: stationHandlers({
        stations,
        host,
        addresses,
        testConnection: (draft) => limit.run(() => testDraft(draft, stations, addresses)),
      }),
      scanner: scannerHandlers(scanners),
      printer: printerHandlers({ printers, createPrinter: toPrinter, host, addresses }),
      keyboardScanner: keyboardScannerHandlers(settings),
      paper: createPaperMaker(host, printers, folder),
      support: supportHandlers({
        ...parts,
        settings: () => settings.read(),
        held: () => held.read(),
        status: () => host.status(),
        failures: () => calls.last,
        logFault: () => parts.logFile.fault,
        speed: () => speed.view(),
      }),
      speed,
      ...ofDesk,
      returnLabel: labelTimes.timed(ofDesk.returnLabel),
    },
    calls,
  )
  return {
    open: () => {
      scanners.start()
      return host.open(stations.current())
    },
    unsent: () => host.unsent(),
    language: () => held.read().language,
    tell,
    close: async () => {
      // a serial port may need many seconds to open, and closes only after that
      const ends = await Promise.allSettled([scanners.close(), host.close()])
      proxies.stop()
      await supervisor.stop()
      for (const end of ends) if (end.status === 'rejected') throw end.reason
      logger.info('the app ends')
    },
  }
}

interface DeskSources {
  readonly settings: SettingsStore
  readonly held: HeldSettings
  readonly supervisor: MiddlewareSupervisor
  readonly printers: Printers
  readonly stations: Stations
  readonly commandSecret: () => string | null
  readonly proxies: SystemProxies
}

function deskComposer(
  { dataDir, log: { logger } }: AppParts,
  { settings, held, supervisor, printers, stations, commandSecret, proxies }: DeskSources,
): (station: StationView) => Promise<Desk> {
  return async (station) => {
    dropUnusedLogins(settings, stations.list())
    printers.open(station.id)
    // the embedded middleware runs only for the sandbox, never for a real server
    if (station.baseUrl === embeddedBaseUrl) await supervisor.start()
    else await supervisor.stop()
    await proxies.open(station)
    const hosts = parseHosts(station.documentHosts)
    return composeDesk({
      dataDir,
      scope: scopeOf(station),
      embedded: () => supervisor.url() ?? supervisor.failure(),
      secrets: createSecrets(settings),
      printers: printers.board,
      keepDays: held.read().keepDays,
      documentHosts: hosts.ok ? hosts.value : [],
      commandSecret,
      stations: () => stations.list().map(scopeOf),
      proxyOf: proxies.of,
      network: {
        onBack(listener) {
          const ends = [systemNetwork.onBack(listener), proxies.onChanged(listener)]
          return () => {
            for (const end of ends) end()
          }
        },
      },
      logger,
    })
  }
}

function createPaperMaker(host: DeskHost, printers: Printers, folder: string): PaperMaker {
  return new PaperMaker({
    desk: (stationId) => host.desk(stationId),
    printerOf: (printerId, size) => printers.entryFor(printerId, { paper: 'sheet', size }),
    printers: () => printers.setup().printers,
    folder,
    now: () => new Date(),
  })
}

function ownHandlers(
  { version, engine, dataDir, commandLine, closeWindow, onUnsaved, log }: AppParts,
  settings: SettingsStore,
  held: HeldSettings,
  provisioned: ProvisioningView,
  calls: CallLog,
): Handlers<'app'> {
  return appHandlers({
    info: () => ({
      version,
      settings: held.read(),
      engine,
      platform: process.platform,
      dataDir,
      suggestedServer: commandLine.server,
    }),
    change: (change) => {
      const before = held.read().logLevel
      held.change(change)
      const after = held.read().logLevel
      if (after === before) return
      log.keepFrom(after)
      calls.levelChanged(before, after)
    },
    // the window closes after the response is sent, because the window that called is the window that closes
    close: () => setImmediate(closeWindow),
    unsaved: onUnsaved,
    provisioning: () => provisioned,
    notices: new SetupNotices(settings, provisioned),
  })
}

async function testDraft(
  draft: StationDraft,
  stations: Stations,
  addresses: ConfirmedAddresses,
): Promise<Result<ConnectionTest>> {
  const baseUrl = checkAddress(draft)
  if (!baseUrl.ok) return baseUrl
  const confirmed = await addresses.confirmService(baseUrl.value)
  if (!confirmed.ok) return confirmed
  const isEmbedded = baseUrl.value === embeddedBaseUrl
  const proxies = isEmbedded ? [null] : await systemProxies(baseUrl.value, { reloads: true })
  const [first = null, ...others] = proxies
  const target = { ...draft, baseUrl: baseUrl.value }
  let test = await testConnection(target, { proxy: first })
  // a desk tries the next proxy of the list if one fails, so the test does too
  for (const proxy of others) {
    if (isReached(test)) break
    const next = await testConnection(target, { proxy })
    if (isReached(next)) test = next
  }
  const saved = stations.list().map((station) => station.baseUrl)
  return ok(toldOfConnection(test, baseUrl.value, saved))
}

/** Whether the service responded to this test, and not another server, such as a firewall with its web page. */
function isReached({ steps, problem }: ConnectionTest): boolean {
  return steps.service === 'passed' || (steps.service === 'failed' && problem?.code !== 'not_the_service')
}
