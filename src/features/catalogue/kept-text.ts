import { m } from '#messages/messages.js'
import type { CatalogueOverview } from '#shared/bridge/views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/** The service's lists, as its addresses call them. */
export type KeptList = 'variants' | 'batches' | 'shippingmethods' | 'locationtypes'

const names: Record<KeptList, () => string> = {
  variants: m.kept_articles,
  batches: m.kept_lots,
  shippingmethods: m.kept_methods,
  locationtypes: m.kept_types,
}

const isKept = (list: string): list is KeptList => Object.hasOwn(names, list)

/** What an operator calls a list of the service's. */
export function listName(list: string): string {
  return isKept(list) ? names[list]() : list
}

/** Rows of a list that could not be read: `some` where not all of them are known by name. */
export function leftOut(
  { articles, skippedRows }: Pick<CatalogueOverview, 'articles' | 'skippedRows'>,
  list: KeptList,
): number | 'some' {
  const count = skippedRows.filter((row) => row.list === list).length
  return count > 0 && articles.skipped > skippedRows.length ? 'some' : count
}

/** What becomes of a read that stopped. */
export function afterStop({ code }: Failure): string {
  return code === 'api.role_missing' ? m.kept_role_text() : m.catalogue_again_text()
}

type Reach = Pick<CatalogueOverview['shipments'], 'reachesBackTo' | 'goesBackTo'>

/** How much of the way back is behind a first read, from 0 to 1: by time, for nobody knows how many will come. */
export function reachedShare({ reachesBackTo, goesBackTo }: Reach, nowMs: number): number {
  if (reachesBackTo === null) return 0
  const wayMs = nowMs - Date.parse(goesBackTo)
  const goneMs = nowMs - Date.parse(reachesBackTo)
  return wayMs <= 0 ? 1 : Math.min(1, Math.max(0, goneMs / wayMs))
}
