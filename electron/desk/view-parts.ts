import type { FailureView } from '#shared/bridge/view-parts.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { nearestMoment } from '#shared/wire/primitives.ts'

/** Formats milliseconds since 1970 as ISO 8601 in UTC with a year of four digits, the format of times in the views. */
export function isoTime(ms: Instant): string {
  return new Date(nearestMoment(ms)).toISOString()
}

/** Converts a failure for the window, which has the texts for its code. */
export function toFailureView(failure: Failure | null): FailureView | null {
  return failure && { code: failure.code, params: { ...failure.params } }
}

/** Number of views created since the program started, by any desk, because a window may outlive a desk. */
let views = 0

/**
 * Returns the number for a new view. Of two views of the same subject, the view with the higher number is the later.
 */
export function nextViewNumber(): number {
  return ++views
}
