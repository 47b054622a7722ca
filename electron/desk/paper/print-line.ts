import type { LabelId } from '#shared/domain/ids.ts'
import type { PrintHold, PrintState } from '#shared/domain/print-job.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { LabelLedger } from '../ports/label-ledger.ts'
import type { PrintJobRow, PrintJobStore, PrintMove } from '../ports/print-jobs.ts'
import type {
  PreparedPrint,
  PrinterCondition,
  PrinterPort,
  PrintersPort,
  PrintOutcome,
  PrintRequest,
} from '../ports/printers.ts'
import type { Vault } from '../ports/store.ts'
import { type Backoff, createBackoff, createWorker, type Worker } from '../timing/worker.ts'
import { withTimeout, writeUntilStored } from '../timing/calls.ts'
import { DrawnPrint, requestOf } from './drawn-print.ts'
import { PlainJobs } from './plain-jobs.ts'

export interface PrintLineParts {
  readonly jobs: PrintJobStore
  readonly labels: LabelLedger
  readonly vault: Vault
  readonly printers: PrintersPort
  readonly clock: ClockPort
  /** What keeps a job that was made ready from being sent; null: nothing. */
  readonly check: (job: PrintJobRow, prepared: PreparedPrint) => PrintHold | null
  /** A job of this label moved. */
  readonly moved: (labelId: LabelId) => void
  readonly printerChanged: () => void
  /** The printer of a job that waits stands here no more. */
  readonly orphaned: () => void
  /** Its PDF is not in the vault as it was stored: who can get it again brings it, and queues the print anew. */
  readonly documentLost: (job: PrintJobRow) => void
  readonly onFault: (error: unknown) => void
}

/** For a printer to say what became of the jobs of an earlier run; nothing is printed meanwhile. */
const lookBackMs = 15_000

/**
 * The jobs of one printer, one at a time. What would come out is looked at first. `sending` is committed before the first
 * byte leaves; only a job of which nothing reached the printer is tried again; whatever may have printed is held as
 * `unknown` for the operator (ARCHITECTURE.md, Printing).
 */
export class PrintLine {
  readonly name: string
  readonly #parts: PrintLineParts
  readonly #worker: Worker
  readonly #backoff: Backoff
  readonly #plain: PlainJobs
  readonly #watch: PrinterWatch
  readonly #drawn: DrawnPrint
  /** What an earlier run left `unknown`; null: the look for it was begun, or there was no start. */
  #cutShort: readonly PrintJobRow[] | null = null
  #isClosing = false

