/** The result of one suite of `npm run faults`. */
export interface SuiteReport {
  readonly suite: string
  /**
   * Whether the product kept every guarantee, and the run was hard enough (number of faults that happened, of processes
   * that ended).
   */
  readonly passed: boolean
  /** Printed as one JSON line after `suite` and `passed`, in this order. */
  readonly figures: Readonly<Record<string, unknown>>
}

export interface SuiteOptions {
  /** Number of cases, such as killed processes, disk states, files or schedules. Null: the full number of the suite. */
  readonly count: number | null
  readonly seed: number
}

export type Suite = (options: SuiteOptions) => Promise<SuiteReport>
