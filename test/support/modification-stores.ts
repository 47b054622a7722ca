import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CatalogueStore } from '#desk/ports/catalogue-store.ts'
import type { OutboxStore, QueueStore } from '#desk/ports/commands.ts'
import type { LocationStore } from '#desk/ports/location-store.ts'
import type { DraftStore, ModificationLedger } from '#desk/ports/modification-store.ts'
import { openDeskDatabase } from '#local/desk-database.ts'
import { createFactsAppliers } from '#local/ledgers.ts'
import { createDraftStore } from '#local/modifications/draft-store.ts'
import { createLocationStore } from '#local/modifications/location-store.ts'
import { createModificationLedger } from '#local/modifications/modification-ledger.ts'
import { createOutboxStore } from '#local/outbox/outbox-store.ts'
import { createQueueStore } from '#local/outbox/queue-store.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { scopeKeyOf } from './ids.ts'

export interface ModificationStores {
  readonly draft: DraftStore
  readonly modifications: ModificationLedger
  readonly locations: LocationStore
  readonly outbox: OutboxStore
  readonly queue: QueueStore
  /** Closes the file and opens it again, as after a restart. */
  reopen(): Promise<ModificationStores>
  dispose(): Promise<void>
}

/** Opens the tables of modifications and locations in a separate desk.db. `dispose` closes and removes it. */
export async function openModificationStores(dataDir?: string): Promise<ModificationStores> {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'scandesk-modifications-')))
  const database = await openDeskDatabase(folder)
  const scope = scopeKeyOf('scope')
  const appliers = createFactsAppliers(database, scope)
  return {
    draft: createDraftStore(database, scope),
    modifications: createModificationLedger(database, scope),
    locations: createLocationStore(database, scope),
    outbox: createOutboxStore(database, scope, appliers),
    queue: createQueueStore(database, scope, appliers),
    reopen() {
      database.close()
      return openModificationStores(folder)
    },
    async dispose() {
      database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Returns a catalogue with these article codes. The id of each variant is its article code in lower case. */
export function catalogueOf(...articleCodes: string[]): Pick<CatalogueStore, 'variant'> {
  const at = '2026-01-01T00:00:00.000Z'
  const variantOf = (articleCode: string): Variant => ({
    id: articleCode.toLowerCase(),
    article_code: articleCode,
    name: `Article ${articleCode}`,
    description: null,
    ean: '4006381333931',
    sku: null,
    hs_tariff_code: null,
    height: null,
    depth: null,
    width: null,
    weight: null,
    expirable: false,
    country_of_origin: null,
    using_serial_numbers: false,
    value: null,
    created_at: at,
    modified_at: at,
  })
  const variants = new Map(articleCodes.map(variantOf).map((variant) => [variant.id, variant]))
  return {
    variant(id) {
      const variant = variants.get(id)
      return variant ? { variant, asOf: 0 } : null
    },
  }
}
