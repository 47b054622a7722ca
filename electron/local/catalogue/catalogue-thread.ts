import { Worker } from 'node:worker_threads'
import type { SkippedRow } from '#desk/ports/api.ts'
import type {
  CatalogueList,
  SyncEnd,
  SyncListener,
  SyncOptions,
  SyncRun,
} from '#desk/ports/catalogue-store.ts'
import type { MainToThread, ServiceReach, SyncOrder, ThreadToMain } from '#desk/ports/catalogue-sync.ts'
import type { Milliseconds } from '#shared/domain/instants.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { CataloguePaths } from './catalogue-disk.ts'
import type { CatalogueReader } from './catalogue-reader.ts'
import type { LotsReader } from './lots-store.ts'

export interface CatalogueThreadOptions {
  /** The module that the thread runs. */
  readonly script: URL
  readonly reach: () => ServiceReach
  /** Time between two complete reads of the catalogue, in milliseconds. */
  readonly fullEveryMs: Milliseconds
  readonly onSkipped: (list: CatalogueList, rows: readonly SkippedRow[]) => void
  /** Called when the thread fails. */
  readonly onFault: (error: unknown) => void
}

/** Time for the thread to close its files before it is terminated, in milliseconds. */
const stopMs = 1_000

/**
 * Runs one round of the sync in a separate thread. If the thread finds a damaged file, runs a second round that
 * rebuilds the file.
 */
export function startCatalogueThread(
  options: CatalogueThreadOptions & SyncOptions,
  paths: CataloguePaths,
  { goods: reader, lots }: { readonly goods: CatalogueReader; readonly lots: LotsReader },
  listener: SyncListener,
): SyncRun {
  let running: Thread | null = null
  let isStopped = false
  const run = async (): Promise<SyncEnd> => {
    for (let rest = 2; ; rest--) {
      const thread = startThread(options, orderOf(options, paths, reader.isLost()), reader, listener)
      running = thread
      const { end, damage } = await thread.ended
      // the ended thread has closed its files. `takeReady` also closes the current files of the main thread, and then
      // replaces a current file if the ended thread has completed a new one
      reader.takeReady()
      lots.takeReady()
      if (damage !== null) reader.lose(new Error(damage))
      if (damage === null || rest === 1 || isStopped) return end
    }
  }
  return {
    ended: run(),
    async stop() {
      isStopped = true
      await running?.stop()
    },
  }
}

function orderOf(
  { fullEveryMs, lotsEveryMs, reach }: CatalogueThreadOptions & SyncOptions,
  files: CataloguePaths,
  rebuild: boolean,
): SyncOrder {
  return { files, rebuild, fullEveryMs, lotsEveryMs, reach: reach() }
}

interface Thread {
  readonly ended: Promise<{ readonly end: SyncEnd; readonly damage: string | null }>
  stop(): Promise<void>
}

function startThread(
  { script, onSkipped, onFault }: CatalogueThreadOptions,
  order: SyncOrder,
  reader: CatalogueReader,
  listener: SyncListener,
): Thread {
  let end: SyncEnd = { kind: 'failed', failure: failure('internal.unexpected') }
  let damage: string | null = null
  const worker = new Worker(script, { workerData: order, name: 'catalogue' })
  const send = (message: MainToThread): void => worker.postMessage(message)
  worker.on('message', (message: ThreadToMain) => {
    switch (message.kind) {
      case 'called':
        listener.called(message.outcome, message.tookMs)
        return
      case 'access':
        void listener.access(message.refused).then((access) => send({ kind: 'access', access }), onFault)
        return
      case 'progress':
        listener.progress(message.progress)
        return
      case 'lots':
        listener.lots(message.news)
        return
      case 'changed':
        listener.changed()
        return
      case 'remade':
        reader.found()
        return
      case 'damaged':
        damage = message.problem
        return
      case 'skipped':
        onSkipped(message.list, message.rows)
        return
      case 'ended':
        end = message.end
        return
    }
  })
  worker.on('error', onFault)
  const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  return {
    ended: gone.then(() => ({ end, damage })),
    async stop() {
      send({ kind: 'stop' })
      const timer = setTimeout(() => void worker.terminate(), stopMs)
      await gone
      clearTimeout(timer)
    },
  }
}
