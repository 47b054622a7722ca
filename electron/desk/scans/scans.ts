import type { ArgsOf } from '#shared/bridge/contract.ts'
import type { ScanEntry, ScanOutcome } from '#shared/bridge/scan-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError, fail, ok, type Result } from '#shared/errors/result.ts'
import type { Instant } from '#shared/domain/instants.ts'
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
  /**
   * Marks the print of a scanned return label as scanned. Returns the outcome; if the operator may have swapped this
   * label with another label, the outcome also names the other label.
   */
  readonly labelScanned: (outcome: ScannedLabel) => ScannedLabel
  readonly onFault: (error: unknown) => void
}

type ScannedLabel = Extract<ScanOutcome, { kind: 'return_label' }>

const recentLength = 50
/**
 * If the clock is behind the time of the last scan by less than this number of milliseconds, a new scan gets a time one
 * millisecond after the last scan, so that the scans keep their order.
 */
const nearMs = 1000

/** Stores and resolves scans. Each scan is stored before it is resolved. */
export class Scans {
  readonly #parts: ScansParts
  /** The time of the last scan, in milliseconds. */
  #lastAt = 0

  constructor(parts: ScansParts) {
    this.#parts = parts
  }

  /**
   * Stores a scan and finds its meaning. The promise resolves when the scan and its result are durable, so that the
   * window plays the sound afterwards. Throws only if the scan could not be saved; otherwise a failure is part of the
   * result. If only the result could not be stored, the promise still resolves.
   */
  async submit({ raw, expect }: ArgsOf<'scan', 'submit'>): Promise<ScanOutcome> {
    const { journal } = this.#parts
    const id = crypto.randomUUID()
    const at = this.#nextTime()
    journal.append({ id, raw, at })
    const question = { scanId: id, raw, at: isoTime(at), expect, learns: true }
    return this.#noted(await this.#understand((resolver) => resolver.resolve(question), question))
  }

  /**
   * Returns the time of a new scan. It is later than the time of the previous scan, because the window lists scans by
   * their times and two scans may be made in the same millisecond. Exception: if the clock is a second or more behind
   * the previous scan, because it was set back, returns the time of the clock.
   */
  #nextTime(): Instant {
    const now = this.#parts.clock.now()
    const isNear = now <= this.#lastAt && this.#lastAt - now < nearMs
    this.#lastAt = isNear ? this.#lastAt + 1 : now
    return this.#lastAt
  }

  /**
   * Applies the operator's choice for an ambiguous scan and keeps it for later scans of that code or, if the operator
   * wants this, of all codes of its shape.
   */
  async choose({ id, expect, ...answer }: ArgsOf<'scan', 'choose'>): Promise<Result<ScanOutcome>> {
    const row = this.#parts.journal.get(id)
    if (!row) return fail('api.not_found')
    const question = { scanId: id, raw: row.raw, at: isoTime(row.at), expect, learns: false }
    return ok(this.#noted(await this.#understand((resolver) => resolver.choose(question, answer), question)))
  }

  /**
   * Removes a stored choice of what a code means, so that the operator is asked again at the next scan to which it
   * would apply.
   */
  forget(key: ArgsOf<'scan', 'forget'>): undefined {
    this.#parts.answers.forget(key)
  }

  /** Resolves a scan of the journal again. The journal stays unchanged, and no location is added to the book. */
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

  /**
   * Runs a step after the scan is saved. If the step throws, reports the error and returns `otherwise`, because the
   * scan must not fail.
   */
  #orElse<T>(otherwise: T, act: () => T): T {
    try {
      return act()
    } catch (error) {
      this.#parts.onFault(error)
      return otherwise
    }
  }

  #noted({ outcome, title, subjectId }: Found): ScanOutcome {
    // a failure to store the result is only reported, because the scan can be resolved again later
    this.#orElse(undefined, () => {
      this.#parts.journal.resolve(outcome.scanId, { kind: outcome.kind, title, subjectId })
    })
    if (outcome.kind !== 'return_label') return outcome
    // if `labelScanned` fails, the print counts as not scanned until the label is scanned again
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
