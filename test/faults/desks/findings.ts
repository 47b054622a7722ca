/** A broken promise with the details for an investigation. */
export interface Finding {
  readonly what: string
  readonly detail: string
}

/** The findings of the judge about one or several shifts. */
export class Findings {
  /** A second label whose desk could have known the first, without a decision of its operator. */
  readonly unaskedLabels: Finding[] = []
  readonly unaskedBookings: Finding[] = []
  /** A desk without a notice about the simultaneous act of another one. */
  readonly untold: Finding[] = []
  /**
   * One label of the service that two desks take for their own after a lost response, without a decision. The service
   * does not distinguish two labels of one shipment, and there is only one label, so no promise is broken.
   */
  readonly claimedTwice: Finding[] = []
  /**
   * A record that is claimed only by a desk that did not make it, without a decision. This alone breaks no promise: two
   * desks that exchange their records have what they wished.
   */
  readonly misclaimed: Finding[] = []
  /** One wish of one desk that the service has twice. */
  readonly doubled: Finding[] = []
  /** An acknowledged wish that is neither at the service nor in a question. */
  readonly lost: Finding[] = []
  /** A wish that was still in progress when nothing changed any more. */
  readonly unresolved: Finding[] = []
  /** The number of further records of the same kind at the service, explained or not. */
  secondLabels = 0
  secondBookings = 0
  /** The number of pairs in which neither desk could have seen the record of the other in time. */
  overlapped = 0

  /** A wish in progress, a double claim and a wrong claim break no promise. */
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
