import type { PrintJobRow, PrintJobStore } from '../ports/print-jobs.ts'
import type { PrintOutcome } from '../ports/printers.ts'

/**
 * After this number of consecutive refusals of a document, its job is held for the operator, so that the next jobs of
 * the printer do not wait for it without end.
 */
const mostRefusals = 3

/**
 * Chooses the next job of a printer, and decides when a refused job must be held for the operator. The first waiting
 * job is always the next one, unless the printer has refused it three times or more for a reason that may be the
 * document or the printer. Then each second attempt is for one of the other jobs in turn. If the printer prints one of
 * them and then refuses the first job again, the reason is the document of the first job. If the printer refuses the
 * other jobs too, the reason may be the printer, so no job is held.
 */
export class Refusals {
  readonly #jobs: Pick<PrintJobStore, 'due'>
  readonly #printer: string
  /** The id of the first waiting job; null: no job waits. */
  #first: string | null = null
  /** The number of refusals of the first job that were, or may have been, due to its document. */
  #times = 0
  #isTurnOfOther = false
  /** The id of the other job that was sent last; null: none since the job `#first` is the first one. */
  #lastOther: string | null = null
  /** Whether the printer has printed another job after the third refusal of the first job. */
  #hasPrintedOther = false

  constructor(jobs: Pick<PrintJobStore, 'due'>, printer: string) {
    this.#jobs = jobs
    this.#printer = printer
  }

  /** Returns the job to send next; null: no job waits. */
  next(): PrintJobRow | null {
    const first = this.#jobs.due(this.#printer)
    if (!first || first.id !== this.#first) this.#begin(first?.id ?? null)
    if (!first || !this.#isTurnOfOther) return first
    const other = this.#jobs.due(this.#printer, this.#lastOther ?? first.id)
    return other ?? this.#jobs.due(this.#printer, first.id) ?? first
  }

  /** Notes the outcome of an attempt. Returns true if the job must be held because of its document. */
  note({ id }: PrintJobRow, outcome: PrintOutcome): boolean {
    this.#isTurnOfOther = false
    if (id !== this.#first) {
      this.#lastOther = id
      // a partial or unconfirmed print does not show that the printer accepts documents
      this.#hasPrintedOther ||= ['sent', 'spooled', 'confirmed'].includes(outcome.kind)
      return false
    }
    if (outcome.kind !== 'refused' || !outcome.isOfDocument) return false
    this.#times++
    if (this.#times < mostRefusals) return false
    if (outcome.isOfDocument === true || this.#hasPrintedOther) {
      // forgets the refusals of the job: if the operator releases it, its refusals are counted from 0
      this.#begin(null)
      return true
    }
    this.#isTurnOfOther = true
    return false
  }

  #begin(first: string | null): void {
    this.#first = first
    this.#times = 0
    this.#isTurnOfOther = false
    this.#lastOther = null
    this.#hasPrintedOther = false
  }
}
