import type { SettingsStore } from '../ports/store.ts'
import type { IndexOptions } from './index-options.ts'

/** Where the choice of this scope is kept. */
const key = 'shipments.months'

export const standardMonths = 6
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
