import * as tls from 'node:tls'
import type { Desk } from '#desk/desk.ts'
import { createDesk } from '#desk/create-desk.ts'
import type { NetworkPort } from '#desk/ports/network.ts'
import type { PrintersPort } from '#desk/ports/printers.ts'
import type { SecretsPort } from '#desk/ports/secrets.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { type Pace, standardPace } from '#desk/outbox/command-waits.ts'
import { type IndexOptions, labelIndexOptions, shipmentIndexOptions } from '#desk/shipments/index-reach.ts'
import { entryBeside } from '#kit/child-process.ts'
import { type Clock, systemClock } from '#kit/clock.ts'
import { type Logger, sharedFaultLog } from '#kit/logger.ts'
import type { CatalogueThreadOptions } from '#local/catalogue/catalogue-thread.ts'
import { logSkipped } from '#local/skipped-log.ts'
import { openStore } from '#local/open-store.ts'
import { type Agents, createAgents, type ProxyOf } from '#remote/agents.ts'
import { createApiClient } from '#remote/api-client.ts'
import type { Embedded } from '#remote/base-url.ts'
import { standardTimeouts, type Timeouts } from '#remote/exchange.ts'
import { pcSettings } from '#shared/bridge/pc-settings.ts'
import { limitsOf } from '#shared/domain/keep-limits.ts'
import { embeddedBaseUrl, type Scope, scopeKey } from '#shared/domain/scope.ts'

export interface DeskOptions {
  /**
   * The folder for desk.db with its journal and backups, recent.db, catalogue/ and vault/. It is created if it does not
   * exist.
   */
  readonly dataDir: string
  readonly scope: Scope
  /** Returns the current address of the embedded middleware, or why it has none. */
  readonly embedded: () => Embedded
  readonly secrets: SecretsPort
  readonly printers: PrintersPort
  readonly logger: Logger
  readonly clock?: Clock
  readonly network?: NetworkPort
  /** Returns the present proxies of the service and of the label hosts. If it is missing, no proxy is used. */
  readonly proxyOf?: ProxyOf
  /** Hosts that may serve label PDFs, in addition to the service's host. */
  readonly documentHosts?: readonly string[]
  readonly timeouts?: Partial<Timeouts>
  /** Options of the index of shipments and of the index of return labels. */
  readonly index?: Partial<IndexOptions>
  readonly catalogue?: Partial<CatalogueTuning>
  readonly quietMs?: number
  readonly pace?: Partial<Pace>
  readonly freshMs?: number
  readonly askMs?: number
  readonly closeMs?: number
  /** Wraps the desk's store. With this function the fault harness kills the process at a chosen call of the store. */
  readonly wrapStore?: (store: StorePort) => StorePort
  /** Number of days after which finished work is removed from this PC. */
  readonly keepDays?: number
  readonly backUpEveryMs?: number
  /**
   * Returns the current secret of command barcodes. If this function is missing or returns null, command barcodes have
   * no secret, as in the embedded sandbox.
   */
  readonly commandSecret?: () => string | null
  /**
   * Returns the scopes of all stations. When the desk starts, it removes the stored session of every other scope. If
   * this function is missing, the desk removes no session.
   */
  readonly stations?: () => readonly Scope[]
}

interface CatalogueTuning {
  /** Time between two reads of changed articles, in milliseconds. */
  readonly everyMs: number
  /** Time between two reads of all articles, in milliseconds. */
  readonly fullEveryMs: number
  /** Whether a thread reads the articles. If false, the catalogue stays unchanged. */
  readonly fills: boolean
}

const standardCatalogue: CatalogueTuning = { everyMs: 60_000, fullEveryMs: 24 * 3600_000, fills: true }

/**
 * Creates a desk without Electron. Main, the fault harness and the benches use this function. The caller then calls
 * `start()`. Throws CataloguedError `store.unavailable`, `store.full` or `store.other_version` when desk.db cannot be
 * opened.
 */
