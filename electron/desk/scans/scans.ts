import type { ArgsOf } from '#shared/bridge/contract.ts'
import type { ScanEntry, ScanOutcome } from '#shared/bridge/scan-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError, fail, ok, type Result } from '#shared/errors/result.ts'
import { isoTime } from '../view-parts.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { ScanRow, ScansStore } from '../ports/store.ts'
import type { ScanAnswers } from './scan-answers.ts'
import type { Found, ScanQuestion } from './scan-question.ts'
import { foundFailure, type ScanResolver } from './scan-resolver.ts'

interface ScansParts {
  readonly journal: ScansStore
  readonly resolver: Pick<ScanResolver, 'resolve' | 'choose'>
  readonly answers: Pick<ScanAnswers, 'forget'>
  readonly clock: ClockPort
  /** A return label was scanned: what its paper is known to have done by that, and whether another one should have been. */
  readonly labelScanned: (outcome: ScannedLabel) => ScannedLabel
  readonly onFault: (error: unknown) => void
}

type ScannedLabel = Extract<ScanOutcome, { kind: 'return_label' }>

const recentLength = 50

/** Scans: written down first, understood afterwards. */
export class Scans {
  readonly #parts: ScansParts

  constructor(parts: ScansParts) {
    this.#parts = parts
  }

  /**
   * Resolves once the scan and what it led to are durable: the sound may follow, not precede. Throws only if the scan
   * could not be saved; failing to understand it is an outcome.
   */
  async submit({ raw, expect }: ArgsOf<'scan', 'submit'>): Promise<ScanOutcome> {
    const { journal, clock } = this.#parts
    const id = crypto.randomUUID()
    const at = clock.now()
    journal.append({ id, raw, at })
    const question = { scanId: id, raw, at: isoTime(at), expect, learns: true }
    return this.#noted(await this.#understand((resolver) => resolver.resolve(question), question))
  }

  /** The operator's decision about an ambiguous scan, kept for the next scan of it. */
  async choose({ id, expect, ...answer }: ArgsOf<'scan', 'choose'>): Promise<Result<ScanOutcome>> {
    const row = this.#parts.journal.get(id)
    if (!row) return fail('api.not_found')
    const question = { scanId: id, raw: row.raw, at: isoTime(row.at), expect, learns: false }
    return ok(this.#noted(await this.#understand((resolver) => resolver.choose(question, answer), question)))
  }

  /** The next scan of it asks again. */
  forget(key: ArgsOf<'scan', 'forget'>): undefined {
    this.#parts.answers.forget(key)
  }

  /** What a scan of the journal means today; the journal stays as it is, and no location is learned from it. */
  async lookup({ id }: ArgsOf<'scan', 'lookup'>): Promise<Result<ScanOutcome>> {
    const row = this.#parts.journal.get(id)
    if (!row) return fail('api.not_found')
    const question = {
      scanId: id,
      raw: row.raw,
      at: isoTime(row.at),
      expect: 'anything',
      learns: false,
    } as const
    return ok((await this.#understand((resolver) => resolver.resolve(question), question)).outcome)
  }

  recent(): ScanEntry[] {
    return this.#parts.journal.recent(recentLength).map(toEntry)
  }

  /** The scan is saved: what follows from it must not make it fail. */
  #orElse<T>(otherwise: T, act: () => T): T {
    try {
      return act()
    } catch (error) {
      this.#parts.onFault(error)
      return otherwise
    }
  }

  #noted({ outcome, title, subjectId }: Found): ScanOutcome {
    // looked up anew where the journal did not take it
    this.#orElse(undefined, () => {
      this.#parts.journal.resolve(outcome.scanId, { kind: outcome.kind, title, subjectId })
    })
    if (outcome.kind !== 'return_label') return outcome
    // its print stays open then, and the next scan of the label closes it
    return this.#orElse(outcome, () => this.#parts.labelScanned(outcome))
  }

  async #understand(
    look: (resolver: ScansParts['resolver']) => Promise<Found>,
    question: ScanQuestion,
  ): Promise<Found> {
    try {
      return await look(this.#parts.resolver)
    } catch (error) {
      this.#parts.onFault(error)
      const cause = error instanceof CataloguedError ? error.failure : failure('internal.unexpected')
      return foundFailure(question, cause)
    }
  }
}

function toEntry(row: ScanRow): ScanEntry {
  return { scanId: row.id, raw: row.raw, at: isoTime(row.at), kind: row.kind, title: row.title }
}
