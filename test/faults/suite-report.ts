/** The result of one suite of `npm run faults`. */
export interface SuiteReport {
  readonly suite: string
  /**
   * Whether the product kept every guarantee and the run was hard enough, for example had enough faults or killed
   * processes. In a run with a deliberate fault (control): whether the suite found a broken guarantee. Always true if
   * the machine cannot run the suite.
   */
  readonly passed: boolean
  /**
   * The figures of the suite, printed in this order in the same line of JSON as `suite` and `passed`. `findings` is not
   * in this line. If the suite failed, `findings` is printed on stderr, otherwise it is not printed.
   */
  readonly figures: Readonly<Record<string, unknown>>
}

export interface SuiteOptions {
  /**
   * Number of cases, such as killed processes, disk states, files or schedules. Null: the suite's default for a full
   * run.
   */
  readonly count: number | null
  readonly seed: number
}

export type Suite = (options: SuiteOptions) => Promise<SuiteReport>
