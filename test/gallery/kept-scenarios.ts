import { m } from '#messages/messages.js'
import type { LotsView, VariantView } from '#shared/bridge/stock-views.ts'
import type { StorageView } from '#shared/bridge/storage-views.ts'
import type { CatalogueOverview, CatalogueView } from '#shared/bridge/views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { wireRole } from '#shared/wire/roles.ts'
import { sampleCatalogue, sampleKept, sampleLots, sampleVariants } from '#support/memory-desk/catalogue.ts'
import { ago, type MemoryWorld } from '#support/memory-desk/memory-core.ts'
import { sampleStatus, sampleStorage, signedIn } from '#support/memory-desk/station.ts'
import { type Scenario, type Step, world } from './scenario.ts'

/** Screens with data that this computer stores: the search, expiring lots, the catalogue and the storage. */

const goods = [
  ['Linen shirt blue', 'ART-12-BL'],
  ['Linen trousers sand', 'ART-14-SA'],
  ['Crème brûlée mix limited edition', 'MIX-CB-LIM'],
  ['Isotonic drink lime 500 ml', 'ISO-LI-500'],
  ['Wool sock grey 40-42', 'SOCK-GR-40'],
  [
    'Waterdichte drielaagse hardshell-jas met afneembare sneeuwvanger, limoengroen',
    'HARDSHELL-LIMOENGROEN-XXL-2026',
  ],
] as const

function manyVariants(nowMs: number, count: number): VariantView[] {
  return Array.from({ length: count }, (_, i) => {
    const [name, code] = goods[i % goods.length] ?? goods[0]
    return {
      id: `va-m${String(i)}`,
      name: i < goods.length ? name : `${name} ${String(i)}`,
      articleCode: `${code}-${String(i)}`,
      description: null,
      ean: i % 5 === 4 ? null : `87123456${String(78_000 + i)}`,
      sku: i % 3 === 1 ? null : `SKU-${code}`,
      expirable: true,
      usingSerialNumbers: false,
      asOf: ago(nowMs, 3 + i * 47),
    }
  })
}

function articles(nowMs: number, count: number, change: Partial<MemoryWorld> = {}): MemoryWorld {
  return world(nowMs, { variants: manyVariants(nowMs, count), ...change })
}

function withCatalogue(nowMs: number, catalogue: Partial<CatalogueView>): Partial<MemoryWorld> {
  return { status: { ...sampleStatus(nowMs), catalogue: { ...sampleCatalogue(nowMs), ...catalogue } } }
}

const filling: Partial<CatalogueView> = {
  state: 'filling',
  variants: 0,
  asOf: null,
  progress: { rows: 12_400, expected: 48_200, rowsPerSecond: 310, secondsLeft: 116 },
}

const openSearch: Step = { scan: 'SDCMDSEARCH' }
const type = (text: string): Step => ({ type: { into: m.search_field, text } })

const search: readonly Scenario[] = [
  { name: 'search-empty', world: (now) => articles(now, 12), steps: [openSearch], sizes: 'both' },
  { name: 'search', world: (now) => articles(now, 12), steps: [openSearch, type('li')], sizes: 'both' },
  { name: 'search-one', world: (now) => articles(now, 12), steps: [openSearch, type('brulee cre')] },
  { name: 'search-code', world: (now) => articles(now, 12), steps: [openSearch, type('8712 3456 7800')] },
  { name: 'search-more', world: (now) => articles(now, 400), steps: [openSearch, type('l')] },
  { name: 'search-nothing', world: (now) => articles(now, 12), steps: [openSearch, type('parasol')] },
  {
    name: 'search-part',
    world: (now) => articles(now, 6, withCatalogue(now, { ...filling, variants: 12_400, asOf: ago(now, 1) })),
    steps: [openSearch, type('li')],
  },
  {
    name: 'search-part-nothing',
    world: (now) => articles(now, 0, withCatalogue(now, filling)),
    steps: [openSearch, type('parasol')],
  },
  {
    name: 'search-none-kept',
    world: (now) => articles(now, 0, withCatalogue(now, { ...filling, state: 'empty', progress: null })),
    steps: [openSearch],
  },
  {
    name: 'search-failed',
    world: (now) => articles(now, 12, { failures: { 'article:search': failure('store.unavailable') } }),
    steps: [openSearch, type('li')],
  },
  {
    name: 'search-opened',
    world: (now) => ({
      ...articles(now, 12),
      lots: { 'va-m0': { ...sampleLots(now), variantId: 'va-m0' } },
    }),
    steps: [openSearch, type('linen shirt'), { click: '[role=option]' }],
  },
  {
    name: 'home-words',
    world: (now) => articles(now, 12),
    steps: [{ type: { into: m.home_type_any, text: 'linen' } }, { click: 'form button[type=submit]' }],
  },
]

