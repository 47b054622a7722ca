/** A broken guarantee of the desk, or an action that is still open, with the details for an investigation. */
export interface Finding {
  readonly what: string
  readonly subjectId: string
  readonly detail: string
}

/** The findings of the judge. */
export class Findings {
  /** Actions that were acknowledged although their effect is missing at the service. */
  readonly lost: Finding[] = []
  /** Actions whose effect exists several times at the service, although the operator did them once. */
  readonly duplicated: Finding[] = []
  /**
   * Cases in which the desk shows another state than the service has, or the service has another state than the
   * operator wanted.
   */
  readonly wrong: Finding[] = []
  /** Actions that were still open after all activity had stopped, with the reason that the desk shows. */
  readonly unresolved: Finding[] = []
  /** Labels that were printed twice or never. */
  readonly paper: Finding[] = []

  /** Whether a guarantee was broken. An open action breaks no guarantee. */
  get areBroken(): boolean {
    return this.lost.length + this.duplicated.length + this.wrong.length + this.paper.length > 0
  }
}
