import { m } from '#messages/messages.js'
import { failureText } from '#place/failure-text.ts'
import type { CatalogueOverview, KeptIndex } from '#shared/bridge/views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/** The lists of the service of which the desk keeps a copy, by their names in the URLs of the service. */
export type KeptList =
  'variants' | 'batches' | 'shippingmethods' | 'locationtypes' | 'shipments' | 'return-labels'

const names: Record<KeptList, () => string> = {
  variants: m.kept_articles,
  batches: m.kept_lots,
  shippingmethods: m.kept_methods,
  locationtypes: m.kept_types,
  shipments: m.kept_shipments,
  'return-labels': m.labels_title,
}

const isKept = (list: string): list is KeptList => Object.hasOwn(names, list)

/**
 * Returns the name that operators use for a list of the service, or `list` unchanged if the desk keeps no copy of it.
 */
export function listName(list: string): string {
  return isKept(list) ? names[list]() : list
}

/**
 * Whether a skipped row belongs to the list of shipments or of return labels. The catalogue's own number of skipped
 * rows does not include these rows.
 */
function isIndex({ list }: CatalogueOverview['skippedRows'][number]): boolean {
  return list === 'shipments' || list === 'return-labels'
}

/** Maximum number of shipments and of return labels in `skippedRows`. */
const mostOfIndex = 100

interface SkippedCounts {
  readonly articles: Pick<CatalogueOverview['articles'], 'skipped'>
  readonly shipments: Pick<KeptIndex, 'leftOut'>
  readonly returnLabels: Pick<KeptIndex, 'leftOut'>
}

/**
 * Returns the number of all skipped rows; `skippedRows` contains only the newest ones. Returns `some` if the number of
 * unreadable shipments or return labels is unknown, because some are not listed or several may be listed as one.
 */
export function skippedTotal({ articles, shipments, returnLabels }: SkippedCounts): number | 'some' {
  if (shipments.leftOut === 'some' || returnLabels.leftOut === 'some') return 'some'
  return articles.skipped + shipments.leftOut + returnLabels.leftOut
}

/** Whether `skippedRows` may lack rows, because it contains only the newest ones of each kind. */
export function isCut({
  articles,
  skippedRows,
}: Pick<CatalogueOverview, 'articles' | 'skippedRows'>): boolean {
  const ofIndexes = skippedRows.filter(isIndex)
  if (articles.skipped > skippedRows.length - ofIndexes.length) return true
  return ['shipments', 'return-labels'].some(
    (name) => ofIndexes.filter(({ list }) => list === name).length >= mostOfIndex,
  )
}

/**
 * Returns the number of unreadable rows of a list of the catalogue. Returns `some` if the list has such rows, but their
 * number is unknown because the overview does not contain all unreadable rows.
 */
export function leftOut(
  { articles, skippedRows }: Pick<CatalogueOverview, 'articles' | 'skippedRows'>,
  list: KeptList,
): number | 'some' {
  const count = skippedRows.filter((row) => row.list === list).length
  const listed = skippedRows.filter((row) => !isIndex(row)).length
  return count > 0 && articles.skipped > listed ? 'some' : count
}

/** Returns a text which says how a stopped read continues. */
export function afterStop(failure: Failure): string {
  const { code } = failure
  if (code === 'session.expired' || code === 'session.signed_out') return failureText(failure).next
  return code === 'api.role_missing' ? m.kept_role_text() : m.catalogue_again_text()
}

type Reach = Pick<KeptIndex, 'reachesBackTo' | 'goesBackTo'>

/**
 * Returns the progress of the first read of shipments or return labels, from 0 to 1: the part of the requested period
 * that was read. The number of rows cannot be used, because it is unknown.
 */
export function reachedShare({ reachesBackTo, goesBackTo }: Reach, nowMs: number): number {
  if (reachesBackTo === null) return 0
  const wholeMs = nowMs - Date.parse(goesBackTo)
  const passedMs = nowMs - Date.parse(reachesBackTo)
  return wholeMs <= 0 ? 1 : Math.min(1, Math.max(0, passedMs / wholeMs))
}