  constructor(name: string, parts: PrintLineParts) {
    this.name = name
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    this.#backoff = createBackoff(parts.clock, 1_000, 30_000)
    this.#plain = new PlainJobs(parts.onFault)
    this.#drawn = new DrawnPrint(parts)
    this.#watch = new PrinterWatch({
      clock: parts.clock,
      printer: () => parts.printers.named(name),
      changed: parts.printerChanged,
    })
  }

  get condition(): PrinterCondition {
    return this.#watch.condition
  }

  /** Looks for these jobs first: a printer may forget them behind the next ones. */
  start(cutShort: readonly PrintJobRow[]): void {
    this.#cutShort = cutShort
    this.kick()
  }

  look(): Promise<void> {
    return this.#watch.look()
  }

  kick(): void {
    this.#worker.kick()
  }

  /** Somebody asks for paper now: no waiting for the next try. */
  retryNow(): void {
    this.#backoff.reset()
    this.kick()
  }

  /** Paper that is no job's: goes between two jobs, once. */
  printPlain(request: PrintRequest): Promise<PrintOutcome> {
    const outcome = this.#plain.add(request)
    this.kick()
    return outcome
  }

  close(): Promise<void> {
    this.#isClosing = true
    this.#plain.close()
    return this.#worker.close()
  }

  async #step(): Promise<number | null> {
    const { jobs, printers } = this.#parts
    if (this.#cutShort) return this.#lookBack()
    if (!this.#plain.isEmpty) return this.#printPlain()
    const waitMs = this.#backoff.waitMs()
    if (waitMs > 0) return waitMs
    const printer = printers.named(this.name)
    const job = printer && jobs.due(this.name)
    if (!job) {
      this.#drawn.forget()
      return printer ? this.#watch.lookAgain() : null
    }
    const drawn = await this.#drawn.of(printer, job)
    if (this.#isClosing) return null
    if (drawn === null) {
      // a refused job may be given up as well as a queued one; what an operator gave up meanwhile is not wanted any more
      if (this.move(job, job.state, 'failed', { failure: failure('document.missing') }))
        this.#parts.documentLost(job)
      return 0
    }
    // an operator may have moved it, laid it otherwise or given it up while it was drawn, or exchanged the printer: begin
    // again with what is so now
    if (!isAsItWas(job, jobs.get(job.id)) || printers.named(this.name) !== printer) return 0
    const ready = drawn.ok ? drawn.value : null
    const hold = ready ? this.#check(job, ready) : holdOf(drawn)
    if (hold) {
      this.#drawn.forget()
      if (jobs.hold(job.id, hold)) this.#parts.moved(job.labelId)
      return 0
    }
    if (!ready) {
      if (!drawn.ok) this.move(job, job.state, 'failed', { failure: drawn.error })
      return 0
    }
    return this.#send(job, ready)
  }

  async #lookBack(): Promise<number> {
    const { labels, printers, clock } = this.#parts
    const cutShort = this.#cutShort ?? []
    this.#cutShort = null
    const asked = cutShort.map((job) => requestOf(job, labels))
    const answer = asked.length > 0 && printers.named(this.name)?.lookFor(asked)
    const found = answer ? await withTimeout(clock, lookBackMs, answer, () => null) : null
    for (const job of cutShort) {
      const evidence = found?.get(job.id)
      const confirm = (): void => void this.move(job, 'unknown', 'confirmed', { ...evidence })
      if (evidence && !this.#isClosing) await writeUntilStored(this.#parts, () => this.#isClosing, confirm)
    }
    if (!this.#isClosing) await this.look()
    return 0
  }

  async #printPlain(): Promise<number> {
    const outcome = await this.#plain.printNext(this.name, this.#parts.printers.named(this.name))
    // a document that does not fit says nothing of the printer
    const isOfPrinter = outcome?.kind !== 'refused' || outcome.failure.code === 'printer.refused'
    if (outcome && isOfPrinter && !this.#isClosing) await this.#watch.after(outcome)
    return 0
  }

  async #send(job: PrintJobRow, ready: PreparedPrint): Promise<number> {
    if (job.state === 'refused') this.move(job, 'refused', 'queued', {})
    if (!this.move(job, 'queued', 'sending', {})) return 0
    const outcome = await this.#try(() => ready.send())
    // what was not refused is never tried again
    if (outcome.kind !== 'refused') this.#drawn.forget()
    await writeUntilStored(
      this.#parts,
      () => this.#isClosing,
      () => this.#conclude(job, outcome),
    )
    if (!this.#isClosing) await this.#watch.after(outcome)
    return 0
  }

  #check(job: PrintJobRow, ready: PreparedPrint): PrintHold | null {
    return job.isReleased ? null : this.#parts.check(job, ready)
  }

  /** A driver that throws has told nothing: perhaps there is paper. */
  async #try(send: () => Promise<PrintOutcome>): Promise<PrintOutcome> {
    try {
      return await send()
    } catch (error) {
      this.#parts.onFault(error)
      return { kind: 'unconfirmed', failure: failure('printer.outcome_unknown', { cause: 'driver' }) }
    }
  }

  #conclude(job: PrintJobRow, outcome: PrintOutcome): void {
    switch (outcome.kind) {
      case 'refused':
        this.move(job, 'sending', 'refused', { failure: outcome.failure })
        this.#backoff.failed()
        // chosen while this one was asked: what it refused waits for the other, too
        if (!this.#parts.printers.named(this.name)) this.#parts.orphaned()
        return
      case 'sent':
      case 'spooled':
        this.move(job, 'sending', outcome.kind, {})
        break
      case 'confirmed':
        this.move(job, 'sending', 'confirmed', { evidence: outcome.evidence, file: outcome.file })
        break
      case 'partial':
      case 'unconfirmed':
        this.move(job, 'sending', 'unknown', { failure: outcome.failure })
        break
    }
    this.#backoff.reset()
  }

  /** False if the job has moved on meanwhile. */
  move(job: PrintJobRow, from: PrintState, to: PrintState, details: Partial<PrintMove>): boolean {
    const { jobs, clock, moved } = this.#parts
    const move = { at: clock.now(), failure: null, evidence: null, file: null, ...details }
    if (!jobs.move(job.id, from, to, move)) return false
    moved(job.labelId)
    return true
  }
}

