import type { FailureView } from '#shared/bridge/view-parts.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { nearestMoment } from '#shared/wire/primitives.ts'

/** Formats milliseconds since 1970 as ISO 8601 in UTC with a year of four digits, for the views of the window. */
export function isoTime(ms: Instant): string {
  return new Date(nearestMoment(ms)).toISOString()
}

/** Converts a failure for the window, which has a text for each code. */
export function toFailureView(failure: Failure | null): FailureView | null {
  return failure && { code: failure.code, params: { ...failure.params } }
}

/**
 * Number of views that all desks have created since the program started. One counter for all desks, because the window
 * stays open when it changes to another desk.
 */
let views = 0

/** Returns the number for a new view. Of two views of the same subject, the one with the higher number is newer. */
export function nextViewNumber(): number {
  return ++views
}
