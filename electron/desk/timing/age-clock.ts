import type { Instant } from '#shared/domain/instants.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { AgeState, AgeStore } from '../ports/store.ts'

const dayMs = 24 * 3600_000
/**
 * A period in milliseconds with two uses. The PC clock is doubted if it is more than this period ahead of the latest
 * moment that `ageAt` has returned. A doubted PC clock is trusted again after it has advanced by this period.
 */
const patienceMs = 7 * dayMs
/**
 * Maximum time that counts as passed between two reads of the clock, because a jump of the clock does not mean that
 * time has passed.
 */
const longestPauseMs = 3 * dayMs

interface Age {
  /** The current moment for the age of records; null: no record counts as old yet. */
  readonly at: Instant | null
  readonly state: AgeState
}

/**
 * Returns the current moment for the age of records: the time of this PC, unless the PC clock is doubted. It is doubted
 * in two cases:
 *
 * - It is more than a day ahead of the service. With a clock that is ahead, all finished records would seem old and
 *   would be purged. The result is then the service's time.
 * - It is more than a week past the latest moment that was returned before. If the service confirms this time, either
 *   the PC was off, or its clock was behind until now and the newest records have times that are too early. Such
 *   records must not be purged as soon as the clock is right, so the result is null. Without a plausible time of the
 *   service, the result is that latest moment.
 *
 * A PC clock that has advanced for a week while it was doubted is trusted again. Otherwise no record would ever be
 * purged if the dates of the service are missing or in the past.
 */
export function ageAt(known: AgeState, pcNow: number, serviceNow: number | null): Age {
  const { doubt } = known
  // a new desk doubts its clock until the first response of the service, and has no latest moment until then. Then the
  // earlier of two times counts as the latest moment, because the desk's records may have this time: the time that the
  // clock showed when it was last read, or the service's time
  const reached = known.reached ?? (doubt && serviceNow !== null ? Math.min(doubt.at, serviceNow) : null)
  // a service time more than a day before the latest returned moment is not plausible
  const serviceTime = serviceNow !== null && serviceNow >= (reached ?? -Infinity) - dayMs ? serviceNow : null
  const latest = (reached ?? (serviceTime === null ? -Infinity : Infinity)) + patienceMs
  if (pcNow <= Math.min(latest, (serviceTime ?? Infinity) + dayMs)) {
    const at = Math.min(pcNow, serviceTime ?? pcNow)
    return { at, state: { reached: Math.max(at, reached ?? at), doubt: null } }
  }
  const sinceMs = doubt ? Math.min(Math.max(pcNow - doubt.at, 0), longestPauseMs) : 0
  const passedMs = (doubt?.passedMs ?? 0) + sinceMs
  if (passedMs >= patienceMs) return { at: pcNow, state: { reached: pcNow, doubt: null } }
  const still = { at: pcNow, passedMs }
  if (serviceTime !== null && serviceTime > latest) return { at: null, state: { reached, doubt: still } }
  const at = serviceTime === null ? reached : Math.max(serviceTime, reached ?? serviceTime)
  return { at, state: { reached: at, doubt: still } }
}

interface AgeClockParts {
  readonly store: AgeStore
  readonly clock: Pick<ClockPort, 'now'>
  /** Returns the current time of the service, or null (see Line). */
  readonly serviceTime: () => Instant | null
}

/** Keeps the state of `ageAt` in the store, so that the state survives restarts. */
export class AgeClock {
  readonly #parts: AgeClockParts

  constructor(parts: AgeClockParts) {
    this.#parts = parts
  }

  /** Whether the last call of `advance` found that this PC's clock is doubtful. */
  get isInDoubt(): boolean {
    return this.#parts.store.read().doubt !== null
  }

  /** Returns the current moment for the age of records (see Age). */
  now(): Instant | null {
    return this.#look().at
  }

  /**
   * Returns the same as `now`, and stores how long this PC's clock has been doubtful. A doubtful clock is trusted again
   * after a week (`patienceMs`). Of the time since this method was last called, at most `longestPauseMs` counts towards
   * this week.
   */
  advance(): number | null {
    const { at, state } = this.#look()
    this.#parts.store.write(state)
    return at
  }

  #look(): Age {
    const { store, clock, serviceTime } = this.#parts
    return ageAt(store.read(), clock.now(), serviceTime())
  }
}