function lots(nowMs: number, minutes: number, variantId: string): LotsView {
  const sample = sampleLots(nowMs)
  return {
    ...sample,
    variantId,
    asOf: ago(nowMs, minutes),
    lots: sample.lots.map((lot) => ({ ...lot, id: `${variantId}-${lot.id}` })),
  }
}

function expiring(nowMs: number, change: Partial<MemoryWorld> = {}): MemoryWorld {
  const variants = sampleVariants(nowMs)
  return world(nowMs, {
    variants,
    lots: Object.fromEntries(variants.map(({ id }, i) => [id, lots(nowMs, 42 + i * 60, id)])),
    ...change,
  })
}

function manyLots(nowMs: number): MemoryWorld {
  const variants = manyVariants(nowMs, 140)
  const all = variants.map(({ id }, i) => [id, lots(nowMs, 42 + i, id)] as const)
  return world(nowMs, { variants, lots: Object.fromEntries(all) })
}

const neverPassed = (nowMs: number): Omit<CatalogueOverview, 'articles'> => {
  const kept = sampleKept(nowMs)
  return {
    ...kept,
    lots: { ...kept.lots, state: 'reading', count: 1750, asOf: null, nextAt: null, rowsRead: 1750 },
  }
}

const openExpiring: Step = { scan: 'SDCMDEXPIRING' }
const reader = { ...signedIn, username: 'kijker', roles: [wireRole('ARTICLES_READ')] }

const soon: readonly Scenario[] = [
  { name: 'expiring', world: expiring, steps: [openExpiring], sizes: 'both' },
  {
    name: 'expiring-many',
    world: manyLots,
    steps: [openExpiring, { click: 'main [aria-pressed]:last-child' }],
  },
  {
    name: 'expiring-never',
    world: (now) => expiring(now, { kept: neverPassed(now) }),
    steps: [openExpiring],
  },
  { name: 'expiring-none', world: (now) => expiring(now, { lots: {} }), steps: [openExpiring] },
  {
    name: 'expiring-none-known',
    world: (now) => expiring(now, { lots: {}, kept: neverPassed(now) }),
    steps: [openExpiring],
  },
  { name: 'expiring-no-role', world: (now) => expiring(now, { session: reader }), steps: [openExpiring] },
  {
    name: 'expiring-failed',
    world: (now) => expiring(now, { failures: { 'article:expiring': failure('store.unavailable') } }),
    steps: [openExpiring],
  },
]

const openKept: Step = { click: '[data-catalogue] button' }

function skippedRows(nowMs: number, count: number): CatalogueOverview['skippedRows'] {
  const rows = [
    ['variants', '0f9d1c62-8a3d-4f55-9c1e-0d5f1f3a7b01', 'ean: not a text'],
    ['variants', null, 'id: missing'],
    ['batches', '0f9d1c62-8a3d-4f55-9c1e-0d5f1f3a7b07', 'expiration_date: not a day of the calendar'],
  ] as const
  return Array.from({ length: count }, (_, i) => {
    const [list, id, problem] = rows[i % rows.length] ?? rows[0]
    return { list, id, problem, seenAt: ago(nowMs, 12 + i * 200) }
  })
}

const kept: readonly Scenario[] = [
  { name: 'kept', world: (now) => world(now), steps: [openKept], sizes: 'both' },
  {
    name: 'kept-filling',
    narrow: true,
    world: (now) =>
      world(now, {
        ...withCatalogue(now, filling),
        kept: { ...neverPassed(now), fullReadAt: null, pageRows: null },
        methods: { methods: [], asOf: null },
        locationTypes: { types: [], asOf: null },
      }),
    steps: [openKept],
    sizes: 'both',
  },
  {
    name: 'kept-reading',
    world: (now) =>
      world(now, {
        ...withCatalogue(now, {
          progress: { rows: 310, expected: null, rowsPerSecond: 155, secondsLeft: null },
        }),
        kept: { ...sampleKept(now), lots: { ...sampleKept(now).lots, state: 'reading', rowsRead: 2250 } },
      }),
    steps: [openKept],
  },
  {
    name: 'kept-stopped',
    world: (now) =>
      world(now, {
        ...withCatalogue(now, { asOf: ago(now, 95), failure: failure('network.interrupted') }),
        kept: {
          ...sampleKept(now),
          lots: {
            ...sampleKept(now).lots,
            asOf: ago(now, 900),
            failure: failure('api.role_missing', { role: 'BATCH_READ' }),
          },
          shipments: {
            ...sampleKept(now).shipments,
            asOf: ago(now, 900),
            failure: failure('api.role_missing', { role: 'SHIPMENTS_READ' }),
          },
          returnLabels: {
            ...sampleKept(now).returnLabels,
            state: 'reading',
            asOf: ago(now, 95),
            gapSince: ago(now, 95),
            failure: failure('network.interrupted'),
          },
        },
      }),
    steps: [openKept],
  },
  {
    name: 'kept-parts-failed',
    world: (now) =>
      world(now, {
        kept: {
          ...sampleKept(now),
          fullReadAt: ago(now, 73 * 60),
          fullReadFailure: failure('api.unavailable', { status: 500 }),
          methodsFailure: failure('api.role_missing', { role: 'SHIPPING_METHODS_READ' }),
          typesFailure: failure('network.timeout'),
        },
      }),
    steps: [openKept],
    sizes: 'both',
  },
  {
    name: 'kept-skipped',
    world: (now) =>
      world(now, {
        ...withCatalogue(now, { skipped: 7 }),
        kept: {
          ...sampleKept(now),
          skippedRows: skippedRows(now, 7),
          returnLabels: { ...sampleKept(now).returnLabels, leftOut: 'some' },
        },
      }),
    steps: [openKept],
    sizes: 'both',
  },
  {
    name: 'kept-shipments',
    world: (now) =>
      world(now, {
        kept: {
          ...sampleKept(now),
          shipments: {
            ...sampleKept(now).shipments,
            state: 'filling',
            count: 48_200,
            goesBackTo: ago(now, 365 * 1440),
            months: 24,
            mostDays: 365,
          },
        },
      }),
    steps: [openKept],
    sizes: 'both',
  },
  {
    name: 'kept-shipments-gap',
    world: (now) => {
      const { shipments, ...others } = sampleKept(now)
      const gap = { state: 'reading', gapSince: ago(now, 14 * 1440) } as const
      return world(now, { kept: { ...others, shipments: { ...shipments, ...gap } } })
    },
    steps: [openKept],
    sizes: 'both',
  },
  {
    name: 'kept-failed',
    world: (now) => world(now, { failures: { 'catalogue:keepShipments': failure('store.full') } }),
    steps: [openKept, { click: '[data-kept] [aria-pressed=false]' }],
  },
]

