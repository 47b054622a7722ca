const dayMs = 24 * 3600_000

/**
 * When a record of the service was made, for its age: a date ahead of the moment when this PC first had it would keep it
 * here for ever. A day is left, since clocks differ and the order by age should not suffer from that.
 */
export function agedFrom(createdAt: number, hadAt: number): number {
  return Math.min(createdAt, hadAt + dayMs)
}
