import type { ClockPort } from '../ports/clock.ts'

const dayMs = 24 * 3600_000

/**
 * When an answer was given, by its own Date header; more than a day ahead of this PC it is not believed, since what is
 * kept of it ages from there and would never leave the PC.
 */
export function saidAt(
  { serverDate }: { readonly serverDate: number | null },
  clock: Pick<ClockPort, 'now'>,
): number {
  return Math.min(serverDate ?? clock.now(), clock.now() + dayMs)
}
