import type { ScanChoiceKind, ScanExpectation } from '#shared/bridge/scan-views.ts'

/** What an operator said that a code means, of the kinds of thing that answer to it. */
export interface ScanChoice {
  /** For this code alone, or for every code of its shape (codeShape). */
  readonly reach: 'code' | 'shape'
  /** The code in the form of normaliseCode, or the shape. */
  readonly code: string
  /** Where it was scanned: beside a modification a code may mean something else. */
  readonly expect: ScanExpectation
  readonly kind: ScanChoiceKind
  /** The one chosen of several of that kind, and all of them as they were then; null: there was only one. */
  readonly chosen: { readonly subjectId: string; readonly among: readonly string[] } | null
  readonly chosenAt: number
}

export type ScanChoiceKey = Pick<ScanChoice, 'reach' | 'code' | 'expect'>

/** The answers to ambiguous scans of this station. */
export interface ScanChoicesStore {
  get(key: ScanChoiceKey): ScanChoice | null
  /** In place of an earlier answer to the same. */
  put(choice: ScanChoice): void
  forget(key: ScanChoiceKey): void
}
