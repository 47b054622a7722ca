import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { readCatalogue } from '#desk/catalogue/catalogue-round.ts'
import type { ApiPort } from '#desk/ports/api.ts'
import type { CatalogueFiles, FillState } from '#desk/ports/catalogue-sync.ts'
import type { SyncEnd } from '#desk/ports/catalogue-store.ts'
import { openCatalogueFiles } from '#local/catalogue/catalogue-files.ts'
import { type CataloguePaths, cataloguePaths } from '#local/catalogue/catalogue-disk.ts'
import { openCatalogueReader } from '#local/catalogue/catalogue-reader.ts'
import { openLotsReader } from '#local/catalogue/lots-store.ts'
import { createAgents } from '#remote/agents.ts'
import { createApiClient } from '#remote/api-client.ts'
import { standardTimeouts } from '#remote/exchange.ts'
import { batch } from '#shared/wire/batch.ts'
import { exceedsLimits } from '#shared/wire/limits.ts'
import { shippingMethod } from '#shared/wire/shipping-method.ts'
import { variant } from '#shared/wire/variant.ts'
import { benchScope } from '#support/desk-bench.ts'
import { randomFrom } from '#support/random.ts'
import { FuzzedService } from './catalogue/fuzzed-service.ts'
import type { Suite } from './suite-report.ts'
import { scopeKeyOf } from '../support/ids.ts'

const fullCount = 10_000
const hourMs = 3600_000

const noFaults = {
  threw: 0,
  torn: 0,
  missing: 0,
  unreadableKept: 0,
  notQuarantined: 0,
  stillQuarantined: 0,
  lost: 0,
}
type Faults = Record<keyof typeof noFaults, number>

/**
 * Damages the responses of every list at random until `count` responses were read. A round of reads must never throw.
 * It must store each page as a whole or not at all, and must never continue after a page that it did not store. It must
 * store readable rows and record unreadable rows as skipped. When all rows are readable again, no row may be recorded
 * as skipped.
 */
export const badRowsSuite: Suite = async ({ count, seed }) => {
  const service = new FuzzedService()
  await service.start()
  const agents = createAgents()
  const api = createApiClient({
    scope: benchScope,
    embedded: () => service.url,
    agents,
    timeouts: standardTimeouts,
    documentHosts: [],
  })
  const faults: Faults = { ...noFaults }
  let stocks = 0
  let quarantined = 0
  try {
    while (service.pages < (count ?? fullCount)) {
      const folder = await mkdtemp(join(tmpdir(), 'scandesk-bad-rows-'))
      try {
        service.refill(randomFrom(seed * 1_000_003 + stocks++))
        quarantined += await liveThrough(service, api, cataloguePaths(folder, scopeKeyOf('scope')), faults)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    }
  } finally {
    agents.close()
    await service.stop()
  }
  const { pages, spoiltPages } = service
  const passed = Object.values(faults).every((times) => times === 0) && quarantined > 0 && spoiltPages > 0
  return { suite: 'bad-rows', passed, figures: { pages, spoiltPages, stocks, quarantined, ...faults, seed } }
}

/**
 * Reads one set of goods with damaged responses, then with undamaged responses, then after its unreadable rows were
 * made valid. Returns the number of rows that were recorded as skipped before they were made valid.
 */
async function liveThrough(
  service: FuzzedService,
  api: ApiPort,
  paths: CataloguePaths,
  faults: Faults,
): Promise<number> {
  let hours = 0
  const round = (): Promise<boolean> => oneRound(api, paths, Date.now() + hours * hourMs, faults)
  service.unrest = 0.15
  for (let rounds = 0; rounds < 12; rounds++) await round()
  service.unrest = 0
  // The desk repeats a read of a list if a response of this read was damaged as a whole.
  hours += 30
  while (!(await round()));
  const quarantined = judgeStock(service, paths, faults)
  service.heal()
  hours += 30
  while (!(await round()));
  hours += 30
  while (!(await round()));
  faults.stillQuarantined += judgeStock(service, paths, faults)
  return quarantined
}

/** Whether the round has read all lists that were due. */
async function oneRound(api: ApiPort, paths: CataloguePaths, now: number, faults: Faults): Promise<boolean> {
  const reader = openCatalogueReader(paths.goods, () => faults.lost++)
  reader.close()
  const lotsReader = openLotsReader(paths.lots, () => faults.lost++)
  lotsReader.close()
  const files = openCatalogueFiles(paths, false)
  const stored = new StoredPages(files)
  let end: SyncEnd = { kind: 'stopped' }
  let hasLots = false
  try {
    end = await readCatalogue({
      api: withDate(api, now),
      files: stored.files,
      listener: {
        access: () => Promise.resolve({ ok: true, token: 'token' }),
        progress: () => undefined,
        changed: () => undefined,
        lots: ({ rows, failure }) => void (hasLots = rows === null && failure === null),
      },
      now: () => now,
      ticks: () => 0,
      fullEveryMs: 24 * hourMs,
      lotsEveryMs: 6 * hourMs,
      isStopped: () => false,
    })
  } catch {
    faults.threw++
  } finally {
    files.close()
  }
  if (!stored.isWhole(paths)) faults.torn++
  return end.kind === 'done' && hasLots
}

/** Returns the API with changed responses: each response has the given time as the time of the service. */
function withDate(api: ApiPort, now: number): ApiPort {
  const dated =
    <A extends unknown[], T extends object>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const outcome = await call(...args)
      return 'serverDate' in outcome ? { ...outcome, serverDate: now } : outcome
    }
  return {
    ...api,
    listVariants: dated((...args: Parameters<ApiPort['listVariants']>) => api.listVariants(...args)),
    listAllBatches: dated((...args: Parameters<ApiPort['listAllBatches']>) => api.listAllBatches(...args)),
    listShippingMethods: dated((...args: Parameters<ApiPort['listShippingMethods']>) =>
      api.listShippingMethods(...args),
    ),
    listLocationTypes: dated((...args: Parameters<ApiPort['listLocationTypes']>) =>
      api.listLocationTypes(...args),
    ),
  }
}

