import type { Failure } from '#shared/errors/catalogue.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { ApiOutcome, ApiPort } from './ports/api.ts'
import type { Session } from './session.ts'

export type RecentLabels =
  | { readonly ok: true; readonly labels: readonly ReturnLabel[]; readonly serviceTime: number }
  | { readonly ok: false; readonly failure: Failure; readonly isRefused: boolean }

const pageLength = 100
/** How far behind a moment a label may be dated and still count: the service's own machines differ a little. */
const marginMs = 10 * 60_000

/**
 * The service's return labels dated ten minutes before `since` or later, each with its shipment. `since` null means
 * now, by the service's own Date header, so that a wrong clock here does not matter; `localTime` stands in where an
 * answer has no such header. Both in milliseconds since 1970.
 */
export async function listRecentLabels(
  api: ApiPort,
  session: Session,
  since: number | null,
  localTime: number,
): Promise<RecentLabels> {
  const labels = new Map<string, ReturnLabel>()
  let serviceTime: number | null = null
  for (let page = 1; ; page++) {
    const query = { page, limit: pageLength }
    const outcome = await session.withAccess((token) => api.listReturnLabels(token, query))
    if (outcome.kind !== 'answer')
      return { ok: false, failure: outcome.failure, isRefused: isRefusal(outcome) }
    serviceTime ??= outcome.serverDate ?? localTime
    const edge = (since ?? serviceTime) - marginMs
    const young = outcome.value.filter((label) => Date.parse(label.created_at) >= edge)
    for (const label of young) labels.set(label.id, label)
    const isLast = young.length < outcome.value.length || outcome.value.length < pageLength
    if (isLast) return { ok: true, labels: [...labels.values()], serviceTime }
  }
}

/** The shipment's labels that were not there before, oldest first. */
export function findNewLabels(
  labels: readonly ReturnLabel[],
  shipmentId: string,
  baseline: readonly string[],
): ReturnLabel[] {
  return labels
    .filter((label) => label.shipment?.id === shipmentId && !baseline.includes(label.id))
    .sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
}

/** Whether asking again is pointless: refused, and neither for a token nor for being too many. */
export function isRefusal(outcome: ApiOutcome<unknown>): boolean {
  return outcome.kind === 'refused' && outcome.status !== 401 && outcome.status !== 429
}
