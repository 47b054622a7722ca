import type {
  ScanCandidate,
  ScanChoiceKind,
  ScanExpectation,
  ScanOutcome,
} from '#shared/bridge/scan-views.ts'
import type { Meanings } from '#shared/domain/barcode/meanings.ts'

export type Scanned = Pick<ScanOutcome, 'scanId' | 'raw' | 'at'>

/** A scan's question: what the text is, and whether a location that it holds is learned. */
export interface ScanQuestion extends Scanned {
  readonly expect: ScanExpectation
  readonly learns: boolean
}

/** A scan with all that its text may mean. */
export interface Asked extends ScanQuestion {
  readonly meanings: Meanings
}

/** What an operator says that an ambiguous scan is. */
export interface ScanAnswer {
  readonly kind: ScanChoiceKind
  readonly subjectId: string
  /** Also for all codes of the same shape. */
  readonly forShape: boolean
}

/** One thing known here that answers to a scanned text. */
export interface Candidate extends ScanCandidate {
  /** Shows it, fresh where the line allows. */
  readonly open: () => Found | Promise<Found>
}

/** What a scan turned out to be, and what the journal notes of it. */
export interface Found {
  readonly outcome: ScanOutcome
  readonly title: string | null
  readonly subjectId: string | null
}
