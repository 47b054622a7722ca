import * as tls from 'node:tls'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { readCatalogue, type RoundParts } from '#desk/catalogue/catalogue-round.ts'
import type { ApiOutcome, ApiPort, RowPage } from '#desk/ports/api.ts'
import type { CatalogueList, SyncEnd } from '#desk/ports/catalogue-store.ts'
import type { MainToThread, SyncOrder, ThreadToMain } from '#desk/ports/catalogue-sync.ts'
import { systemClock } from '#kit/clock.ts'
import { UnusableCache } from '#local/cache.ts'
import { openCatalogueFiles } from '#local/catalogue/catalogue-files.ts'
import { asCatalogued, isCorrupt } from '#local/sqlite-failure.ts'
import { createAgents } from '#remote/agents.ts'
import { createApiClient } from '#remote/api-client.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'

/**
 * The entry of the thread that reads the service's articles into the catalogue file. The thread runs one round and
 * ends. The thread has no session: main sends a token when the thread requests one.
 */

/** Minimum time between two progress messages, in milliseconds. */
const progressEveryMs = 200

const port = parentPort
if (!port) throw new Error('this module runs as a thread')
await main(port, workerData as SyncOrder)

type RoundListener = RoundParts['listener']

async function main(to: MessagePort, order: SyncOrder): Promise<void> {
  const send = (message: ThreadToMain): void => to.postMessage(message)
  const { reach } = order
  if (reach.authorities) tls.setDefaultCACertificates([...reach.authorities])
  const agents = createAgents(() => reach.proxy)
  const api = createApiClient({ ...reach, embedded: () => reach.embedded, agents, documentHosts: [] })
  let isStopped = false
  const listener = createListener(to, send, () => {
    isStopped = true
    agents.close()
  })
  const reporting = reportCalls(api, send, () => isStopped)
  send({ kind: 'ended', end: await round(order, reporting, listener, send, () => isStopped) })
  agents.close()
  // a call that `agents.close` aborts ends after the port is closed, so main does not receive its failure
  to.close()
}

async function round(
  { files: paths, rebuild, fullEveryMs, lotsEveryMs }: SyncOrder,
  api: ApiPort,
  listener: RoundListener,
  send: (message: ThreadToMain) => void,
  isStopped: () => boolean,
): Promise<SyncEnd> {
  try {
    const files = openCatalogueFiles(paths, rebuild)
    if (rebuild) send({ kind: 'remade' })
    try {
      return await readCatalogue({
        api,
        files,
        listener,
        ...systemClock,
        fullEveryMs,
        lotsEveryMs,
        isStopped,
      })
    } catch (error) {
      const known = asCatalogued(error)
      if (known instanceof CataloguedError && isAboutSpace(known.failure)) files.dropUnfinished()
      throw error
    } finally {
      files.close()
    }
  } catch (error) {
    const isDamage = isCorrupt(error) || error instanceof UnusableCache
    if (isDamage) send({ kind: 'damaged', problem: String(error) })
    const known = isDamage ? new CataloguedError('store.unavailable') : asCatalogued(error)
    if (!(known instanceof CataloguedError)) throw error
    return { kind: 'failed', failure: known.failure }
  }
}

/**
 * Whether a round failed because the disk has too little space or a file is too large. If true, the rows read so far
 * must be removed, because the next round would continue with them and fail in the same way.
 */
function isAboutSpace({ code }: Failure): boolean {
  return code === 'store.full' || code === 'catalogue.low_disk' || code === 'catalogue.too_large'
}

/**
 * Creates the listener of a round, which sends its calls to main as messages. `paced` limits the messages about the
 * progress and about the lots. The round requests one token at a time.
 */
function createListener(
  port: MessagePort,
  send: (message: ThreadToMain) => void,
  stop: () => void,
): RoundListener {
  let answer: ((access: Awaited<ReturnType<RoundListener['access']>>) => void) | null = null
  port.on('message', (message: MainToThread) => {
    const waiting = answer
    answer = null
    if (message.kind === 'stop') {
      stop()
      waiting?.({ ok: false, failure: failure('session.signed_out') })
    } else waiting?.(message.access)
  })
  return {
    access(refused) {
      send({ kind: 'access', refused })
      return new Promise((resolve) => (answer = resolve))
    },
    progress: paced(
      (progress) => send({ kind: 'progress', progress }),
      (progress) => progress === null,
    ),
    lots: paced(
      (news) => send({ kind: 'lots', news }),
      (news) => news.rows === null,
    ),
    changed: () => send({ kind: 'changed' }),
  }
}

/**
 * Returns a function that sends reports to main: at most one report every `progressEveryMs`, and always the newest. A
 * report for which `isLast` returns true is sent at once. If another report comes too early, a timer sends it later,
 * because it may be the last report of the round.
 */
function paced<News>(tell: (news: News) => void, isLast: (news: News) => boolean): (news: News) => void {
  let reportedAt = -Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  let tellNewest = (): void => undefined
  return (news) => {
    tellNewest = () => {
      clearTimeout(timer)
      timer = undefined
      reportedAt = performance.now()
      tell(news)
    }
    const waitMs = reportedAt + progressEveryMs - performance.now()
    if (isLast(news) || waitMs <= 0) tellNewest()
    else timer ??= setTimeout(() => tellNewest(), waitMs)
  }
}

/**
 * Returns an API whose calls for lists report to main how they ended, and the unreadable rows of their responses. Calls
 * that end after `isStopped` returns true are not reported, because the stop has aborted them.
 */
function reportCalls(api: ApiPort, send: (message: ThreadToMain) => void, isStopped: () => boolean): ApiPort {
  const watched =
    <A extends unknown[], Row>(
      list: CatalogueList,
      call: (...args: A) => Promise<ApiOutcome<RowPage<Row>>>,
    ) =>
    async (...args: A): Promise<ApiOutcome<RowPage<Row>>> => {
      const begunTicks = systemClock.ticks()
      const outcome = await call(...args)
      if (!isStopped()) {
        const tookMs = systemClock.ticks() - begunTicks
        send({ kind: 'called', outcome: withoutRows(outcome), tookMs })
      }
      if (outcome.kind === 'answer' && outcome.value.skipped.length > 0)
        send({ kind: 'skipped', list, rows: outcome.value.skipped })
      return outcome
    }
  return {
    ...api,
    listVariants: watched('variants', (...args: Parameters<ApiPort['listVariants']>) =>
      api.listVariants(...args),
    ),
    listAllBatches: watched('batches', (...args: Parameters<ApiPort['listAllBatches']>) =>
      api.listAllBatches(...args),
    ),
    listShippingMethods: watched('shippingmethods', (...args: Parameters<ApiPort['listShippingMethods']>) =>
      api.listShippingMethods(...args),
    ),
    listLocationTypes: watched('locationtypes', (...args: Parameters<ApiPort['listLocationTypes']>) =>
      api.listLocationTypes(...args),
    ),
  }
}

/** Returns the outcome without its rows, because a page of rows takes time to copy to another thread. */
function withoutRows(outcome: ApiOutcome<unknown>): ApiOutcome<null> {
  return outcome.kind === 'answer' ? { ...outcome, value: null } : outcome
}
