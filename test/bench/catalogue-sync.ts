import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readCatalogue } from '#desk/catalogue/catalogue-round.ts'
import type { SyncEnd, SyncListener } from '#desk/ports/catalogue-store.ts'
import { systemClock } from '#kit/clock.ts'
import { openStore } from '#local/open-store.ts'
import { createAgents } from '#remote/agents.ts'
import { createApiClient } from '#remote/api-client.ts'
import { standardTimeouts } from '#remote/exchange.ts'
import { type Scope, scopeKey } from '#shared/domain/scope.ts'
import { workFolder } from './bulk-file.ts'
import { printFigure } from './figure.ts'
import { type PageService, startPageService } from './page-service.ts'
import { openPlainFiles } from './plain-files.ts'
import { say } from './progress.ts'

const rows = 150_000
/** Number of rounds. Each round measures the client with a search index and the client without one. */
const rounds = 3
const dayMs = 24 * 3600_000

const listener: SyncListener = {
  called: () => undefined,
  access: () => Promise.resolve({ ok: true, token: 'bench' }),
  progress: () => undefined,
  lots: () => undefined,
  changed: () => undefined,
}

/**
 * Measures the first full read of articles over HTTP. The peer is the same client with a database without a search
 * index.
 */
export async function benchFirstSync(): Promise<void> {
  const service = await startPageService()
  const scope = service.scopeOf(rows)
  const own: number[] = []
  const plain: number[] = []
  try {
    say(`reading ${rows} articles ${rounds} times both ways …`)
    // The read before the measured rounds is not measured. During this read the service creates its responses and keeps
    // them for the later reads.
    await readPlainly(service, scope)
    for (let round = 0; round < rounds; round++) {
      own.push(await readAsTheDesk(service, scope))
      plain.push(await readPlainly(service, scope))
    }
  } finally {
    await service.stop()
  }
  printFigure(
    { name: `first sync of ${rows} articles over HTTP`, values: own },
    { name: 'the same pages into a table with ids and codes, nothing to search', values: plain },
    { unit: 'rows/s', goal: { of: 'ratio', atLeast: 0.7 } },
  )
}

/** Reads all articles with the thread that fills the catalogue in the app. Returns the rows per second. */
async function readAsTheDesk(service: PageService, scope: Scope): Promise<number> {
  const dataDir = workFolder('first-sync')
  const store = await openStore(dataDir, scopeKey(scope), () => undefined, {
    script: new URL('../../electron/catalogue-worker.ts', import.meta.url),
    fullEveryMs: dayMs,
    reach: () => ({
      scope,
      timeouts: standardTimeouts,
      embedded: service.url,
      proxy: null,
      authorities: null,
    }),
    onSkipped: () => undefined,
    onFault: (error) => say(String(error)),
  })
  const startedAt = performance.now()
  const end = await store.catalogue.sync(listener, { lotsEveryMs: dayMs }).ended
  const tookMs = performance.now() - startedAt
  const { variants } = store.catalogue.state()
  store.close()
  rmSync(dataDir, { recursive: true, force: true })
  return rate(end, variants, tookMs)
}

async function readPlainly(service: PageService, scope: Scope): Promise<number> {
  const dataDir = workFolder('plain-sync')
  const files = openPlainFiles(join(dataDir, 'plain.db'))
  const agents = createAgents()
  const api = createApiClient({
    scope,
    embedded: () => service.url,
    agents,
    timeouts: standardTimeouts,
    documentHosts: [],
  })
  const startedAt = performance.now()
  const end = await readCatalogue({
    api,
    files,
    listener,
    ...systemClock,
    fullEveryMs: dayMs,
    lotsEveryMs: dayMs,
    isStopped: () => false,
  })
  const tookMs = performance.now() - startedAt
  agents.close()
  files.close()
  rmSync(dataDir, { recursive: true, force: true })
  return rate(end, rows, tookMs)
}

function rate(end: SyncEnd, read: number, tookMs: number): number {
  if (end.kind !== 'done' || read !== rows)
    throw new Error(`the sync ended as ${end.kind} with ${read} articles`)
  return (read / tookMs) * 1_000
}
