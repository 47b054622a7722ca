import { type ErrorCode, failure } from '#shared/errors/catalogue.ts'
import type { PrintState } from '#shared/domain/print-state.ts'
import { type Backoff, createBackoff } from '../timing/backoff.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { PrinterPort, PrintOutcome } from '../ports/printers.ts'
import type { LabelLedger } from '../ports/label-ledger.ts'
import type { PrintJobRow, PrintJobStore, PrintMove } from '../ports/print-jobs.ts'
import type { Vault } from '../ports/store.ts'
import { settle } from '../timing/settle.ts'
import { createWorker, type Worker } from '../timing/worker.ts'

export interface PrintQueueParts {
  readonly jobs: PrintJobStore
  readonly labels: LabelLedger
  readonly vault: Vault
  readonly printer: PrinterPort
  readonly clock: ClockPort
  /** A job of this label moved. */
  readonly moved: (labelId: string) => void
  readonly printerChanged: () => void
  /** Its PDF is not in the vault as it was stored: who can get it again brings it, and queues the print anew. */
  readonly documentLost: (job: PrintJobRow) => void
  readonly onFault: (error: unknown) => void
}

export type PrinterState = 'ready' | 'refused' | 'unknown'

/** Refusals of the document, not of the printer's condition: it will never print, however often it is tried. */
const unprintable: readonly ErrorCode[] = [
  'printer.paper_too_narrow',
  'document.not_a_pdf',
  'document.unreadable',
]

/**
 * One job at a time. `sending` is committed before the first byte leaves; only a job of which nothing reached the
 * printer is tried again, unless the printer can never print it; whatever may have printed is held as `unknown` for the
 * operator (ARCHITECTURE.md, Printing).
 */
export class PrintQueue {
  readonly #parts: PrintQueueParts
  readonly #worker: Worker
  readonly #backoff: Backoff
  #printerState: PrinterState = 'unknown'
  #isClosing = false

  constructor(parts: PrintQueueParts) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    this.#backoff = createBackoff(parts.clock, 1_000, 30_000)
  }

  get printerName(): string {
    return this.#parts.printer.name
  }

  get printerState(): PrinterState {
    return this.#printerState
  }

  /** Jobs that a crash cut short are `unknown`, unless the printer can show that they printed. */
  async start(): Promise<void> {
    const { jobs, printer, clock } = this.#parts
    jobs.recover(clock.now())
    for (const job of jobs.open().filter(({ state }) => state === 'unknown')) {
      const proof = await printer.lookFor(this.#requestOf(job))
      if (proof) this.#move(job, 'unknown', 'confirmed', { evidence: proof.evidence, file: proof.file })
    }
    // the printer may have been exchanged while this station was not open
    jobs.reroute(printer.name)
    await this.#look()
    this.kick()
  }

  /** Another printer stands here now: what nothing of has reached the old one goes to it. */
  async printerChanged(): Promise<void> {
    this.#parts.jobs.reroute(this.#parts.printer.name)
    await this.#look()
    this.retryNow()
  }

  async #look(): Promise<void> {
    this.#note((await this.#parts.printer.status()).state)
  }

  kick(): void {
    this.#worker.kick()
  }

  /** Somebody asks for paper now: no waiting for the next try. */
  retryNow(): void {
    this.#backoff.reset()
    this.kick()
  }

  /**
   * One more print of a label's document. A job that still waits is that print; one that nobody knows about is closed,
   * since the operator has just decided to print again.
   */
  reprint(labelId: string, documentHash: string, newest: PrintJobRow | null): void {
    const { jobs, clock, printer } = this.#parts
    const isWaiting = newest && ['queued', 'refused', 'sending'].includes(newest.state)
    if (newest?.state === 'unknown')
      this.#move(newest, 'unknown', 'failed', {
        failure: failure('printer.outcome_unknown', { by: 'reprint' }),
      })
    if (!isWaiting)
      jobs.add(labelId, documentHash, {
        id: crypto.randomUUID(),
        printer: printer.name,
        isReprint: true,
        at: clock.now(),
      })
    this.retryNow()
  }

  close(): Promise<void> {
    this.#isClosing = true
    return this.#worker.close()
  }

  async #step(): Promise<number | null> {
    const waitMs = this.#backoff.waitMs()
    if (waitMs > 0) return waitMs
    const job = this.#parts.jobs.due(this.#parts.printer.name)
    if (!job) return null
    const document = await this.#parts.vault.read(job.documentHash)
    if (!document) {
      // a refused job may be given up as well as a queued one
      this.#move(job, job.state, 'failed', { failure: failure('document.missing') })
      this.#parts.documentLost(job)
      return 0
    }
    if (job.state === 'refused') this.#move(job, 'refused', 'queued', {})
    if (!this.#move(job, 'queued', 'sending', {})) return 0
    const outcome = await this.#print(job, document)
    await settle(
      this.#parts,
      () => this.#isClosing,
      () => this.#conclude(job, outcome),
    )
    return 0
  }

  /** A driver that throws has told nothing: perhaps there is paper. */
  async #print(job: PrintJobRow, document: Uint8Array): Promise<PrintOutcome> {
    const { printer, onFault } = this.#parts
    try {
      return await printer.print({ ...this.#requestOf(job), document })
    } catch (error) {
      onFault(error)
      return { kind: 'unconfirmed', failure: failure('printer.outcome_unknown', { cause: 'driver' }) }
    }
  }

  #conclude(job: PrintJobRow, outcome: PrintOutcome): void {
    switch (outcome.kind) {
      case 'refused':
        if (unprintable.includes(outcome.failure.code)) {
          // the labels behind it go on; the printer was not asked, so nothing is known of it
          this.#move(job, 'sending', 'failed', { failure: outcome.failure })
          return
        }
        this.#move(job, 'sending', 'refused', { failure: outcome.failure })
        if (job.printer === this.#parts.printer.name) {
          this.#backoff.failed()
          this.#note('refused')
          // chosen while this one was asked: what it refused waits for the other, too
        } else this.#parts.jobs.reroute(this.#parts.printer.name)
        return
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
    this.#note('ready')
  }

  #requestOf(job: PrintJobRow): Parameters<PrinterPort['lookFor']>[0] {
    return {
      jobId: job.id,
      isReprint: job.isReprint,
      externalReference: this.#parts.labels.get(job.labelId)?.externalReference ?? null,
      createdAt: job.createdAt,
    }
  }

  #move(job: PrintJobRow, from: PrintState, to: PrintState, details: Partial<PrintMove>): boolean {
    const { jobs, clock, moved } = this.#parts
    const move = { at: clock.now(), failure: null, evidence: null, file: null, ...details }
    if (!jobs.move(job.id, from, to, move)) return false
    moved(job.labelId)
    return true
  }

  #note(state: PrinterState): void {
    if (state === this.#printerState) return
    this.#printerState = state
    this.#parts.printerChanged()
  }
}
