import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type {
  AmbiguousOutcome,
  ScanCandidate,
  ScanOutcome,
  ScanChoiceKind,
} from '#shared/bridge/scan-views.ts'
import { type Command, digitOf } from '#shared/domain/commands.ts'
import type { Result } from '#shared/errors/result.ts'
import { m } from '#messages/messages.js'

/** The question about a code that several things have, and the operator's answer. */
export class ScanQuestion {
  readonly #bridge: ScandeskBridge
  #asked = $state.raw<AmbiguousOutcome | null>(null)
  /** Scans whose answers are being sent to main. The question about another scan may open before main responds. */
  #answered = $state.raw<readonly AmbiguousOutcome[]>([])
  /** Whether the answer is stored for all codes of the same shape. */
  forShape = $state(false)

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /** The scan that the desk asks about; null if there is no question. */
  get asked(): AmbiguousOutcome | null {
    return this.#asked
  }
  /** Whether an answer to the current question is being sent. */
  get busy(): boolean {
    return this.#asked !== null && this.#answered.includes(this.#asked)
  }

  /** Opens the question about this scan in place of any open question; null closes the open question. */
  ask(outcome: AmbiguousOutcome | null): void {
    // if the chosen record is gone, main returns the scan again, in a new object with other choices, and the question
    // opens again
    if (outcome === this.#asked) return
    this.#asked = outcome
    this.forShape = false
  }

  /** Returns the choice that the digit of a command selects; null if there is none. */
  pointedAt(command: Command): ScanCandidate | null {
    const digit = digitOf(command)
    return digit === null ? null : (this.#asked?.candidates[digit - 1] ?? null)
  }

  /**
   * Sends the chosen meaning to main. Main also uses this meaning for later scans of the code. Call it only while
   * `busy` is false.
   */
  async choose(asked: AmbiguousOutcome, { kind, subjectId }: ScanCandidate): Promise<Result<ScanOutcome>> {
    const { scanId: id, expect, shape } = asked
    const forShape = this.forShape && shape !== null
    this.#answered = [...this.#answered, asked]
    try {
      return await this.#bridge.scan.choose({ id, expect, kind, subjectId, forShape })
    } finally {
      this.#answered = this.#answered.filter((one) => one !== asked)
    }
  }
}

/** Names of the kinds of records that a code may belong to, as the cards show them. */
export const subjectWords: Record<ScanChoiceKind, () => string> = {
  shipment: m.shipment_eyebrow,
  return_label: m.label_eyebrow,
  article: m.article_eyebrow,
  location: m.location_eyebrow,
  modification: m.modification_eyebrow,
}
