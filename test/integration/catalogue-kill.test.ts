import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { cataloguePaths } from '#local/catalogue/catalogue-disk.ts'
import { openCatalogueReader } from '#local/catalogue/catalogue-reader.ts'
import { openLotsReader } from '#local/catalogue/lots-store.ts'
import { scopeKey } from '#shared/domain/scope.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { count, seed } from '#support/counts.ts'
import { benchScope, DeskBench, eventually, logIn } from '#support/desk-bench.ts'
import { goodsBatch, goodsVariant, GoodsService } from '#support/goods-service.ts'
import { randomFrom } from '#support/random.ts'

const child = join(import.meta.dirname, '../support/catalogue-child.ts')

/** Runs a desk in a child process and kills it some time after it started to read. */
async function liveAndDie(
  dataDir: string,
  url: string,
  dieAfterMs: number,
  fullEveryMs: number,
): Promise<void> {
  const running = spawn(process.execPath, [child, dataDir, url, String(fullEveryMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(running, 'exit')
  for await (const line of createInterface({ input: running.stdout }))
    if (line === 'ready') setTimeout(() => running.kill('SIGKILL'), dieAfterMs)
  // A process that crashed or ended before the kill proves nothing.
  expect(await gone).toEqual([null, 'SIGKILL'])
}

it(
  'the catalogue equals the data of the service after the desk was killed at random moments of its reads',
  { timeout: 3_600_000 },
  async () => {
    const random = randomFrom(seed)
    const below = (most: number): number => Math.floor(random() * most)
    const bench = await DeskBench.create()
    const service = new GoodsService()
    const variants: Variant[] = Array.from({ length: 9_000 }, (_, n) => goodsVariant(n, { sku: `SKU-${n}` }))
    service.variants = variants
    service.batches = Array.from({ length: 4_000 }, (_, n) => goodsBatch(n, n % 500))
    service.largestLimit = 250
    await service.start()
    let next = 100_000
    const now = (): string => new Date().toISOString()
    /** Changes the data of the service, as the warehouse does while the desk is off. */
    const work = (): void => {
      for (let times = 0; times < 20; times++) {
        const at = below(variants.length)
        const known = variants[at]
        if (known) variants[at] = { ...known, name: `Renamed ${times}`, modified_at: now() }
      }
      const made = next++
      variants.push(goodsVariant(made, { created_at: now(), modified_at: now(), sku: `SKU-${made}` }))
      variants.splice(below(variants.length), 1)
      service.batches = service.batches.toSpliced(below(service.batches.length), 1)
      service.batches.push(goodsBatch(made, 7))
    }
    try {
      for (let life = 0; life < count(4, 120); life++) {
        // The first run of the desk and then every second run read all articles again. The other runs read all articles
        // only if no earlier run has completed such a read. Otherwise they read only the changed articles.
        const fullEveryMs = life % 2 === 0 ? 0 : 24 * 3600_000
        await liveAndDie(bench.dataDir, service.url, below(2_500), fullEveryMs)
        work()
      }
      const desk = await bench.open(() => service.url, { catalogue: { everyMs: 50, fullEveryMs: 0 } })
      await logIn(desk)
      const since = Date.now()
      await eventually(() => {
        const { articles, fullReadAt, lots } = desk.catalogue.overview()
        return articles.failure === null && lots.asOf !== null && Date.parse(fullReadAt ?? '') > since
      })
      await bench.close(desk)
      const paths = cataloguePaths(bench.dataDir, scopeKey(benchScope))
      const lost: unknown[] = []
      const reader = openCatalogueReader(paths.goods, (error) => lost.push(error))
      const lots = openLotsReader(paths.lots, (error) => lost.push(error))
      expect(reader.state().variants).toBe(variants.length)
      for (const row of variants) {
        expect(reader.variant(row.id)?.variant).toEqual(row)
        expect(reader.byCode(row.sku ?? '')).toHaveLength(1)
      }
      expect(reader.search('renamed', 20).variants).toHaveLength(20)
      // The exact number is not checked: a lot that was created after the last read of all lots is included only in the
      // next one.
      expect(lots.state().count).toBeGreaterThan(3_900)
      expect(lost).toEqual([])
      reader.close()
      lots.close()
    } finally {
      await bench.dispose()
      await service.stop()
    }
  },
)
