import type { ErrorCode } from '#shared/errors/catalogue.ts'

/** Rolls that labels are made dots for: 832 dots of 203 dpi are 104 mm. */
export const papers = {
  '104 mm, 203 dpi': { dpi: 203, widthDots: 832 },
  '104 mm, 300 dpi': { dpi: 300, widthDots: 1228 },
  '80 mm, 203 dpi': { dpi: 203, widthDots: 576 },
  '80 mm, 300 dpi': { dpi: 300, widthDots: 850 },
  '58 mm, 203 dpi': { dpi: 203, widthDots: 384 },
} as const

export type PaperName = keyof typeof papers

/** What must come out: for each label in its order the codes that can be read from it, or why nothing does. */
export type Outcome = readonly (readonly string[])[] | { readonly code: ErrorCode; readonly cause?: string }

export interface CorpusRow {
  readonly name: string
  /** In a few words, for the table. */
  readonly how: string
  /** The same document every time, except for the keys of encrypted ones. */
  readonly make: () => Promise<Uint8Array> | Uint8Array
  /** On every paper that `on` does not name. */
  readonly prints: Outcome
  readonly on?: Partial<Record<PaperName, Outcome>>
}

/** What is expected of a document on a paper. Of 58 mm only the rows that name it say anything. */
export function expectedOn({ prints, on }: CorpusRow, paper: PaperName): Outcome {
  return on?.[paper] ?? prints
}
