/** A broken guarantee of the product, with the details for an investigation. */
export interface Finding {
  readonly what: string
  readonly detail: string
}

/**
 * What the judge (judge.ts) found in one or several shifts. A shift is a sequence of desk processes on the same data
 * folders.
 */
export class Findings {
  /**
   * Second labels that a desk made without a decision of its operator, although the desk could have seen the first
   * label.
   */
  readonly unaskedLabels: Finding[] = []
  readonly unaskedBookings: Finding[] = []
  /** For each pair in `overlapped`: the desks that did not inform their operator of the other desk's record. */
  readonly untold: Finding[] = []
  /**
   * Records of the service that two or more desks regard as their own after a lost response, without a decision. This
   * is allowed, because only one record exists, and because the service does not distinguish equal requests of two
   * desks.
   */
  readonly claimedTwice: Finding[] = []
  /**
   * Records that one desk created and did not adopt, and that another desk adopted without asking its operator. Such a
   * record does not violate a guarantee. For example, two desks create equal records, and each desk adopts the record
   * of the other one. Then each operator has a record with the wanted content.
   */
  readonly misclaimed: Finding[] = []
  /**
   * Second labels of a shipment and repeated bookings that a desk made after its own first record, without a decision
   * of its operator.
   */
  readonly doubled: Finding[] = []
  /** Acknowledged requests of operators that have neither a record at the service nor a question to the operator. */
  readonly lost: Finding[] = []
  /** Requests of operators that were still in progress after all activity had stopped. */
  readonly unresolved: Finding[] = []
  /** Number of second labels of a shipment, and of repeated bookings, including those that are allowed. */
  secondLabels = 0
  secondBookings = 0
  /**
   * Number of pairs of equal records of two desks, where neither desk could have seen the other desk's record before
   * its own write.
   */
  overlapped = 0

  /** Whether a guarantee was broken. `claimedTwice`, `misclaimed` and `unresolved` break no guarantee. */
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