/** Records which pages a round has added to the file of an unfinished full read. */
class StoredPages {
  readonly files: CatalogueFiles
  #last: FillState | null = null
  #published = false
  readonly #ids = new Set<string>()

  constructor(files: CatalogueFiles) {
    const { next } = files
    this.files = {
      ...files,
      next: {
        ...next,
        begin: () => {
          this.#last = null
          this.#ids.clear()
          next.begin()
        },
        add: (page, state) => {
          next.add(page, state)
          this.#last = state
          for (const { id } of [...page.rows, ...page.skipped]) if (id !== null) this.#ids.add(id)
        },
        publish: (...args) => {
          next.publish(...args)
          this.#published = true
        },
      },
    }
  }

  /**
   * Checks the file of an unfinished full read. Returns true if two conditions are true: the next read will continue
   * after the page that this round stored last, and the file contains each row of the stored pages, as a variant or as
   * a skipped row. Also returns true, without a check, if the round has stored no page, or has finished the full read.
   */
  isWhole(paths: CataloguePaths): boolean {
    if (this.#last === null || this.#published) return true
    const files = openCatalogueFiles(paths, false)
    const state = files.next.resume()
    files.close()
    const database = new Database(paths.goods.next, { readonly: true })
    const kept = database.prepare('SELECT id FROM variants UNION SELECT key FROM skipped').pluck().all()
    database.close()
    const ids = new Set(kept)
    const isThere = (id: string): boolean => ids.has(id.slice(0, 100).toWellFormed())
    return JSON.stringify(state) === JSON.stringify(this.#last) && [...this.#ids].every(isThere)
  }
}

function judgeStock(service: FuzzedService, paths: CataloguePaths, faults: Faults): number {
  const reader = openCatalogueReader(paths.goods, () => faults.lost++)
  const lots = openLotsReader(paths.lots, () => faults.lost++)
  try {
    const quarantine = [...reader.details().skippedRows, ...lots.skipped(100)]
    const named = new Set(quarantine.map(({ list, id }) => `${list} ${id ?? ''}`))
    const unreadable = (list: string, rows: readonly unknown[], reads: (row: unknown) => boolean): void => {
      for (const row of rows) {
        if (reads(row)) continue
        const id: unknown = Reflect.get(new Object(row), 'id')
        const name = `${list} ${typeof id === 'string' ? id.slice(0, 100).toWellFormed() : ''}`
        if (!named.has(name)) faults.notQuarantined++
      }
    }
    unreadable('variants', service.variants, (row) => {
      const parsed = variant.safeParse(row)
      if (!parsed.success || exceedsLimits(row)) return false
      const kept = reader.variant(parsed.data.id)
      if (JSON.stringify(kept?.variant) !== JSON.stringify(parsed.data)) faults.missing++
      return true
    })
    unreadable('batches', service.batches, (row) => {
      const parsed = batch.safeParse(row)
      if (!parsed.success || exceedsLimits(row)) return false
      const kept = lots.ofVariant(parsed.data.variant.id)?.lots.find(({ id }) => id === parsed.data.id)
      if (kept?.quantity !== parsed.data.quantity) faults.missing++
      return true
    })
    unreadable(
      'shippingmethods',
      service.methods,
      (row) => shippingMethod.safeParse(row).success && !exceedsLimits(row),
    )
    const readable = service.variants.filter(
      (row) => variant.safeParse(row).success && !exceedsLimits(row),
    ).length
    if (reader.state().variants !== readable) faults.unreadableKept++
    return reader.state().skipped + lots.state().skipped
  } finally {
    reader.close()
    lots.close()
  }
}