/** Whether nobody decided about a job since it was taken up. */
function isAsItWas(job: PrintJobRow, now: PrintJobRow | null): boolean {
  if (now === null || now.hold !== null || now.isReleased !== job.isReleased) return false
  const isAlike = now.state === job.state && now.printer === job.printer
  return isAlike && JSON.stringify(now.placement) === JSON.stringify(job.placement)
}

/** Paper that cannot carry the label is a question for the operator; a document that nobody can read is not. */
function holdOf(prepared: Result<PreparedPrint>): PrintHold | null {
  if (prepared.ok || prepared.error.code !== 'printer.paper_too_narrow') return null
  const { neededMm, printableMm } = prepared.error.params
  return { kind: 'does_not_fit', neededMm: toMm(neededMm), printableMm: toMm(printableMm) }
}

function toMm(param: Failure['params'][string] | undefined): number | null {
  return typeof param === 'number' ? param : null
}

interface PrinterWatchParts {
  readonly clock: ClockPort
  /** Null where it stands here no more. */
  readonly printer: () => PrinterPort | null
  /** It is otherwise than it was, or for another reason. */
  readonly changed: () => void
}

const lookAgainMs = 30_000

/** How one printer is, as far as it says so and as its jobs show it. */
class PrinterWatch {
  readonly #parts: PrinterWatchParts
  #condition: PrinterCondition = { state: 'unknown', failure: null }
  #notedAt = 0

  constructor(parts: PrinterWatchParts) {
    this.#parts = parts
  }

  get condition(): PrinterCondition {
    return this.#condition
  }

  async look(): Promise<void> {
    const now = await this.#parts.printer()?.status()
    if (now) this.#note(now)
  }

  /** A job of it ended so. One that was ready stays as it was, with what there is to mind of it. */
  async after(outcome: PrintOutcome): Promise<void> {
    switch (outcome.kind) {
      case 'refused':
        this.#note({ state: 'refused', failure: outcome.failure })
        return
      case 'partial':
      case 'unconfirmed':
        return this.look()
      default: {
        const { state } = this.#condition
        if (state === 'ready') return
        // it printed, whatever it says or does not say; one that is well again may have something to mind
        const now = state === 'refused' ? await this.#parts.printer()?.status() : null
        this.#note(now && now.state !== 'unknown' ? now : { state: 'ready', failure: null })
      }
    }
  }

  /**
   * Nothing is sent to a printer that refused while nothing waits for it, so it is asked now and then: else nobody would
   * hear that it is well again. Answers in how many milliseconds next; null: no need.
   */
  async lookAgain(): Promise<number | null> {
    if (this.#condition.state !== 'refused') return null
    const waitMs = this.#notedAt + lookAgainMs - this.#parts.clock.ticks()
    if (waitMs > 0) return waitMs
    await this.look()
    return this.condition.state === 'refused' ? lookAgainMs : null
  }

  #note(condition: PrinterCondition): void {
    const isSame = JSON.stringify(condition) === JSON.stringify(this.#condition)
    this.#condition = condition
    this.#notedAt = this.#parts.clock.ticks()
    if (!isSame) this.#parts.changed()
  }
}
