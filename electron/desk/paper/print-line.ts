import type { LabelId } from '#shared/domain/ids.ts'
import { type PrintHold, type PrintState, provesUnknownPrint } from '#shared/domain/print-job.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { LabelLedger } from '../ports/label-ledger.ts'
import type { PrintJobRow, PrintJobStore, PrintMove } from '../ports/print-jobs.ts'
import type {
  PreparedPrint,
  PrinterCondition,
  PrintersPort,
  PrintOutcome,
  PrintRequest,
} from '../ports/printers.ts'
import type { Vault } from '../ports/store.ts'
import {
  type Backoff,
  createBackoff,
  createPresses,
  createWorker,
  type Presses,
  type Worker,
} from '../timing/worker.ts'
import { withTimeout, writeUntilStored } from '../timing/calls.ts'
import { DrawnPrint, mayPass, requestOf } from './drawn-print.ts'
import { PlainJobs } from './plain-jobs.ts'
import { PrinterWatch } from './printer-watch.ts'
import { Refusals } from './refusals.ts'

/** A print that failed because its PDF was missing or damaged. */
export interface DocumentLoss {
  readonly labelId: LabelId
  /**
   * Whether the label still referred to the lost PDF when the loss was found. False: the label had no PDF or another
   * one.
   */
  readonly wasStored: boolean
}

export interface PrintLineParts {
  readonly jobs: PrintJobStore
  readonly labels: LabelLedger
  readonly vault: Vault
  readonly printers: PrintersPort
  readonly clock: ClockPort
  /** Returns the reason to hold a prepared job; null: the job may be sent. */
  readonly check: (job: PrintJobRow, prepared: PreparedPrint) => PrintHold | null
  /** Reports that a job of this label has changed. */
  readonly moved: (labelId: LabelId) => void
  readonly printerChanged: () => void
  /** Reports that the printer of a waiting job was removed. */
  readonly orphaned: () => void
  /**
   * Reports that the PDF of a print was missing or damaged, after the ledger has stored this loss. The listener then
   * downloads the PDF of the label again and queues a new print, unless the label has lost its stored PDF too often in
   * a row.
   */
  readonly documentLost: (loss: DocumentLoss) => void
  readonly onFault: (error: unknown) => void
}

/**
 * Maximum time for which the print line of a printer waits for the printer's evidence about jobs of an earlier run, in
 * milliseconds. During this time it prints nothing.
 */
const lookBackMs = 15_000

/**
 * Prints the jobs of one printer, one at a time. Each job is drawn and checked first. The state `sending` is committed
 * before the first byte is sent. A job is sent again only if no part of it reached the printer. A job that may have
 * been printed becomes `unknown`, and the operator decides (ARCHITECTURE.md, decision 7).
 */
export class PrintLine {
  readonly name: string
  readonly #parts: PrintLineParts
  readonly #worker: Worker
  readonly #backoff: Backoff
  readonly #presses: Presses
  readonly #plain: PlainJobs
  readonly #watch: PrinterWatch
  readonly #drawn: DrawnPrint
  readonly #refusals: Refusals
  /**
   * Jobs in the state `unknown` from an earlier run of the desk. The printer is asked whether it printed them. Null:
   * `start` was not called yet, or the printer is being asked or was asked.
   */
  #cutShort: readonly PrintJobRow[] | null = null
  #isClosing = false

