import type { SettingsStore } from '../ports/store.ts'

export interface IndexOptions {
  /** How far back the index reaches once it is filled, unless somebody chose. */
  readonly days: number
  /** How far anybody may choose: nothing is kept here for longer. */
  readonly mostDays: number
  readonly pageLength: number
  /** Between two looks for what is new, in milliseconds. */
  readonly everyMs: number
  /** While the service cannot be reached: this is also how often the line is tried. */
  readonly offlineEveryMs: number
  /** How much of what is known is read again each time: shipments get their tracking codes a little later. */
  readonly overlapMs: number
  /** Rows that are read again each time at least, and once after a start: return labels change later. */
  readonly rereadRows: number
  readonly rereadRowsAtStart: number
}

/** Shipments: a few rows more are read than have changed. */
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

/** Return labels get their PDF, or another sender, long after they were made. */
export const labelIndexOptions: IndexOptions = {
  ...shipmentIndexOptions,
  rereadRows: 200,
  rereadRowsAtStart: 1_000,
}

/** Where the choice of this scope is kept. */
const key = 'shipments.months'

const standardMonths = 6
const mostMonths = 24
const aFewDays = 31

/** How far back an index goes: as somebody chose, else the standard, but never beyond what is kept here at all. */
export class IndexReach {
  readonly #settings: SettingsStore | null
  readonly #standardDays: number
  #mostDays: number

  /** `settings` null: nobody can choose. */
  constructor(settings: SettingsStore | null, { days, mostDays }: Pick<IndexOptions, 'days' | 'mostDays'>) {
    this.#settings = settings
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

  /** Whether the choice goes well beyond what is kept here: a few days less need no words. */
  get isCut(): boolean {
    return daysOf(this.months()) - this.#mostDays > aFewDays
  }

  keep(months: number): void {
    this.#settings?.write(key, String(months))
  }

  /** Personal data stays here for so many days from now on. */
  keepAtMost(days: number): void {
    this.#mostDays = days
  }

  #kept(): number | null {
    const kept = Number(this.#settings?.read(key) ?? Number.NaN)
    return Number.isInteger(kept) && kept >= 1 && kept <= mostMonths ? kept : null
  }
}

function daysOf(months: number): number {
  return Math.round((months * 365) / 12)
}
