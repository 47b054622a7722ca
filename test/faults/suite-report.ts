/** What one suite of `npm run faults` found. */
export interface SuiteReport {
  readonly suite: string
  /** Every promise that the suite watches over was kept, and what it counts on (faults that hit, lives that ended) was there. */
  readonly passed: boolean
  /** Printed as one JSON line after `suite` and `passed`, in this order. */
  readonly figures: Readonly<Record<string, unknown>>
}

export interface SuiteOptions {
  /** How many cases: lives, states, files, schedules. Null: the suite's own full count. */
  readonly count: number | null
  readonly seed: number
}

export type Suite = (options: SuiteOptions) => Promise<SuiteReport>
