import type { Desk } from '#desk/desk.ts'
import { createDesk } from '#desk/create-desk.ts'
import type { NetworkPort } from '#desk/ports/network.ts'
import type { SecretsPort } from '#desk/ports/secrets.ts'
import { standardIndexOptions, type IndexOptions } from '#desk/shipment-index.ts'
import { type Clock, systemClock } from '#kit/clock.ts'
import type { Logger } from '#kit/logger.ts'
import { openStore } from '#local/open-store.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createAgents } from '#remote/agents.ts'
import { createApiClient } from '#remote/api-client.ts'
import { standardTimeouts, type Timeouts } from '#remote/timeouts.ts'
import { type Scope, scopeKey } from '#shared/domain/scope.ts'

export interface DeskOptions {
  /** Holds desk.db, catalogue.db and vault/; made when absent. */
  readonly dataDir: string
  readonly scope: Scope
  /** Where the embedded middleware listens now (`http://127.0.0.1:port`), or null while it does not. */
  readonly embedded: () => string | null
  readonly secrets: SecretsPort
  /** Where the folder printer puts its PDFs; made when absent. */
  readonly printFolder: string
  readonly logger: Logger
  readonly clock?: Clock
  readonly network?: NetworkPort
  /** The proxy's address as the system names it, or null. */
  readonly proxy?: string | null
  /** Hosts beside the service's own that may serve label PDFs. */
  readonly documentHosts?: readonly string[]
  readonly timeouts?: Partial<Timeouts>
  readonly index?: Partial<IndexOptions>
  readonly quietMs?: number
  readonly freshMs?: number
  readonly askMs?: number
  readonly closeMs?: number
}

/** The folder printer's name, on screens and in desk.db. */
const folderPrinterName = 'folder'

/**
 * Builds a desk without Electron: main, the fault harness and the benches use this one way. Call `start()` next.
 * Throws CataloguedError `store.unavailable` or `store.full` when desk.db cannot be opened.
 */
export async function composeDesk(options: DeskOptions): Promise<Desk> {
  const { dataDir, scope, embedded, logger, secrets } = options
  const store = await openStore(dataDir, scopeKey(scope), () =>
    logger.warn('catalogue.db was damaged and is filled anew'),
  )
  const agents = createAgents(options.proxy ?? null)
  const timeouts = { ...standardTimeouts, ...options.timeouts }
  const documentHosts = options.documentHosts ?? []
  const desk = createDesk(
    {
      store,
      secrets,
      api: createApiClient({ scope, embedded, agents, timeouts, documentHosts }),
      printer: createFolderPrinter(folderPrinterName, options.printFolder),
      clock: withTimers(options.clock ?? systemClock),
      network: options.network ?? { onBack: () => () => undefined },
    },
    scope,
    {
      quietMs: options.quietMs ?? 60_000,
      freshMs: options.freshMs ?? 1_500,
      askMs: options.askMs ?? 8_000,
      closeMs: options.closeMs ?? 5_000,
      index: { ...standardIndexOptions, ...options.index },
      onFault: (error) => logger.error({ err: error }, 'the desk met a fault'),
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
