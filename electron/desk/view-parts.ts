import type { FailureView } from '#shared/bridge/view-parts.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { nearestMoment } from '#shared/wire/primitives.ts'

/** Milliseconds since 1970 as the views carry times: ISO 8601 in UTC, of four digits a year. */
export function isoTime(ms: number): string {
  return new Date(nearestMoment(ms)).toISOString()
}

/** A failure as it goes to the window, which has the words for it. */
export function toFailureView(failure: Failure | null): FailureView | null {
  return failure && { code: failure.code, params: { ...failure.params } }
}

/** Views made since the program started, by any desk: a window may outlive one. */
let views = 0

/** The number of one more view: of two views of the same thing the one with the higher number is the later. */
export function nextViewNumber(): number {
  return ++views
}
