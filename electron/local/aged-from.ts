import type { Instant } from '#shared/domain/instants.ts'
const dayMs = 24 * 3600_000

/**
 * The creation time of a service's record, for its age. A date far ahead of the time when this PC first received the
 * record would keep it here for ever. A date may be a day ahead, because clocks differ and the order by age should not
 * suffer.
 */
export function agedFrom(createdAt: Instant, hadAt: Instant): Instant {
  return Math.min(createdAt, hadAt + dayMs)
}
