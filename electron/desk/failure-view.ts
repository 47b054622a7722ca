import type { FailureView } from '#shared/bridge/view-parts.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/** A failure as it goes to the window, which has the words for it. */
export function toFailureView(failure: Failure | null): FailureView | null {
  return failure && { code: failure.code, params: { ...failure.params } }
}
