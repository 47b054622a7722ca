import type { Milliseconds } from '#shared/domain/instants.ts'
import type { ScopeValues } from '../ports/store.ts'

export interface IndexOptions {
  /** Number of days for which the index keeps rows, unless an operator has chosen a period. */
  readonly days: number
  /** Maximum number of days that an operator may choose. No record is kept for longer. */
  readonly mostDays: number
  readonly pageLength: number
  /** Time between two checks for new rows, in milliseconds. */
  readonly everyMs: Milliseconds
  /**
   * Longest time between two checks for new rows while reads fail, in milliseconds. It is also the longest time between
   * two attempts to reach the service.
   */
  readonly offlineEveryMs: Milliseconds
  /**
   * Known rows that were created within this time (milliseconds) before the newest known row are read again at each
   * check, because a shipment gets its tracking code some time after its creation.
   */
  readonly overlapMs: Milliseconds
  /**
   * At least this number of rows is read again at each check, because return labels can change after they were read.
   */
  readonly rereadRows: number
  readonly rereadRowsAtStart: number
}

/**
 * Options for shipments. Known rows are read again only if they were created at most 15 minutes before the newest known
 * row; after a start of the desk, at most two days and 15 minutes before it.
 */
export const shipmentIndexOptions: IndexOptions = {
  days: 183,
  mostDays: 730,
  pageLength: 200,
  everyMs: 60_000,
  offlineEveryMs: 10_000,
  overlapMs: 15 * 60_000,
  rereadRows: 0,
  rereadRowsAtStart: 0,
}

/**
 * Options for return labels: more rows are read again than for shipments, because a label may get its PDF or another
 * sender long after its creation.
 */
export const labelIndexOptions: IndexOptions = {
  ...shipmentIndexOptions,
  rereadRows: 200,
  rereadRowsAtStart: 1_000,
}

/** The key under which each scope stores the number of months that the operator chose. */
const key = 'shipments.months'

const standardMonths = 6
const mostMonths = 24
const aFewDays = 31

/**
 * Determines for how many days an index keeps rows: the operator's choice or the default, at most as long as records
 * are kept.
 */
export class IndexReach {
  readonly #values: ScopeValues | null
  readonly #standardDays: number
  #mostDays: number

  /** `values`: stores the operator's choice; null: operators cannot choose the period. */
  constructor(values: ScopeValues | null, { days, mostDays }: Pick<IndexOptions, 'days' | 'mostDays'>) {
    this.#values = values
    this.#standardDays = days
    this.#mostDays = mostDays
  }

  days(): number {
    const kept = this.#kept()
    return Math.min(kept === null ? this.#standardDays : daysOf(kept), this.#mostDays)
  }

  months(): number {
    return this.#kept() ?? standardMonths
  }

  /** Whether the chosen period is longer, by more than a few days, than the time for which records are kept. */
  get isCut(): boolean {
    return daysOf(this.months()) - this.#mostDays > aFewDays
  }

  keep(months: number): void {
    this.#values?.write(key, String(months))
  }

  /** From now on limits the period to `days`, the number of days for which personal data is kept. */
  keepAtMost(days: number): void {
    this.#mostDays = days
  }

  #kept(): number | null {
    const kept = Number(this.#values?.read(key) ?? Number.NaN)
    return Number.isInteger(kept) && kept >= 1 && kept <= mostMonths ? kept : null
  }
}

function daysOf(months: number): number {
  return Math.round((months * 365) / 12)
}
