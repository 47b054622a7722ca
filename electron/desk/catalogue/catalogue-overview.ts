import type { CatalogueOverview, CatalogueView } from '#shared/bridge/views.ts'
import { isoTime } from '../timing/iso-time.ts'
import { toFailureView } from '../failure-view.ts'
import type { LotsPeriod } from './lots-period.ts'
import type { CatalogueDetails, LotsNews } from '../ports/catalogue-store.ts'

/** What the sync thread keeps of the service, each part with its age, and when the next pass over all lots comes. */
export function toOverview(
  articles: CatalogueView,
  { fullReadAt, pageRows, lots, skippedRows }: CatalogueDetails,
  news: LotsNews,
  period: LotsPeriod,
): Omit<CatalogueOverview, 'shipments'> {
  return {
    articles,
    fullReadAt: timeOrNull(fullReadAt),
    pageRows,
    lots: {
      state: news.rows !== null ? 'reading' : lots.asOf === null ? 'empty' : 'ready',
      count: lots.count,
      asOf: timeOrNull(lots.asOf),
      everyHours: period.hours(),
      nextAt: lots.asOf === null ? null : isoTime(lots.asOf + period.ms()),
      rowsRead: news.rows,
      failure: toFailureView(news.failure),
    },
    skippedRows: skippedRows.map((row) => ({ ...row, seenAt: isoTime(row.seenAt) })),
  }
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms)
}
