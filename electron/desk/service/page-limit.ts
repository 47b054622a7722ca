import { isAboutLength, shorterThan } from '../catalogue/list-walk.ts'
import type { ApiOutcome, ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { Session } from './session.ts'

/** The dependencies of a walk through a list of the service. */
export interface ListSource {
  readonly api: ApiPort
  readonly session: Pick<Session, 'withAccess'>
  readonly pageLimit: PageLimit
}

/** Requests a page with at most `limit` rows. */
type ReadPage<T> = (limit: number) => Promise<ApiOutcome<T>>

const usualRows = 100
/** Time in milliseconds for which all walks request short pages after the service has refused a longer page. */
const shortPagesMs = 3600_000

/**
 * The number of rows in the pages of the lists that are read newest first: labels and bookings. The contract names no
 * maximum (API.md 19), and a service may refuse a long page. All walks of a desk share one PageLimit.
 */
export class PageLimit {
  readonly #clock: Pick<ClockPort, 'ticks'>
  /** The page length after a refusal; null: the service has refused no page of the usual length. */
  #shorter: { readonly rows: number; readonly untilTicks: number } | null = null

  constructor(clock: Pick<ClockPort, 'ticks'>) {
    this.#clock = clock
  }

  /**
   * Begins a walk and returns the function that reads its pages. All pages have the length of page 1. If the service
   * refuses page 1 with a status that may concern its length, requests a shorter one. If it refuses the shortest page
   * too, the length is not the reason, so the next walk begins with the usual length again.
   */
  begin(): <T>(page: number, read: ReadPage<T>) => Promise<ApiOutcome<T>> {
    let limit = this.#rows()
    return async (page, read) => {
      for (;;) {
        const outcome = await read(limit)
        if (outcome.kind !== 'refused' || !isAboutLength(outcome.status)) return outcome
        // a refusal of a page after page 1 does not shorten the pages, except 413: the service may refuse such a page
        // because it lists no more rows. If the service now allows only shorter pages, it also refuses page 1 of the
        // next walk. A 413 certainly concerns the length: the rows of this page are longer than others
        if (page > 1 && outcome.status !== 413) return outcome
        const shorter = shorterThan(limit)
        this.#shorter =
          shorter === null ? null : { rows: shorter, untilTicks: this.#clock.ticks() + shortPagesMs }
        // this walk cannot continue with shorter pages, because the pages that it has read do not end where a shorter
        // page begins. So only the next walk has shorter pages
        if (shorter === null || page > 1) return outcome
        limit = shorter
      }
    }
  }

  #rows(): number {
    if (this.#shorter && this.#clock.ticks() >= this.#shorter.untilTicks) this.#shorter = null
    return this.#shorter?.rows ?? usualRows
  }
}
