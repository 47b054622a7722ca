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

/** A scan to which several things answer, and the operator's word on which of them is meant. */
export class ScanQuestion {
  readonly #bridge: ScandeskBridge
  #asked = $state.raw<AmbiguousOutcome | null>(null)
  /** Scans with an answer on its way: another one may be asked about before it is here. */
  #answered = $state.raw<readonly AmbiguousOutcome[]>([])
  /** The answer is to go for all codes of the same shape. */
  forShape = $state(false)

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /** Null: nothing is asked. */
  get asked(): AmbiguousOutcome | null {
    return this.#asked
  }
  /** An answer to what is asked is on its way. */
  get busy(): boolean {
    return this.#asked !== null && this.#answered.includes(this.#asked)
  }

  /** Asks about another scan, or about none any more. */
  ask(outcome: AmbiguousOutcome | null): void {
    // the same scan asks anew where what was meant is gone: its choices are others then
    if (outcome === this.#asked) return
    this.#asked = outcome
    this.forShape = false
  }

  /** What the digit of a command stands beside; null where it stands beside nothing. */
  pointedAt(command: Command): ScanCandidate | null {
    const digit = digitOf(command)
    return digit === null ? null : (this.#asked?.candidates[digit - 1] ?? null)
  }

  /** Says what is meant; the answer is kept for the next scan of the code. One at a time: see `busy`. */
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

/** What a code may mean, as its card calls it. */
export const subjectWords: Record<ScanChoiceKind, () => string> = {
  shipment: m.shipment_eyebrow,
  return_label: m.label_eyebrow,
  article: m.article_eyebrow,
  location: m.location_eyebrow,
  modification: m.modification_eyebrow,
}
