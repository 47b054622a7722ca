import type { LabelId } from '#shared/domain/ids.ts'
import type { ReprintReason } from '#shared/domain/print-job.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { PrintJobRow } from '../ports/print-jobs.ts'
import type { PrinterCondition, PrinterPort, PrintOutcome, PrintRequest } from '../ports/printers.ts'
import { PrintLine, type PrintLineParts } from './print-line.ts'

type PrintQueueParts = Omit<PrintLineParts, 'orphaned'>

interface Reprint {
  readonly newest: PrintJobRow | null
  readonly reason: ReprintReason | null
  readonly printer: string
}

/** Every printer's line of jobs: one at a time in each, side by side between them. */
export class PrintQueue {
  readonly #parts: PrintLineParts
  readonly #lines = new Map<string, PrintLine>()

  constructor(parts: PrintQueueParts) {
    this.#parts = {
      ...parts,
      orphaned: () => {
        this.#reroute()
        this.kick()
      },
    }
  }

  /** The first printer: it takes whatever no route names. */
  get standard(): PrinterPort {
    const [first] = this.#parts.printers.all()
    if (!first) throw new Error('a desk has at least one printer')
    return first
  }

  /** The one that return labels come out of, as far as is known before there is one. */
  get usual(): PrinterPort {
    return this.#parts.printers.usual('return_label')
  }

  /** The one that a return label of the vault comes out of; the first where the document is not there. */
  async printerFor(documentHash: string): Promise<PrinterPort> {
    const document = await this.#parts.vault.read(documentHash)
    return document ? this.#parts.printers.forPaper('return_label', document) : this.standard
  }

  conditionOf(name: string): PrinterCondition {
    return this.#line(name).condition
  }

  /**
   * Jobs that a crash cut short are `unknown`, unless the printer can show that they printed. Each line looks for its own
   * behind the start: a desk opens whatever its printers do.
   */
  start(): void {
    const { jobs, clock } = this.#parts
    jobs.recover(clock.now())
    const unknown = jobs.open().filter(({ state }) => state === 'unknown')
    this.#reroute()
    for (const line of this.#current()) line.start(unknown.filter(({ printer }) => printer === line.name))
  }

  /** Other printers stand here now: what nothing of has reached a printer that is gone goes to the standard one. */
  async printersChanged(): Promise<void> {
    this.#reroute()
    await Promise.all(this.#current().map((line) => line.look()))
    this.retryNow()
  }

  kick(): void {
    for (const line of this.#current()) line.kick()
  }

  /** Somebody asks for paper now: no waiting for the next try. */
  retryNow(): void {
    for (const line of this.#current()) line.retryNow()
  }

  /**
   * One more print of a label's document. A job that still waits is that print; one that nobody knows about is closed,
   * since the operator has just decided to print again. `newest`: its last print as it is in this very moment.
   */
  reprint(labelId: LabelId, documentHash: string, { newest, reason, printer }: Reprint): void {
    const { jobs, clock } = this.#parts
    const isWaiting = newest && ['queued', 'refused', 'sending'].includes(newest.state)
    if (newest?.state === 'unknown')
      this.#line(newest.printer).move(newest, 'unknown', 'failed', {
        failure: failure('printer.outcome_unknown', { by: 'reprint' }),
      })
    if (!isWaiting)
      jobs.add(labelId, documentHash, {
        id: crypto.randomUUID(),
        printer,
        // of a label that was never printed here somebody elsewhere may have the paper
        isReprint: newest === null || mayHavePrinted(newest),
        reason,
        at: clock.now(),
      })
    this.retryNow()
  }

  /** Paper that is no job's: goes between two jobs of that printer, once. */
  printPlain(name: string, request: PrintRequest): Promise<PrintOutcome> {
    return this.#line(name).printPlain(request)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => line.close()))
  }

  #reroute(): void {
    const { jobs, printers } = this.#parts
    jobs.reroute(
      printers.all().map(({ name }) => name),
      this.standard.name,
    )
  }

  #current(): PrintLine[] {
    return this.#parts.printers.all().map(({ name }) => this.#line(name))
  }

  #line(name: string): PrintLine {
    const known = this.#lines.get(name)
    if (known) return known
    const line = new PrintLine(name, this.#parts)
    this.#lines.set(name, line)
    return line
  }
}

/** Whether there may be a paper already, from which a second one has to be told. */
export function mayHavePrinted({ state, isReprint, failure }: PrintJobRow): boolean {
  if (isReprint || failure?.code === 'printer.outcome_unknown') return true
  return state !== 'queued' && state !== 'refused' && state !== 'failed'
}
