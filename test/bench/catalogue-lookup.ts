import { rmSync } from 'node:fs'
import type { CatalogueStore } from '#desk/ports/catalogue-store.ts'
import { openCatalogueFiles } from '#local/catalogue/catalogue-files.ts'
import { cataloguePaths } from '#local/catalogue/catalogue-disk.ts'
import { openStore } from '#local/open-store.ts'
import { codeKey } from '#shared/domain/gtin.ts'
import { embeddedBaseUrl, type Scope, scopeKey } from '#shared/domain/scope.ts'
import { bulkEan, bulkPicks } from '#support/bulk-goods.ts'
import { bulkLines, putCatalogue, workFolder } from './bulk-file.ts'
import { lookUpInDexie } from './dexie-in-chromium.ts'
import { type NoPeer, printFigure, type Sample } from './figure.ts'
import { installPeers, lookUpInPeer } from './peers.ts'
import { say } from './progress.ts'

const rows = 100_000
const lookups = 20_000
const warmUp = 2_000
const scope: Scope = { baseUrl: embeddedBaseUrl, wmsCode: 'DEV', customerCode: 'BENCH' }

interface Peer {
  readonly name: string
  /** Required minimum ratio: the time of a look-up by the peer divided by the time of a look-up by the desk. */
  readonly timesAsFast: number
  readonly measure: (rowsFile: string) => Promise<number[]>
}

const peers: readonly Peer[] = [
  {
    name: 'RxDB 17.6.0 in memory, indexed',
    timesAsFast: 3,
    measure: (file) => lookUpInPeer('rxdb.mjs', file, 2_000),
  },
  {
    name: 'Dexie 4.4.7 in Chromium, indexed',
    timesAsFast: 40,
    measure: (file) => lookUpInDexie(file, 2_000),
  },
  {
    name: 'PouchDB 9.0.0 on LevelDB, indexed',
    timesAsFast: 100,
    measure: (file) => lookUpInPeer('pouchdb.mjs', file, 1_000),
  },
]

/**
 * Measures the look-up of a scanned EAN among 100,000 articles: with the code of the desk in this process, and with
 * other databases.
 */
export async function benchLookup(): Promise<void> {
  const figure = { name: `EAN to article among ${rows}, in process`, values: await ownLookups() }
  const missing = await installPeers()
  const file = bulkLines(rows)
  for (const { name, timesAsFast, measure } of peers) {
    say(`looking up in ${name} …`)
    const peer: Sample | NoPeer =
      missing === null
        ? await measure(file).then(
            (values) => ({ name, values }),
            (error: unknown) => ({ name, why: String(error).slice(0, 300) }),
          )
        : { name, why: missing }
    printFigure(figure, peer, { unit: 'us', goal: { of: 'ratio', atMost: 1 / timesAsFast } })
  }
}

/** Measures the microseconds of each look-up, from the scanned digits to the article that was read and validated. */
async function ownLookups(): Promise<number[]> {
  const dataDir = workFolder('lookup')
  putCatalogue(dataDir, scope, rows, Date.now())
  const store = await openStore(dataDir, scopeKey(scope), () => undefined)
  try {
    store.catalogue.state()
    // Opening and closing the file once brings it into the state that it has after the desk has read changed articles
    // for the first time. A look-up then also has to read the write-ahead log.
    openCatalogueFiles(cataloguePaths(dataDir, scopeKey(scope)), false).close()
    const picks = bulkPicks(warmUp + lookups, rows)
    say(`looking up ${lookups} EANs …`)
    return picks.map((number) => usOf(store.catalogue, bulkEan(number))).slice(warmUp)
  } finally {
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function usOf(catalogue: CatalogueStore, ean: string): number {
  const startedAt = performance.now()
  const [found] = catalogue.byCode(codeKey(ean))
  const tookUs = (performance.now() - startedAt) * 1_000
  if (found?.variant.ean !== ean) throw new Error(`${ean} was not found`)
  return tookUs
}
