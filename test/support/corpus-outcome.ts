import { CataloguedError } from '#shared/errors/result.ts'
import type { Outcome } from './corpus-row.ts'

/** An expectation in the form in which outcomes are compared: each label's codes once and sorted, a refusal's cause. */
export function comparable(outcome: Outcome): Outcome {
  return 'code' in outcome ? outcome : outcome.map((codes) => [...new Set(codes)].sort())
}

/** What came of a document: the codes on each of its labels, as `read` finds them, or the refusal. */
export async function outcomeOf<T>(
  labels: Promise<readonly T[]>,
  expected: Outcome,
  read: (label: T, expected: readonly string[]) => Promise<string[]>,
): Promise<Outcome> {
  try {
    const found = await labels
    return await Promise.all(
      found.map((label, at) => read(label, 'code' in expected ? [] : (expected[at] ?? []))),
    )
  } catch (error) {
    if (!(error instanceof CataloguedError)) throw error
    const { code, params } = error.failure
    const cause = params['cause']
    return cause === undefined ? { code } : { code, cause: String(cause) }
  }
}