export async function composeDesk(options: DeskOptions): Promise<Desk> {
  const { dataDir, scope, embedded, logger, secrets } = options
  const timeouts = { ...standardTimeouts, ...options.timeouts }
  const catalogue = { ...standardCatalogue, ...options.catalogue }
  const onCacheLost = (what: string): void =>
    logger.warn({ what }, 'a cache was damaged; an empty one replaces it')
  const thread = catalogue.fills ? catalogueThread(options, timeouts, catalogue.fullEveryMs) : null
  const store = await openStore(dataDir, scopeKey(scope), onCacheLost, thread)
  const agents = createAgents(options.proxyOf)
  const documentHosts = options.documentHosts ?? []
  const keepDays = options.keepDays ?? pcSettings.keepDays.standard()
  // the walk does not read records that are older than `mostDays`, because the purge would remove them
  const mostDays = limitsOf(keepDays).desk
  const reach = { days: Math.min(shipmentIndexOptions.days, mostDays), mostDays }
  const desk = createDesk(
    {
      store: options.wrapStore?.(store) ?? store,
      secrets,
      api: createApiClient({ scope, embedded, agents, timeouts, documentHosts }),
      printers: options.printers,
      clock: withTimers(options.clock ?? systemClock),
      network: closingIdle(options.network ?? { onBack: () => () => undefined }, agents),
    },
    scope,
    {
      quietMs: options.quietMs ?? 60_000,
      pace: { ...standardPace, ...options.pace },
      freshMs: options.freshMs ?? 1_500,
      askMs: options.askMs ?? 8_000,
      closeMs: options.closeMs ?? 5_000,
      keepDays,
      backUpEveryMs: options.backUpEveryMs ?? 3600_000,
      index: { ...shipmentIndexOptions, ...reach, ...options.index },
      labelIndex: { ...labelIndexOptions, ...reach, ...options.index },
      catalogueEveryMs: catalogue.everyMs,
      commandSecret: options.commandSecret ?? (() => null),
      stations: options.stations ?? (() => null),
      onSkipped: logSkipped(logger),
      // the text of a refusal is not logged, because the service chooses it
      onListStopped: (list, { code, params: { status } }) => {
        logger.warn({ list, code, status }, 'a list of the service cannot be read')
      },
      onFault: (error) => sharedFaultLog.write(logger, error, 'an internal error of the desk'),
    },
  )
  return {
    ...desk,
    async close() {
      await desk.close()
      agents.close()
    },
  }
}

/** Returns the network port. After each report the idle connections are closed before the desk tries the service. */
function closingIdle(network: NetworkPort, agents: Agents): NetworkPort {
  return {
    onBack: (listener) =>
      network.onBack(() => {
        agents.closeIdle()
        listener()
      }),
  }
}

/** Returns the options of the thread that reads the catalogue. */
function catalogueThread(
  { scope, embedded, proxyOf, logger }: DeskOptions,
  timeouts: Timeouts,
  fullEveryMs: number,
): CatalogueThreadOptions {
  const isEncrypted = scope.baseUrl.startsWith('https:')
  return {
    script: entryBeside(import.meta.url, 'catalogue-worker'),
    fullEveryMs,
    reach: () => ({
      scope,
      timeouts,
      embedded: embedded(),
      proxy: proxyForService(scope, proxyOf),
      authorities: isEncrypted ? tls.getCACertificates('default') : null,
    }),
    onSkipped: logSkipped(logger),
    onFault: (error) => sharedFaultLog.write(logger, error, 'the thread that reads articles failed'),
  }
}

function proxyForService({ baseUrl }: Scope, proxyOf: ProxyOf | undefined): string | null {
  const url = baseUrl === embeddedBaseUrl ? null : URL.parse(baseUrl)
  return (url && proxyOf?.(url)) ?? null
}

type WithTimers = Clock & { after(delayMs: number, action: () => void): () => void }

function withTimers(clock: Clock): WithTimers {
  return {
    now: () => clock.now(),
    ticks: () => clock.ticks(),
    after(delayMs, action) {
      const timer = setTimeout(action, delayMs)
      return () => clearTimeout(timer)
    },
  }
}
