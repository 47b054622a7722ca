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

/** What operators of this station answered to ambiguous scans: each question is asked once. */
export class ScanAnswers {
  readonly #parts: ScanAnswersParts

  constructor(parts: ScanAnswersParts) {
    this.#parts = parts
  }

  /** The candidate that an earlier answer means; null: ask. An answer for the code goes before one for its shape. */
  remembered<C extends ScanCandidate>(
    text: string,
    expect: ScanExpectation,
    candidates: readonly C[],
  ): Remembered<C> | null {
    for (const key of keysOf(text, expect)) {
      const choice = this.#parts.store.get(key)
      const candidate = choice && meant(choice, candidates)
      if (choice && candidate) return { candidate, choice: toView(choice) }
    }
    return null
  }

  /** Keeps an answer; one of several of a kind is never an answer for other codes. */
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

/** The shape under which an answer to these may go for other codes too; null: it may not. */
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

/** An answer holds as long as it says which one: of several of its kind, only while they are the same ones. */
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