  constructor(name: string, parts: PrintLineParts) {
    this.name = name
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    this.#backoff = createBackoff(parts.clock, 1_000, 30_000)
    this.#presses = createPresses(parts.clock, () => this.#endPause(), parts.onFault)
    this.#plain = new PlainJobs(parts.onFault)
    this.#drawn = new DrawnPrint(parts)
    this.#refusals = new Refusals(parts.jobs, name)
    this.#watch = new PrinterWatch({
      clock: parts.clock,
      printer: () => parts.printers.named(name),
      changed: parts.printerChanged,
    })
  }

  get condition(): PrinterCondition {
    return this.#watch.condition
  }

  /**
   * Whether this print line is idle: nothing is being printed, and no print without a print job (see `PlainPaper`)
   * waits.
   */
  get isIdle(): boolean {
    return !this.#worker.isRunning() && this.#plain.isEmpty
  }

  /**
   * Starts this print line. First searches for evidence that the given jobs were printed, because the printer may
   * delete its records of old jobs when it prints new ones.
   */
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

  /**
   * Ends the pause, because the operator asks for a print. The pause is ended at most once in two seconds (see
   * `Presses`).
   */
  retryNow(): void {
    // only a request that ends a pause counts towards the limit of `Presses`, so that a request without effect does not
    // delay the next request
    if (this.#backoff.waitMs() > 0) this.#presses.press()
    this.kick()
  }

  /** Prints a document without a print job (see `PlainPaper`), between two print jobs. Never repeats the print. */
  printPlain(request: PrintRequest): Promise<PrintOutcome> {
    const outcome = this.#plain.add(request)
    this.kick()
    return outcome
  }

  close(): Promise<void> {
    this.#isClosing = true
    this.#presses.stop()
    this.#plain.close()
    return this.#worker.close()
  }

  #endPause(): void {
    this.#backoff.reset()
    this.kick()
  }

  async #step(): Promise<number | null> {
    const { jobs, labels, printers, clock, moved } = this.#parts
    if (this.#cutShort) return this.#lookBack()
    if (!this.#plain.isEmpty) return this.#printPlain()
    const waitMs = this.#backoff.waitMs()
    if (waitMs > 0) return waitMs
    const printer = printers.named(this.name)
    const job = printer && this.#refusals.next()
    if (!job) {
      this.#drawn.forget()
      return printer ? this.#watch.lookAgain() : null
    }
    const drawn = await this.#drawn.of(printer, job)
    if (this.#isClosing) return null
    if (drawn === null) {
      // the job is queued or refused; if the operator has discarded the job meanwhile, documentLost() returns false,
      // and the PDF is not downloaded again
      const { labelId } = job
      const wasStored = labels.get(labelId)?.documentHash === job.documentHash
      if (labels.documentLost(job, clock.now())) {
        moved(labelId)
        this.#parts.documentLost({ labelId, wasStored })
      }
      return 0
    }
    // starts again with the current state if an operator has moved or discarded the job, changed its placement or
    // exchanged the printer meanwhile
    if (!isAsItWas(job, jobs.get(job.id)) || printers.named(this.name) !== printer) return 0
    const ready = drawn.ok ? drawn.value : null
    const hold = ready ? this.#check(job, ready) : holdOf(drawn)
    if (hold) {
      this.#drawn.forget()
      if (jobs.hold(job.id, hold)) this.#parts.moved(job.labelId)
      return 0
    }
    if (!ready) {
      if (!drawn.ok) this.#move(job, job.state, 'failed', { failure: drawn.error })
      return 0
    }
    return this.#send(job, ready)
  }

  async #lookBack(): Promise<number> {
    const { labels, printers, clock } = this.#parts
    const cutShort = this.#cutShort ?? []
    this.#cutShort = null
    const requests = cutShort.map((job) => requestOf(job, labels))
    const answer = requests.length > 0 && printers.named(this.name)?.lookFor(requests)
    const found = answer ? await withTimeout(clock, lookBackMs, answer, () => null) : null
    for (const job of cutShort) {
      const evidence = found?.get(job.id)
      const confirm = (): void => void this.#move(job, 'unknown', 'confirmed', { ...evidence })
      if (evidence && !this.#isClosing) await writeUntilStored(this.#parts, () => this.#isClosing, confirm)
    }
    if (!this.#isClosing) await this.look()
    return 0
  }

  async #printPlain(): Promise<number> {
    const printer = this.#parts.printers.named(this.name)
    const outcome = await this.#plain.printNext(this.name, printer)
    // a document that does not fit the paper does not change the condition of the printer
    const isOfPrinter = outcome?.kind !== 'refused' || outcome.failure.code === 'printer.refused'
    if (outcome && isOfPrinter && !this.#isClosing) await this.#watch.after(outcome, printer)
    return 0
  }

  async #send(job: PrintJobRow, ready: PreparedPrint): Promise<number> {
    if (job.state === 'refused') this.#move(job, 'refused', 'queued', {})
    if (!this.#move(job, 'queued', 'sending', { pageCount: ready.pages.length })) return 0
    const printer = this.#parts.printers.named(this.name)
    const outcome = await this.#try(() => ready.send())
    // drawn pages are kept only for a refused job, because no other job is sent again
    if (outcome.kind !== 'refused') this.#drawn.forget()
    const mustHold = this.#refusals.note(job, outcome)
    await writeUntilStored(
      this.#parts,
      () => this.#isClosing,
      () => this.#conclude(job, outcome, mustHold),
    )
    if (!this.#isClosing) await this.#watch.after(outcome, printer)
    return 0
  }

  #check(job: PrintJobRow, ready: PreparedPrint): PrintHold | null {
    return job.isReleased ? null : this.#parts.check(job, ready)
  }

  /** Sends the job. If the driver throws, the outcome is unknown, because the paper may have been printed. */
  async #try(send: () => Promise<PrintOutcome>): Promise<PrintOutcome> {
    try {
      return await send()
    } catch (error) {
      this.#parts.onFault(error)
      return { kind: 'unconfirmed', failure: failure('printer.outcome_unknown', { cause: 'driver' }) }
    }
  }

  /** Stores the outcome. `mustHold`: the job is then held for the operator, because its document was refused. */
  #conclude(job: PrintJobRow, outcome: PrintOutcome, mustHold: boolean): void {
    const sent = this.#parts.jobs.get(job.id)
    const scan = sent && isProvenByScan(sent, outcome) ? sent.evidence : null
    if (scan) {
      this.#move(job, 'sending', 'scan_confirmed', { evidence: scan })
      this.#backoff.reset()
      return
    }
    switch (outcome.kind) {
      case 'refused': {
        this.#move(job, 'sending', 'refused', { failure: outcome.failure })
        const isHeld = mustHold && this.#holdRefused(job)
        if (!isHeld) this.#backoff.failed()
        // if the printer was removed during the attempt, the refused job needs another printer
        if (!this.#parts.printers.named(this.name)) this.#parts.orphaned()
        if (isHeld) break
        return
      }
      case 'sent':
      case 'spooled':
        this.#move(job, 'sending', outcome.kind, {})
        break
      case 'confirmed':
        this.#move(job, 'sending', 'confirmed', { evidence: outcome.evidence, file: outcome.file })
        break
      case 'partial':
      case 'unconfirmed':
        this.#move(job, 'sending', 'unknown', { failure: outcome.failure })
        break
    }
    this.#backoff.reset()
  }

  /** Holds the job. Returns false if the job no longer waits. */
  #holdRefused(job: PrintJobRow): boolean {
    if (!this.#parts.jobs.hold(job.id, { kind: 'refused' })) return false
    this.#drawn.forget()
    this.#parts.moved(job.labelId)
    return true
  }

  /** Changes the state of the job. Returns false if the job is no longer in the state `from`. */
  #move(job: PrintJobRow, from: PrintState, to: PrintState, details: Partial<PrintMove>): boolean {
    const { jobs, clock, moved } = this.#parts
    const move = { at: clock.now(), failure: null, evidence: null, file: null, ...details }
    if (!jobs.move(job.id, from, to, move)) return false
    moved(job.labelId)
    return true
  }
}

