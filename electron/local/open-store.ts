import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { StorePort } from '#desk/ports/store.ts'
import { openDeskDatabase } from './desk-database.ts'
import { createLabelLedger } from './label-ledger.ts'
import { createOutboxStore } from './outbox-store.ts'
import { createPrintJobStore } from './print-job-store.ts'
import { createScansStore } from './scans-store.ts'
import { createSettingsStore } from './settings-store.ts'
import { createShipmentIndexStore } from './shipment-index-store.ts'
import { createVault } from './vault.ts'

/**
 * Everything a desk keeps in `dataDir`, seen through one scope (see scopeKey). `onIndexLost`: catalogue.db was
 * damaged and starts empty. Throws CataloguedError when desk.db cannot be opened.
 */
export async function openStore(dataDir: string, scope: string, onIndexLost: () => void): Promise<StorePort> {
  mkdirSync(dataDir, { recursive: true })
  const database = await openDeskDatabase(dataDir)
  try {
    const index = createShipmentIndexStore(dataDir, scope, onIndexLost)
    return {
      settings: createSettingsStore(database, scope),
      scans: createScansStore(database, scope),
      outbox: createOutboxStore(database, scope),
      labels: createLabelLedger(database, scope),
      printJobs: createPrintJobStore(database, scope),
      index,
      vault: createVault(join(dataDir, 'vault')),
      close() {
        index.close()
        database.close()
      },
    }
  } catch (error) {
    database.close()
    throw error
  }
}
