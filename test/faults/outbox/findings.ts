/** A promise that was not kept, or not yet, told so that it can be looked into. */
export interface Finding {
  readonly what: string
  readonly subjectId: string
  readonly detail: string
}

/** What the judge found. */
export class Findings {
  /** Acknowledged, and its one effect is not there. */
  readonly lost: Finding[] = []
  /** One deed, several effects. */
  readonly duplicated: Finding[] = []
  /** The desk says something of the service that is not so, or what arrived is not what was meant. */
  readonly wrong: Finding[] = []
  /** Still open when nothing changed any more, with the reason that the desk gives. */
  readonly unresolved: Finding[] = []
  /** Labels that came out of the printer twice, or never. */
  readonly paper: Finding[] = []

  /** A promise was not kept. What is still open is no breach. */
  get areBroken(): boolean {
    return this.lost.length + this.duplicated.length + this.wrong.length + this.paper.length > 0
  }
}
