import type { CatalogueOverview } from '#shared/bridge/views.ts'

type Reach = Pick<CatalogueOverview['shipments'], 'reachesBackTo' | 'goesBackTo'>

/** How much of the way back is behind a first read, from 0 to 1: by time, for nobody knows how many will come. */
export function reachedShare({ reachesBackTo, goesBackTo }: Reach, nowMs: number): number {
  if (reachesBackTo === null) return 0
  const wayMs = nowMs - Date.parse(goesBackTo)
  const goneMs = nowMs - Date.parse(reachesBackTo)
  return wayMs <= 0 ? 1 : Math.min(1, Math.max(0, goneMs / wayMs))
}
