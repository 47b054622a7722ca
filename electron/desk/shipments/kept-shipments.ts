import type { CatalogueOverview } from '#shared/bridge/views.ts'
import { isoTime } from '../view-parts.ts'
import type { IndexReach } from './index-reach.ts'
import type { WalkView } from './index-walker.ts'

interface KeptShipmentsParts {
  readonly index: { view(): WalkView; reachChanged(): void }
  readonly reach: IndexReach
}

/** The state of the kept shipments, and the setting of the number of months for which they are kept. */
export class KeptShipments {
  readonly #parts: KeptShipmentsParts

  constructor(parts: KeptShipmentsParts) {
    this.#parts = parts
  }

  view(): CatalogueOverview['shipments'] {
    const { index, reach } = this.#parts
    const { rows, state, goal, isWhole, gapSince } = index.view()
    return {
      state: state === null ? 'empty' : gapSince !== null ? 'reading' : isWhole ? 'ready' : 'filling',
      count: rows,
      asOf: state && isoTime(state.syncedAt),
      reachesBackTo: state && isoTime(state.oldest),
      goesBackTo: isoTime(goal),
      gapSince: gapSince === null ? null : isoTime(gapSince),
      months: reach.months(),
      mostDays: reach.isCut ? reach.days() : null,
    }
  }

  /**
   * Sets the number of months for which shipments are kept. If the new period is longer, older shipments are then read;
   * if it is shorter, older shipments are then removed.
   */
  keep(months: number): void {
    const { index, reach } = this.#parts
    reach.keep(months)
    index.reachChanged()
  }
}
