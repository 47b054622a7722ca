/** A broken or open promise with the details for an investigation. */
export interface Finding {
  readonly what: string
  readonly subjectId: string
  readonly detail: string
}

/** The findings of the judge. */
export class Findings {
  /** The act was acknowledged, and its effect is missing. */
  readonly lost: Finding[] = []
  /** One act with several effects. */
  readonly duplicated: Finding[] = []
  /** The desk shows something that the service does not have, or the service has something else than was wished. */
  readonly wrong: Finding[] = []
  /** Acts that were still open when nothing changed any more, with the desk's reason. */
  readonly unresolved: Finding[] = []
  /** Labels that were printed twice or never. */
  readonly paper: Finding[] = []

  /** Whether a promise was broken. An open act breaks none. */
  get areBroken(): boolean {
    return this.lost.length + this.duplicated.length + this.wrong.length + this.paper.length > 0
  }
}
