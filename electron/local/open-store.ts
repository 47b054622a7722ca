import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { StorePort } from '#desk/ports/store.ts'
import { type SpaceLimits, standardSpace } from '#kit/disk-space.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { removeFilesOf } from './catalogue/catalogue-disk.ts'
import { createCatalogueStore } from './catalogue/catalogue-store.ts'
import type { CatalogueThreadOptions } from './catalogue/catalogue-thread.ts'
import { openDeskFile } from './desk-database.ts'
import { createPrintJobStore } from './labels/print-job-store.ts'
import { createFactsAppliers, createLedgers } from './ledgers.ts'
import { createDraftStore } from './modifications/draft-store.ts'
import { createLocationStore } from './modifications/location-store.ts'
import { createCommandReads } from './outbox/command-rows.ts'
import { createOutboxStore } from './outbox/outbox-store.ts'
import { createQueueStore } from './outbox/queue-store.ts'
import { createLabelIndexStore } from './recent/label-index-store.ts'
import { openRecentDatabase } from './recent/recent-database.ts'
import { createRecentRemoval, createRecentRoom } from './recent/recent-room.ts'
import { createShipmentIndexStore } from './recent/shipment-index-store.ts'
import { createStockStore } from './recent/stock-store.ts'
import { createScanChoicesStore, createScansStore } from './scans-store.ts'
import { createScopesWith, createScopeValues } from './scope-values.ts'
import { guard } from './sqlite-failure.ts'
import { createStorageStore } from './storage-store.ts'
import { replaceableDocuments } from './retention.ts'
import { createVault } from './vault.ts'
import { createLimitedCalls, limitWrites, sharedWriteLimits, type WriteLimits } from './write-limits.ts'

/**
 * Opens all data of a desk in `dataDir`, for one scope (see scopeKey). `onCacheLost`: called when recent.db or the
 * catalogue was damaged and is now empty. `thread`: options of the thread that reads the catalogue; null: the catalogue
 * is not read. `space`: limits of the disk space for label PDFs and backups. `limits`: how many bytes calls of the
 * window may write. Throws CataloguedError when desk.db cannot be opened.
 */
export async function openStore(
  dataDir: string,
  scope: ScopeKey,
  onCacheLost: (what: 'recent' | 'catalogue') => void,
  thread: CatalogueThreadOptions | null = null,
  space: SpaceLimits = standardSpace,
  limits: WriteLimits = sharedWriteLimits,
): Promise<StorePort> {
  const desk = await openDeskFile(dataDir)
  const { database } = desk
  try {
    const recent = openRecentDatabase(dataDir, () => onCacheLost('recent'))
    const appliers = createFactsAppliers(database, scope)
    const outbox = createOutboxStore(database, scope, appliers)
    const ledgers = createLedgers(
      database,
      scope,
      createLimitedCalls({ journal: desk.journal, limits }, outbox),
    )
    const room = createRecentRoom(recent, scope)
    const onLost = (): void => onCacheLost('catalogue')
    const catalogue = createCatalogueStore({ dataDir, scope, recent, onLost, thread })
    const written = {
      values: createScopeValues(database, scope),
      scans: createScansStore(database, scope),
      choices: createScanChoicesStore(database, scope),
      queue: createQueueStore(database, scope, appliers),
      draft: createDraftStore(database, scope),
      locations: createLocationStore(database, scope),
      printJobs: createPrintJobStore(database, scope),
    }
    return {
      ...ledgers,
      ...limitWrites(written, { journal: desk.journal, limits, space, folder: dataDir }),
      outbox,
      index: createShipmentIndexStore(recent, scope, room),
      labelIndex: createLabelIndexStore(recent, scope, room),
      lots: catalogue.lots,
      stock: createStockStore(recent, scope),
      catalogue,
      vault: createVault(join(dataDir, 'vault'), {
        replaceable: () => replaceableDocuments(database),
        space,
      }),
      storage: createStorageStore(desk, recent, scope, space),
      waitingAt: createWaitingAt(database),
      removeCatalogue: (other) => removeFilesOf(dataDir, other),
      removeRecent: createRecentRemoval(recent),
      valuesOf: (other) => createScopeValues(database, other),
      scopesWith: createScopesWith(database),
      close() {
        catalogue.close()
        recent.close()
        database.close()
      },
    }
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Returns the function that counts the open and the refused commands of a scope, and its open print jobs. No desk of
 * this scope needs to be open.
 */
function createWaitingAt(database: Database): (scope: ScopeKey) => number {
  return guard((scope) => {
    const { waiting, asking } = createCommandReads(database, scope).unsettledCounts()
    const prints = createPrintJobStore(database, scope).openCounts()
    return waiting + asking + prints.waiting + prints.asking
  })
}
