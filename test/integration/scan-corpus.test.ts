import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import { openStore } from '#local/open-store.ts'
import type { ScanOutcome } from '#shared/bridge/scan-views.ts'
import { scopeKey } from '#shared/domain/scope.ts'
import { count, seed } from '#support/counts.ts'
import { benchScope, DeskBench } from '#support/desk-bench.ts'
import { makeScanCorpus } from '#support/scan-corpus.ts'

const corpus = makeScanCorpus(count(500, 10_000), seed)

let bench: DeskBench
let desk: Desk

/** Opens a desk that has stored all records of the corpus and has no service. */
beforeAll(async () => {
  bench = await DeskBench.create()
  const store = await openStore(bench.dataDir, scopeKey(benchScope), () => undefined)
  const asOf = Date.UTC(2026, 0, 2)
  await store.index.put(corpus.shipments, asOf, null)
  await store.labelIndex.put(corpus.labels, asOf, null)
  store.catalogue.keep(corpus.variants, asOf)
  await store.locations.import(corpus.locations, asOf)
  for (const [variantId, id] of corpus.lots) {
    const lot = { id, quantity: 1, expirationDate: null, inboundReference: null, receivedAt: null }
    await store.lots.keep(variantId, [lot], asOf)
  }
  store.close()
  desk = await bench.open(() => null)
}, 120_000)
afterAll(() => bench.dispose())

function subjectOf(outcome: ScanOutcome): string | null {
  switch (outcome.kind) {
    case 'shipment':
      return outcome.shipment.id
    case 'article':
      return outcome.variant.id
    case 'location':
      return outcome.location.id
    default:
      return null
  }
}

describe('the corpus of scanned codes', () => {
  it('contains at least a sixtieth of its codes from each of the 16 families of codes', () => {
    const families = new Map<string, number>()
    for (const { family } of corpus.codes) families.set(family, (families.get(family) ?? 0) + 1)
    expect(families.size).toBe(16)
    for (const [family, codes] of families) expect(codes, family).toBeGreaterThan(corpus.codes.length / 60)
  })

  it('leads to the expected outcome of the scan for each of its codes', { timeout: 900_000 }, async () => {
    for (const { family, raw, kind, subjectId, also } of corpus.codes) {
      const outcome = await desk.scan.submit({ raw, expect: 'anything' })
      const where = `${family}: ${JSON.stringify(raw)}`
      expect(outcome.kind, where).toBe(kind)
      expect(subjectOf(outcome), where).toBe(subjectId)
      expect(outcome, where).toMatchObject(also ?? {})
    }
  })
})
