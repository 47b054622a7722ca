import type { Milliseconds } from '#shared/domain/instants.ts'
import type { ScopeValues } from '../ports/store.ts'

export interface IndexOptions {
  /** How far back the filled index reaches, unless an operator chose a period. */
  readonly days: number
  /** The longest period to choose: no record is kept for longer. */
  readonly mostDays: number
  readonly pageLength: number
  /** Time between two checks for new rows, in milliseconds. */
  readonly everyMs: Milliseconds
  /**
   * Time between two checks for new rows while the service cannot be reached, in milliseconds. The connection is tried
   * in this period too.
   */
  readonly offlineEveryMs: Milliseconds
  /** Known rows of this period are read again each time, because shipments get their tracking codes a little later. */
  readonly overlapMs: Milliseconds
  /** At least this number of rows is read again each time, because return labels change later. */
  readonly rereadRows: number
  readonly rereadRowsAtStart: number
}

/** For shipments: only the rows of the overlap are read again. */
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

/** For return labels, which get their PDF or another sender long after their creation. */
export const labelIndexOptions: IndexOptions = {
  ...shipmentIndexOptions,
  rereadRows: 200,
  rereadRowsAtStart: 1_000,
}

/** The key of this setting, separate for each scope. */
const key = 'shipments.months'

const standardMonths = 6
const mostMonths = 24
const aFewDays = 31

/** How far back an index reaches: the operator's choice or the standard, but never longer than records are kept. */
export class IndexReach {
  readonly #values: ScopeValues | null
  readonly #standardDays: number
  #mostDays: number

  /** `values` null: the period cannot be chosen. */
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

  /** Whether the choice is much longer than records are kept; a difference of a few days is not shown. */
  get isCut(): boolean {
    return daysOf(this.months()) - this.#mostDays > aFewDays
  }

  keep(months: number): void {
    this.#values?.write(key, String(months))
  }

  /** Limits the period, because personal data is kept for this number of days from now on. */
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
