import type {
  ScanCandidate,
  ScanChoiceKind,
  ScanExpectation,
  ScanOutcome,
} from '#shared/bridge/scan-views.ts'
import type { Meanings } from '#shared/domain/barcode/meanings.ts'

export type Scanned = Pick<ScanOutcome, 'scanId' | 'raw' | 'at'>

/** A scanned text to resolve. `learns`: whether a location in the text is added to the location book. */
export interface ScanQuestion extends Scanned {
  readonly expect: ScanExpectation
  readonly learns: boolean
}

/** A scanned text to resolve, and the codes that the text may contain, for example of an article or a shipment. */
export interface ReadScan extends ScanQuestion {
  readonly meanings: Meanings
}

/** An operator's choice for an ambiguous scan. */
export interface ScanAnswer {
  readonly kind: ScanChoiceKind
  readonly subjectId: string
  /**
   * Whether the choice is to apply to all codes of the same shape. If several records of the chosen kind match, it
   * applies only to this code.
   */
  readonly forShape: boolean
}

/** One record of this desk that matches a scanned text. */
export interface Candidate extends ScanCandidate {
  /**
   * Returns the record for the screen. A shipment is first read from the service, if the service responds in time;
   * otherwise, and for any other record, the result is the stored copy.
   */
  readonly open: () => Found | Promise<Found>
}

/** The result of a scan, and the entry for the journal. */
export interface Found {
  readonly outcome: ScanOutcome
  readonly title: string | null
  readonly subjectId: string | null
}