/**
 * Whether a scan of the label while the job was being sent proves this print. After a refusal the scanned paper comes
 * from another print, and a file is not on paper yet.
 */
function isProvenByScan(job: PrintJobRow, outcome: PrintOutcome): boolean {
  switch (outcome.kind) {
    case 'refused':
      return false
    case 'sent':
    case 'spooled':
      return true
    case 'confirmed':
      return outcome.file === null
    case 'partial':
    case 'unconfirmed':
      return provesUnknownPrint(job)
  }
}

/** Whether the job has not changed since it was drawn. */
function isAsItWas(job: PrintJobRow, now: PrintJobRow | null): boolean {
  if (now === null || now.hold !== null || now.isReleased !== job.isReleased) return false
  const isAlike = now.state === job.state && now.printer === job.printer
  return isAlike && JSON.stringify(now.placement) === JSON.stringify(job.placement)
}

/**
 * Returns the reason to hold the job in two cases. In the first case the paper is too narrow for the label: the
 * operator can choose another printer or placement. In the second case the reason of the failure may pass: the operator
 * can try again. Returns null for any other failure, because the operator can choose nothing then.
 */
function holdOf(prepared: Result<PreparedPrint>): PrintHold | null {
  if (prepared.ok) return null
  if (mayPass(prepared.error)) return { kind: 'not_drawn' }
  if (prepared.error.code !== 'printer.paper_too_narrow') return null
  const { neededMm, printableMm } = prepared.error.params
  return { kind: 'does_not_fit', neededMm: toMm(neededMm), printableMm: toMm(printableMm) }
}

function toMm(param: Failure['params'][string] | undefined): number | null {
  return typeof param === 'number' ? param : null
}
