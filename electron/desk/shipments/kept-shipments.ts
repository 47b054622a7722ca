import type { CatalogueOverview, KeptIndex } from '#shared/bridge/views.ts'
import type { IndexList } from '../ports/recent-store.ts'
import { isoTime, toFailureView } from '../view-parts.ts'
import type { IndexReach } from './index-reach.ts'
import type { IndexWalker } from './index-walker.ts'

interface KeptShipmentsParts {
  readonly index: Pick<IndexWalker<never>, 'view' | 'skipped' | 'reachChanged'>
  readonly labelIndex: Pick<IndexWalker<never>, 'view' | 'skipped'>
  readonly reach: IndexReach
}

/**
 * The state of the kept shipments and return labels, and the setting of the number of months for which shipments are
 * kept.
 */
export class KeptShipments {
  readonly #parts: KeptShipmentsParts

  constructor(parts: KeptShipmentsParts) {
    this.#parts = parts
  }

  view(): CatalogueOverview['shipments'] {
    const { index, reach } = this.#parts
    return {
      ...indexView(index),
      months: reach.months(),
      mostDays: reach.isCut ? reach.days() : null,
    }
  }

  labelView(): KeptIndex {
    return indexView(this.#parts.labelIndex)
  }

  /** Returns the newest shipments and return labels that the desk could not read since its start. */
  skippedRows(): CatalogueOverview['skippedRows'] {
    const { index, labelIndex } = this.#parts
    return [...listed('shipments', index), ...listed('return-labels', labelIndex)]
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

function indexView(index: Pick<IndexWalker<never>, 'view' | 'skipped'>): KeptIndex {
  const { rows, state, goal, isWhole, gapSince, failure } = index.view()
  return {
    state: state === null ? 'empty' : gapSince !== null ? 'reading' : isWhole ? 'ready' : 'filling',
    count: rows,
    asOf: state && isoTime(state.syncedAt),
    reachesBackTo: state && isoTime(state.oldest),
    goesBackTo: isoTime(goal),
    gapSince: gapSince === null ? null : isoTime(gapSince),
    leftOut: index.skipped().count,
    failure: toFailureView(failure),
  }
}

function listed(
  list: IndexList,
  index: Pick<IndexWalker<never>, 'skipped'>,
): CatalogueOverview['skippedRows'] {
  return index.skipped().newest.map((row) => ({ ...row, list, seenAt: isoTime(row.seenAt) }))
}
