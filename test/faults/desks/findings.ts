/** A broken guarantee of the product, with the details for an investigation. */
export interface Finding {
  readonly what: string
  readonly detail: string
}

/** The findings of the judge about one or several shifts. */
export class Findings {
  /**
   * Second labels that were made without a decision of the operator, although the desk could have seen the first label.
   */
  readonly unaskedLabels: Finding[] = []
  readonly unaskedBookings: Finding[] = []
  /** Desks that have no notice about a simultaneous label or booking of another desk. */
  readonly untold: Finding[] = []
  /**
   * Labels of the service that two desks take for their own after a lost response, without a decision. This is allowed,
   * because there is only one label and the service does not distinguish two labels of one shipment.
   */
  readonly claimedTwice: Finding[] = []
  /**
   * Records that another desk takes for its own, without a decision, instead of the desk that made them. This alone is
   * allowed: if two desks exchange equal records, both have what their operators wished.
   */
  readonly misclaimed: Finding[] = []
  /** Wishes of one desk that the service has twice. */
  readonly doubled: Finding[] = []
  /** Acknowledged wishes that are neither at the service nor in a question to the operator. */
  readonly lost: Finding[] = []
  /** Wishes that were still in progress after all activity had stopped. */
  readonly unresolved: Finding[] = []
  /** Number of second labels and second bookings at the service, with and without an explanation. */
  secondLabels = 0
  secondBookings = 0
  /** Number of pairs of equal records in which neither desk could have seen the record of the other desk in time. */
  overlapped = 0

  /**
   * Whether a guarantee was broken. A wish in progress, a record that two desks claim, and a record that the wrong desk
   * claims break no guarantee.
   */
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
