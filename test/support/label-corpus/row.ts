import type { ErrorCode } from '#shared/errors/catalogue.ts'

/** The rolls for which labels are rasterised: 832 dots at 203 dpi are 104 mm. */
export const papers = {
  '104 mm, 203 dpi': { dpi: 203, widthDots: 832 },
  '104 mm, 300 dpi': { dpi: 300, widthDots: 1228 },
  '80 mm, 203 dpi': { dpi: 203, widthDots: 576 },
  '80 mm, 300 dpi': { dpi: 300, widthDots: 850 },
  '58 mm, 203 dpi': { dpi: 203, widthDots: 384 },
} as const

export type PaperName = keyof typeof papers

/** The expected outcome: the readable codes of each label, in the order of the labels, or the error of a refusal. */
export type Outcome = readonly (readonly string[])[] | { readonly code: ErrorCode; readonly cause?: string }

export interface CorpusRow {
  readonly name: string
  /** A short description of the document for the table in electron/labels/CORPUS.md. */
  readonly how: string
  /** Returns the same document every time, except for the keys of an encrypted document. */
  readonly make: () => Promise<Uint8Array> | Uint8Array
  /** The expected outcome on every paper that has no entry in `on`, except on 58 mm. */
  readonly prints: Outcome
  readonly on?: Partial<Record<PaperName, Outcome>>
}

/**
 * Returns the expected outcome of a document on a paper. Call it for the paper of 58 mm only if `on` has an entry for
 * this paper, because `prints` does not apply to it.
 */
export function expectedOn({ prints, on }: CorpusRow, paper: PaperName): Outcome {
  return on?.[paper] ?? prints
}
