import type { ClockPort } from '../ports/clock.ts'
import type { AgeState, AgeStore } from '../ports/store.ts'

const dayMs = 24 * 3600_000
/** How long a clock has to go on before it is believed against the service, and how far it may run on without it. */
const patienceMs = 7 * dayMs
/** Between two looks at the clock no more than this counts as passed: a clock that jumps has not gone on. */
const longestPauseMs = 3 * dayMs

interface Age {
  /** Records are as old as they are at this moment; null: nothing is old yet. */
  readonly at: number | null
  readonly state: AgeState
}

/**
 * The moment that the age of records is counted to: this PC's clock, unless it seems to be ahead, since then everything
 * finished would look old and go. It seems so where it is more than a day ahead of the service, or where the service says
 * no time that can be true and the clock is more than a week past the latest moment reached. Then records are as old as the
 * service says, or as they were before. A clock that goes on like that for a week is believed all the same: otherwise a
 * service that dates its answers in the past, or not at all, would keep every record here for ever.
 */
export function ageAt(known: AgeState, pcNow: number, serviceNow: number | null): Age {
  const { reached, doubt } = known
  // what was reached is past: a service that is still before it says no time
  const said = serviceNow !== null && serviceNow >= (reached ?? -Infinity) - dayMs ? serviceNow : null
  const believable = said === null ? (reached ?? -Infinity) + patienceMs : said + dayMs
  if (pcNow <= believable) {
    const at = Math.min(pcNow, said ?? pcNow)
    return { at, state: { reached: Math.max(at, reached ?? at), doubt: null } }
  }
  const sinceMs = doubt ? Math.min(Math.max(pcNow - doubt.at, 0), longestPauseMs) : 0
  const passedMs = (doubt?.passedMs ?? 0) + sinceMs
  if (passedMs >= patienceMs) return { at: pcNow, state: { reached: pcNow, doubt: null } }
  const at = said === null || reached === null ? (said ?? reached) : Math.max(said, reached)
  return { at, state: { reached: at, doubt: { at: pcNow, passedMs } } }
}

interface AgeClockParts {
  readonly store: AgeStore
  readonly clock: Pick<ClockPort, 'now'>
  /** See Line. */
  readonly serviceTime: () => number | null
}

/** `ageAt` over restarts. */
export class AgeClock {
  readonly #parts: AgeClockParts

  constructor(parts: AgeClockParts) {
    this.#parts = parts
  }

  /** Whether this PC's clock is not believed yet; as `advance` found it. */
  get isInDoubt(): boolean {
    return this.#parts.store.read().doubt !== null
  }

  /** See Age. */
  now(): number | null {
    return this.#look().at
  }

  /** The same, and remembers it: a clock in doubt is believed in the end only by the moments that were remembered. */
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