const recovered = (
  nowMs: number,
  change: Partial<NonNullable<StorageView['recovery']>> = {},
): StorageView => ({
  ...sampleStorage(nowMs),
  recovery: {
    at: ago(nowMs, 4),
    backupAt: ago(nowMs, 38),
    replayed: 214,
    putAside: '/home/desk/.config/scandesk/put-aside/desk-2026-11-21T130312.damaged.db',
    wholeSince: null,
    ...change,
  },
})

const openStorage: readonly Step[] = [openKept, { click: 'main [aria-pressed=false]' }]

const storage: readonly Scenario[] = [
  { name: 'storage', world: (now) => world(now), steps: openStorage, sizes: 'both' },
  {
    name: 'storage-none',
    world: (now) =>
      world(now, {
        storage: { ...sampleStorage(now), backups: [], documents: 0, documentBytes: 0, journalBytes: 512 },
      }),
    steps: openStorage,
  },
  {
    name: 'storage-shorter',
    world: (now) => world(now),
    steps: [...openStorage, { type: { into: m.storage_keep_days, text: '14' } }],
  },
  {
    name: 'storage-wrong',
    world: (now) => world(now),
    steps: [...openStorage, { type: { into: m.storage_keep_days, text: '5' } }],
  },
  {
    name: 'storage-failed',
    world: (now) => world(now, { failures: { 'storage:backUp': failure('store.full') } }),
    steps: [...openStorage, { click: '[data-backups] button' }],
  },
  {
    name: 'storage-restored',
    narrow: true,
    world: (now) => world(now, { storage: recovered(now) }),
    steps: openStorage,
    sizes: 'both',
  },
  {
    name: 'storage-restored-part',
    world: (now) =>
      world(now, { storage: recovered(now, { backupAt: null, replayed: 1, wholeSince: ago(now, 3000) }) }),
    steps: openStorage,
  },
  {
    name: 'restored',
    world: (now) => world(now, { storage: recovered(now) }),
    steps: [{ scan: 'SHP00000000412' }],
    sizes: 'both',
  },
]

const bannered: readonly Scenario[] = [
  {
    name: 'restored-home',
    world: (now) => world(now, { storage: recovered(now) }),
    steps: [],
    sizes: 'both',
    narrow: true,
  },
  {
    name: 'restored-search',
    world: (now) => articles(now, 12, { storage: recovered(now) }),
    steps: [openSearch, type('li')],
  },
  {
    name: 'restored-kept',
    world: (now) => world(now, { storage: recovered(now, { wholeSince: ago(now, 40) }) }),
    steps: [openKept],
  },
  {
    name: 'banner-not-backed-up',
    world: (now) => world(now, { status: { ...sampleStatus(now), backup: failure('backup.low_disk') } }),
    steps: [],
    sizes: 'both',
  },
  {
    name: 'banner-old-labels-kept',
    world: (now) => world(now, { status: { ...sampleStatus(now), backup: failure('purge.files_kept') } }),
    steps: [],
    sizes: 'both',
  },
]

export const keptScenarios: readonly Scenario[] = [...search, ...soon, ...kept, ...storage, ...bannered]
