import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type {
  ArticleList,
  ExpiringList,
  LotsView,
  MethodList,
  StockView,
  VariantView,
} from '#shared/bridge/stock-views.ts'
import type { CatalogueOverview, CatalogueView } from '#shared/bridge/views.ts'
import { matchesSearch, searchParts } from '#shared/domain/article-search.ts'
import { daysUntil } from '#shared/domain/expiry.ts'
import { fail, ok } from '#shared/errors/result.ts'
import { ago, type MemoryCore, type MemoryWorld } from './memory-core.ts'

export function sampleVariants(nowMs: number): VariantView[] {
  const variant = (id: string, name: string, articleCode: string, ean: string | null): VariantView => ({
    id,
    name,
    articleCode,
    description: null,
    ean,
    sku: `SKU-${articleCode}`,
    expirable: true,
    usingSerialNumbers: false,
    asOf: ago(nowMs, 12),
  })
  return [
    variant('va-1', 'Oat bar hazelnut 12 pcs', 'BAR-HZ-12', '8712345678906'),
    variant('va-2', 'Isotonic drink lemon 500 ml', 'ISO-LE-500', '8712345678913'),
    variant('va-3', 'Linen shirt blue M', 'ART-12-BL-M', '8712345678920'),
  ]
}

/** Returns the day that is `days` after the local day of `nowMs`, in the format of the views. */
function day(nowMs: number, days: number): string {
  const date = new Date(nowMs)
  date.setDate(date.getDate() + days)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** Five lots: one expired, one that expires soon, two later, one without a date. */
export function sampleLots(nowMs: number): LotsView {
  return {
    variantId: 'va-1',
    lots: [
      {
        id: 'lo-1',
        quantity: 6,
        expirationDate: day(nowMs, -4),
        inboundReference: 'INB00000000031',
        receivedAt: ago(nowMs, 200 * 1440),
      },
      {
        id: 'lo-2',
        quantity: 24,
        expirationDate: day(nowMs, 11),
        inboundReference: 'INB00000000044',
        receivedAt: ago(nowMs, 120 * 1440),
      },
      {
        id: 'lo-3',
        quantity: 240,
        expirationDate: day(nowMs, 96),
        inboundReference: 'INB00000000078',
        receivedAt: ago(nowMs, 30 * 1440),
      },
      {
        id: 'lo-4',
        quantity: 1200,
        expirationDate: day(nowMs, 280),
        inboundReference: 'INB00000000091',
        receivedAt: ago(nowMs, 6 * 1440),
      },
      { id: 'lo-5', quantity: 3, expirationDate: null, inboundReference: null, receivedAt: null },
    ],
    more: false,
    asOf: ago(nowMs, 0),
    source: 'service',
  }
}

export function sampleStock(nowMs: number): StockView {
  return { variantId: 'va-1', salable: 1449, quarantine: 24, asOf: ago(nowMs, 0), source: 'service' }
}

export function sampleMethods(nowMs: number): MethodList {
  return {
    methods: [
      { id: 'sm-1', code: 'PNL-STD', description: 'Parcel Standard', shipper: 'PostNL' },
      { id: 'sm-2', code: 'PNL-MBX', description: 'Mailbox parcel', shipper: 'PostNL' },
      { id: 'sm-3', code: 'DHL-CON', description: 'Connect', shipper: 'DHL' },
      { id: 'sm-4', code: 'DHL-RET', description: 'Return Connect', shipper: 'DHL' },
      { id: 'sm-5', code: 'DPD-CLS', description: 'Classic', shipper: 'DPD' },
      {
        id: 'sm-6',
        code: 'UPS-STD-RTN',
        description: 'Standard Return with print at the shop',
        shipper: 'UPS',
      },
    ],
    asOf: ago(nowMs, 3),
  }
}

/** A catalogue that is up to date and of which no read is in progress. */
export function sampleCatalogue(nowMs: number): CatalogueView {
  return {
    state: 'ready',
    variants: 1840,
    shippingMethods: 12,
    locationTypes: 5,
    asOf: ago(nowMs, 3),
    progress: null,
    skipped: 0,
    failure: null,
  }
}

/**
 * The state of all stored lists except the articles, whose state is part of the status of the desk. In this sample
 * every list has been read, and no row was skipped.
 */
export function sampleKept(nowMs: number): Omit<CatalogueOverview, 'articles'> {
  return {
    fullReadAt: ago(nowMs, 9 * 60),
    fullReadFailure: null,
    pageRows: 250,
    lots: {
      state: 'ready',
      count: 5120,
      asOf: ago(nowMs, 42),
      everyHours: 6,
      nextAt: ago(nowMs, -318),
      rowsRead: null,
      failure: null,
    },
    methodsFailure: null,
    typesFailure: null,
    shipments: {
      state: 'ready',
      count: 400,
      asOf: ago(nowMs, 3),
      reachesBackTo: ago(nowMs, 90 * 1440),
      goesBackTo: ago(nowMs, 90 * 1440),
      gapSince: null,
      months: 3,
      mostDays: null,
      leftOut: 0,
      failure: null,
    },
    returnLabels: {
      state: 'ready',
      count: 12_310,
      asOf: ago(nowMs, 3),
      reachesBackTo: ago(nowMs, 183 * 1440),
      goesBackTo: ago(nowMs, 183 * 1440),
      gapSince: null,
      leftOut: 0,
      failure: null,
    },
    skippedRows: [],
  }
}

/** Maximum number of lots in the list of expiring lots that main returns. */
const longestExpiring = 200

export function articleMethods(desk: MemoryCore): ScandeskBridge['article'] {
  const { world } = desk
  return {
    lots: ({ variantId }) =>
      desk.call('article:lots', () => {
        const lots = world.lots[variantId]
        return lots ? ok(lots) : fail('article.lots_not_kept')
      }),
    stock: ({ variantId }) =>
      desk.call('article:stock', () => {
        const stock = world.stock[variantId]
        return stock ? ok(stock) : fail('article.stock_not_kept')
      }),
    search: ({ text, limit }) => desk.call('article:search', () => ok(search(world, text, limit))),
    expiring: ({ withinDays }) => desk.call('article:expiring', () => ok(expiring(world, withinDays))),
  }
}

function search({ variants, status }: MemoryWorld, text: string, limit: number): ArticleList {
  const parts = searchParts(text)
  const found = variants.filter((variant) => matchesSearch(variant, parts))
  const { state, asOf } = status.catalogue
  return {
    articles: found.slice(0, limit),
    more: found.length > limit,
    complete: state === 'ready',
    asOf,
  }
}

function expiring(world: MemoryWorld, withinDays: number): ExpiringList {
  const found = world.variants.flatMap(({ id, name, articleCode, ean }) => {
    const kept = world.lots[id]
    return (kept?.lots ?? []).flatMap((lot): ExpiringList['lots'] => {
      const day = lot.expirationDate
      if (kept === undefined || day === null || daysUntil(day, world.nowMs()) > withinDays) return []
      return [{ variant: { id, name, articleCode, ean }, lot, asOf: kept.asOf }]
    })
  })
  const dayOf = ({ lot }: ExpiringList['lots'][number]): string => lot.expirationDate ?? ''
  const soonest = found.toSorted((a, b) => dayOf(a).localeCompare(dayOf(b)))
  return {
    lots: soonest.slice(0, longestExpiring),
    more: soonest.length > longestExpiring,
    asOf: world.kept.lots.asOf,
  }
}

export function catalogueMethods(desk: MemoryCore): ScandeskBridge['catalogue'] {
  const { world } = desk
  const overview = (): CatalogueOverview => ({ ...world.kept, articles: world.status.catalogue })
  return {
    methods: () => desk.call('catalogue:methods', () => ok(world.methods)),
    sync: () => desk.call('catalogue:sync', () => ok(world.status.catalogue)),
    overview: () => desk.call('catalogue:overview', () => ok(overview())),
    keepLots: ({ everyHours }) =>
      desk.call('catalogue:keepLots', () => {
        world.kept = { ...world.kept, lots: { ...world.kept.lots, everyHours } }
        return ok(overview())
      }),
    keepShipments: ({ months }) =>
      desk.call('catalogue:keepShipments', () => {
        world.kept = { ...world.kept, shipments: { ...world.kept.shipments, months } }
        return ok(overview())
      }),
  }
}
