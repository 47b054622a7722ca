import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ArticleList, ExpiringList } from '#shared/bridge/stock-views.ts'
import type { CatalogueOverview } from '#shared/bridge/views.ts'
import { matchesSearch, searchParts } from '#shared/domain/article-search.ts'
import { daysUntil } from '#shared/domain/expiry.ts'
import { fail, ok } from '#shared/errors/result.ts'
import type { MemoryCore } from './memory-core.ts'
import type { MemoryWorld } from './memory-world.ts'
import { ago } from './sample-views.ts'

/** As many as main gives at once. */
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

export function storageMethods(desk: MemoryCore): ScandeskBridge['storage'] {
  const { world } = desk
  return {
    state: () => desk.call('storage:state', () => ok(world.storage)),
    backUp: () =>
      desk.call('storage:backUp', () => {
        const at = ago(world.nowMs(), 0)
        const backup = { name: `desk-${at.replaceAll(/[:.]/g, '')}.db`, at, bytes: 1_240_000 }
        return ok((world.storage = { ...world.storage, backups: [backup, ...world.storage.backups] }))
      }),
    keep: ({ days }) =>
      desk.call('storage:keep', () => ok((world.storage = { ...world.storage, keepDays: days }))),
    recoveryRead: () =>
      desk.call('storage:recoveryRead', () => ok((world.storage = { ...world.storage, recovery: null }))),
  }
}
