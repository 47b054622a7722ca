/** A promise that was not kept, told so that it can be looked into. */
export interface Finding {
  readonly what: string
  readonly detail: string
}

/** What the judge found about one or several shifts. */
export class Findings {
  /** A second label that its desk made although it could have known of the first, and nobody decided that. */
  readonly unaskedLabels: Finding[] = []
  readonly unaskedBookings: Finding[] = []
  /** A desk that was not told of what another one did at the same time. */
  readonly untold: Finding[] = []
  /**
   * One label of the service that two desks take for their own after a lost answer, and nobody decided that. Nothing at the
   * service tells two labels of one shipment apart, and it is one label: no promise is broken.
   */
  readonly claimedTwice: Finding[] = []
  /**
   * A record that only a desk which did not make it takes for its own, and nobody decided that. No promise by itself: two
   * desks that swap their records have what they wished.
   */
  readonly misclaimed: Finding[] = []
  /** One wish of one desk that the service has twice. */
  readonly doubled: Finding[] = []
  /** A wish that was promised, and that is neither at the service nor in anybody's hands. */
  readonly lost: Finding[] = []
  /** Still under way when nothing changed any more. */
  readonly unresolved: Finding[] = []
  /** More than one of the same at the service, explained or not. */
  secondLabels = 0
  secondBookings = 0
  /** Pairs of which neither desk could have seen the other's in time. */
  overlapped = 0

  /** What is still under way, claimed twice or misclaimed is no breach. */
  get areBroken(): boolean {
    return this.broken.length > 0
  }

  get broken(): Finding[] {
    const { unaskedLabels, unaskedBookings, untold, doubled, lost } = this
    return [...unaskedLabels, ...unaskedBookings, ...untold, ...doubled, ...lost]
  }

  add(other: Findings, shift: number): void {
    for (const kind of kinds)
      this[kind].push(...other[kind].map((one) => ({ ...one, detail: `shift ${shift}: ${one.detail}` })))
    this.secondLabels += other.secondLabels
    this.secondBookings += other.secondBookings
    this.overlapped += other.overlapped
  }
}

const kinds = [
  'unaskedLabels',
  'unaskedBookings',
  'untold',
  'claimedTwice',
  'misclaimed',
  'doubled',
  'lost',
  'unresolved',
] as const
