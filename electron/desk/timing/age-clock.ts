import type { Instant } from '#shared/domain/instants.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { AgeState, AgeStore } from '../ports/store.ts'

const dayMs = 24 * 3600_000
/**
 * How long a doubtful PC clock must advance before it is trusted against the service, and how far the PC clock may
 * advance without a service time.
 */
const patienceMs = 7 * dayMs
/** At most this time counts as passed between two looks at the clock, because a clock that jumps has not advanced. */
const longestPauseMs = 3 * dayMs

interface Age {
  /** The moment to which the age of records is counted; null: nothing is old yet. */
  readonly at: Instant | null
  readonly state: AgeState
}

/**
 * Returns the moment to which the age of records is counted: the time of this PC, unless the PC clock seems to be
 * ahead. A clock that is ahead would make every finished record look old, and they would be purged. The clock seems to
 * be ahead if it is more than a day ahead of the service. It also seems so if the service gives no plausible time and
 * the clock is more than a week past the latest moment reached. In both cases the age is counted to the service's time
 * or to the latest moment reached. A clock that keeps advancing for a week is trusted nevertheless: otherwise a service
 * whose dates are in the past, or missing, would keep every record here for ever.
 */
export function ageAt(known: AgeState, pcNow: number, serviceNow: number | null): Age {
  const { reached, doubt } = known
  // the latest moment reached is past, so a service time more than a day before it is not plausible
  const serviceTime = serviceNow !== null && serviceNow >= (reached ?? -Infinity) - dayMs ? serviceNow : null
  const believable = serviceTime === null ? (reached ?? -Infinity) + patienceMs : serviceTime + dayMs
  if (pcNow <= believable) {
    const at = Math.min(pcNow, serviceTime ?? pcNow)
    return { at, state: { reached: Math.max(at, reached ?? at), doubt: null } }
  }
  const sinceMs = doubt ? Math.min(Math.max(pcNow - doubt.at, 0), longestPauseMs) : 0
  const passedMs = (doubt?.passedMs ?? 0) + sinceMs
  if (passedMs >= patienceMs) return { at: pcNow, state: { reached: pcNow, doubt: null } }
  const at =
    serviceTime === null || reached === null ? (serviceTime ?? reached) : Math.max(serviceTime, reached)
  return { at, state: { reached: at, doubt: { at: pcNow, passedMs } } }
}

interface AgeClockParts {
  readonly store: AgeStore
  readonly clock: Pick<ClockPort, 'now'>
  /** Returns the current time of the service, or null (see Line). */
  readonly serviceTime: () => Instant | null
}

/** Keeps the state of `ageAt` over restarts. */
export class AgeClock {
  readonly #parts: AgeClockParts

  constructor(parts: AgeClockParts) {
    this.#parts = parts
  }

  /** Whether this PC's clock is not trusted yet, as found by the last `advance`. */
  get isInDoubt(): boolean {
    return this.#parts.store.read().doubt !== null
  }

  /** Returns the moment to which the age of records is counted (see Age). */
  now(): Instant | null {
    return this.#look().at
  }

  /**
   * Returns the moment to which ages are counted, like `now`, and stores the state. A doubtful clock becomes trusted
   * only through stored moments.
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
