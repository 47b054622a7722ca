/** The result of one suite of `npm run faults`. */
export interface SuiteReport {
  readonly suite: string
  /** Whether every promise was kept, and the conditions (faults that happened, lives that ended) were met. */
  readonly passed: boolean
  /** Printed as one JSON line after `suite` and `passed`, in this order. */
  readonly figures: Readonly<Record<string, unknown>>
}

export interface SuiteOptions {
  /** The number of cases: lives, states, files, schedules. Null means the full count of the suite. */
  readonly count: number | null
  readonly seed: number
}

export type Suite = (options: SuiteOptions) => Promise<SuiteReport>
