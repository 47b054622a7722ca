import type { ScanCandidate, ScanChoiceView, ScanExpectation } from '#shared/bridge/scan-views.ts'
import { codeShape, normaliseCode } from '#shared/domain/references.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { ScanChoice, ScanChoiceKey, ScanChoicesStore } from '../ports/store.ts'
import { isoTime } from '../view-parts.ts'

interface ScanAnswersParts {
  readonly store: ScanChoicesStore
  readonly clock: ClockPort
}

interface Remembered<C extends ScanCandidate> {
  readonly candidate: C
  readonly choice: ScanChoiceView
}

const longestCode = 120

/** The operators' choices for ambiguous scans of this station, so that each question is asked once. */
export class ScanAnswers {
  readonly #parts: ScanAnswersParts

  constructor(parts: ScanAnswersParts) {
    this.#parts = parts
  }

  /**
   * Returns the candidate that an earlier choice selects; null: the operator must be asked. A choice for the code takes
   * precedence over a choice for its shape.
   */
  remembered<C extends ScanCandidate>(
    text: string,
    expect: ScanExpectation,
    candidates: readonly C[],
  ): Remembered<C> | null {
    const { store, clock } = this.#parts
    for (const key of keysOf(text, expect)) {
      const choice = store.get(key)
      const candidate = choice && meant(choice, candidates)
      if (!choice || !candidate) continue
      store.used(key, clock.now())
      return { candidate, choice: toView(choice) }
    }
    return null
  }

  /**
   * Stores a choice and returns it. If there were several candidates of the chosen kind, the choice never applies to
   * other codes. Null: nothing is stored, because the choice is for a shape, and the code has no shape.
   */
  remember(
    text: string,
    expect: ScanExpectation,
    answer: {
      readonly candidate: ScanCandidate
      readonly candidates: readonly ScanCandidate[]
      readonly forShape: boolean
    },
  ): ScanChoiceView | null {
    const { candidate, candidates, forShape } = answer
    const [code, shape] = keysOf(text, expect)
    const among = idsOf(candidates, candidate.kind)
    const key = forShape && among.length === 1 ? shape : code
    if (!key) return null
    const choice: ScanChoice = {
      ...key,
      kind: candidate.kind,
      chosen: among.length === 1 ? null : { subjectId: candidate.subjectId, among },
      chosenAt: this.#parts.clock.now(),
    }
    this.#parts.store.put(choice)
    return toView(choice)
  }

  forget(key: ScanChoiceKey): void {
    this.#parts.store.forget(key)
  }
}

/**
 * Returns the pattern (`codeShape`) of a scanned code if records of several kinds (`candidates`) match it. The
 * operator's choice of a record can then apply to all codes of this pattern. Null: the choice applies to this code
 * only.
 */
export function shapeFor(text: string, candidates: readonly ScanCandidate[]): string | null {
  const kinds = new Set(candidates.map(({ kind }) => kind))
  return kinds.size > 1 ? codeShape(normaliseCode(text)) : null
}

function keysOf(text: string, expect: ScanExpectation): [ScanChoiceKey, ...ScanChoiceKey[]] {
  const code = normaliseCode(text).slice(0, longestCode)
  const shape = codeShape(code)
  const forCode = { reach: 'code', code, expect } as const
  return shape === null ? [forCode] : [forCode, { reach: 'shape', code: shape, expect }]
}

/**
 * Returns the candidate that a choice selects; null: there is none. If there are several candidates of the chosen kind,
 * the choice applies only if the candidates are the same as at the time of the choice.
 */
function meant<C extends ScanCandidate>({ kind, chosen }: ScanChoice, candidates: readonly C[]): C | null {
  const ofKind = candidates.filter((one) => one.kind === kind)
  if (ofKind.length <= 1) return ofKind[0] ?? null
  if (!chosen || JSON.stringify(idsOf(candidates, kind)) !== JSON.stringify(chosen.among)) return null
  return ofKind.find(({ subjectId }) => subjectId === chosen.subjectId) ?? null
}

function idsOf(candidates: readonly ScanCandidate[], kind: ScanCandidate['kind']): string[] {
  return candidates.flatMap((one) => (one.kind === kind ? [one.subjectId] : [])).sort()
}

function toView({ reach, code, expect, kind, chosen, chosenAt }: ScanChoice): ScanChoiceView {
  return { reach, code, expect, kind, isOneOfSeveral: chosen !== null, chosenAt: isoTime(chosenAt) }
}
