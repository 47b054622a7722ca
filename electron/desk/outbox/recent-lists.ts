import type { ApiPort } from '../ports/api.ts'
import { listRecentLabels, type RecentLabels } from '../labels/recent-labels.ts'
import {
  listRecentModifications,
  type RecentModifications,
  type SentWindow,
} from '../modifications/recent-modifications.ts'
import type { Session } from '../service/session.ts'

/** What the service lists of late, for those who look for the effect of a write. */
export interface RecentLists {
  labels(since: number): Promise<RecentLabels>
  modifications(window: SentWindow): Promise<RecentModifications>
}

interface ListParts {
  readonly api: ApiPort
  readonly session: Session
  /** Milliseconds since 1970, by this machine. */
  readonly now: () => number
}

/** Reads anew for each who asks. */
export function recentLists({ api, session, now }: ListParts): RecentLists {
  return {
    labels: (since) => listRecentLabels(api, session, since, now()),
    modifications: (window) => listRecentModifications(api, session, window, now()),
  }
}

/** Reads each list once for all who ask, over a window that holds theirs. */
export function readOnce(lists: RecentLists, window: SentWindow): RecentLists {
  let labels: Promise<RecentLabels> | null = null
  let modifications: Promise<RecentModifications> | null = null
  return {
    labels: () => (labels ??= lists.labels(window.first)),
    modifications: () => (modifications ??= lists.modifications(window)),
  }
}
