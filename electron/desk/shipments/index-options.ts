export interface IndexOptions {
  /** How far back the index reaches once it is filled, unless somebody chose. */
  readonly days: number
  /** How far anybody may choose: nothing is kept here for longer. */
  readonly mostDays: number
  readonly pageLength: number
  /** Between two looks for what is new, in milliseconds. */
  readonly everyMs: number
  /** While the service cannot be reached: this is also how often the line is tried. */
  readonly offlineEveryMs: number
  /** How much of what is known is read again each time: shipments get their tracking codes a little later. */
  readonly overlapMs: number
  /** Rows that are read again each time at least, and once after a start: return labels change later. */
  readonly rereadRows: number
  readonly rereadRowsAtStart: number
}

/** Shipments: a few rows more are read than have changed. */
export const shipmentIndexOptions: IndexOptions = {
  days: 183,
  mostDays: 730,
  pageLength: 200,
  everyMs: 60_000,
  offlineEveryMs: 10_000,
  overlapMs: 15 * 60_000,
  rereadRows: 0,
  rereadRowsAtStart: 0,
}

/** Return labels get their PDF, or another sender, long after they were made. */
export const labelIndexOptions: IndexOptions = {
  ...shipmentIndexOptions,
  rereadRows: 200,
  rereadRowsAtStart: 1_000,
}
