import { expect, it } from 'vitest'
import { ScanResolver, type ScanResolverParts } from '#desk/scans/scan-resolver.ts'
import type { ScanExpectation, ScanOutcome } from '#shared/bridge/scan-views.ts'

interface Asked {
  readonly articles: boolean
  readonly shipments: boolean
}

/**
 * Resolves a code that no record has. `asked`: whether the service responds to a search for an article and for a
 * shipment.
 */
async function resolved(
  expected: ScanExpectation,
  asked: Asked,
): Promise<{ outcome: ScanOutcome; asks: number }> {
  let asks = 0
  const parts = {
    shipments: {
      all: () => [],
      knownBySerial: () => null,
      ask: () => Promise.resolve({ kind: 'absent', askedService: asked.shipments }),
    },
    articles: {
      ask: () => {
        asks++
        return Promise.resolve({ found: null, askedService: asked.articles })
      },
    },
    locations: { learn: () => null, byCode: () => null, inText: () => null },
    modifications: { byReference: () => null },
    labels: { byCode: () => null },
    labelIndex: { byCode: () => null },
    catalogue: { byCode: () => [], state: () => ({ complete: false, asOf: null }) },
    indexView: () => ({ state: null, isWhole: true, gapSince: null }),
    hasUnreadable: () => false,
    commandSecret: () => null,
    refreshLabels: () => Promise.resolve(),
  }
  const resolver = new ScanResolver(parts as unknown as ScanResolverParts)
  const at = '2026-11-21T14:07:00.000Z'
  const scan = { scanId: 's', raw: 'KN-01', at, expect: expected, learns: true }
  const { outcome } = await resolver.resolve(scan)
  return { outcome, asks }
}

it.each([
  ['anything', { articles: true, shipments: true }, true],
  ['anything', { articles: false, shipments: true }, false],
  ['stock', { articles: true, shipments: true }, true],
  ['stock', { articles: false, shipments: true }, false],
  ['stock', { articles: true, shipments: false }, false],
] as const)(
  'the outcome of an unknown code, scanned where %s is expected while the service responds as in %o, has askedService %s after one search for an article',
  async (expected, asked, askedService) => {
    expect(await resolved(expected, asked)).toMatchObject({
      outcome: { kind: 'unknown', askedService },
      asks: 1,
    })
  },
)
