import type { LabelId } from '#shared/domain/ids.ts'
import type { ReprintReason } from '#shared/domain/print-job.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { PrintJobRow, PrintReplaced } from '../ports/print-jobs.ts'
import type { PrinterCondition, PrinterPort, PrintOutcome, PrintRequest } from '../ports/printers.ts'
import { PrintLine, type PrintLineParts } from './print-line.ts'

type PrintQueueParts = Omit<PrintLineParts, 'orphaned'>

interface Reprint {
  readonly newest: PrintJobRow | null
  readonly reason: ReprintReason | null
  readonly printer: string
  /** The decision by which an operator requested the print; null: it was requested in another way. */
  readonly decided: PrintReplaced['decided']
}

/**
 * Manages one print line for each printer. Each printer prints one job at a time; several printers print in parallel.
 */
export class PrintQueue {
  readonly #parts: PrintLineParts
  readonly #lines = new Map<string, PrintLine>()
  /**
   * The printers when it was last decided which held jobs must be drawn again for other paper. A printer with new
   * settings is another object.
   */
  #known: readonly PrinterPort[] = []

  constructor(parts: PrintQueueParts) {
    this.#parts = {
      ...parts,
      orphaned: () => {
        this.#reroute()
        this.kick()
      },
    }
  }

  /** The first printer. It prints all paper that no route of this station assigns to a printer. */
  get standard(): PrinterPort {
    const [first] = this.#parts.printers.all()
    if (!first) throw new Error('a desk needs at least one printer')
    return first
  }

  /** The printer for return labels, for use while the document of a label is not known. */
  get usual(): PrinterPort {
    return this.#parts.printers.usual('return_label')
  }

  /** Returns the printer for a stored return label. Returns the first printer if the document is missing. */
  async printerFor(documentHash: string): Promise<PrinterPort> {
    const document = await this.#parts.vault.read(documentHash)
    return document ? this.#parts.printers.forPaper('return_label', document) : this.standard
  }

  conditionOf(name: string): PrinterCondition {
    return this.#line(name).condition
  }

  /**
   * Starts the print line of each printer. Jobs that a crash interrupted become `unknown`. If a print line finds
   * evidence that its printer has printed such a job, the job becomes `confirmed`. The search for this evidence does
   * not delay the start of the desk, so the desk opens even if a printer does not respond.
   */
  start(): void {
    const { jobs, clock } = this.#parts
    jobs.recover(clock.now())
    const unknown = jobs.open().filter(({ state }) => state === 'unknown')
    this.#reroute()
    for (const line of this.#current()) line.start(unknown.filter(({ printer }) => printer === line.name))
  }

  /**
   * Handles a change of the printers. Jobs that did not fit on the paper of a changed or removed printer are drawn and
   * checked again, because an operator may have set the width of other paper. The jobs of a removed printer move to the
   * first printer, except jobs that may have been printed. The print line of a removed printer is removed now if it has
   * no work, otherwise at a later change of the printers. The promise resolves when the status of each printer was read.
   */
  async printersChanged(): Promise<void> {
    this.#reroute()
    this.#dropUnused()
    // a printer whose name is looked up for long delays only its own jobs
    await Promise.all(this.#current().map((line) => line.look().finally(() => line.retryNow())))
  }

  kick(): void {
    for (const line of this.#current()) line.kick()
  }

  /** Ends the pauses of all print lines, because the operator asks for a print. */
  retryNow(): void {
    for (const line of this.#current()) line.retryNow()
  }

  /**
   * Prints a label's document again. If a job of the label still waits or is being sent, adds no new job. If the
   * outcome of the newest job is unknown, closes that job, because the operator has just decided to print again.
   * `newest`: the newest job of the label at this moment. Returns false, and prints nothing, if that job is no longer
   * unknown.
   */
  reprint(labelId: LabelId, documentHash: string, { newest, reason, printer, decided }: Reprint): boolean {
    const { jobs, clock } = this.#parts
    if (!newest || !['queued', 'refused', 'sending'].includes(newest.state)) {
      const at = clock.now()
      const job = {
        id: crypto.randomUUID(),
        printer,
        // also a first print of this desk is marked as a reprint, because another desk may have printed the label
        isReprint: newest === null || mayHavePrinted(newest),
        reason,
        at,
      }
      const cause = failure('printer.outcome_unknown', { by: 'reprint' })
      const details = { at, failure: cause, evidence: null, file: null }
      const unknown = newest?.state === 'unknown' ? { id: newest.id, details } : null
      if (!jobs.add(labelId, documentHash, job, { unknown, decided })) return false
    }
    this.retryNow()
    return true
  }

  /** Prints paper that belongs to no print job, between two print jobs of that printer. Never repeats the print. */
  printPlain(name: string, request: PrintRequest): Promise<PrintOutcome> {
    return this.#line(name).printPlain(request)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => line.close()))
  }

  #reroute(): void {
    const { jobs, printers, clock, moved } = this.#parts
    const all = printers.all()
    // at the start `#known` is empty, so every printer counts as changed: the settings may have changed while this desk
    // was closed
    const same = all.filter((printer) => this.#known.includes(printer))
    this.#known = all
    const refitted = jobs.fitAgain(same.map(({ name }) => name))
    const names = all.map(({ name }) => name)
    const rerouted = jobs.reroute(names, this.standard.name, clock.now())
    for (const labelId of new Set([...refitted, ...rerouted])) moved(labelId)
  }

  /**
   * Removes the print lines of removed printers. A print line that still has work is removed at a later change of the
   * printers.
   */
  #dropUnused(): void {
    const { jobs, printers, onFault } = this.#parts
    const isGone = (line: PrintLine): boolean => line.isIdle && printers.named(line.name) === null
    const gone = [...this.#lines.values()].filter(isGone)
    const used = new Set(gone.length > 0 ? jobs.open().map(({ printer }) => printer) : [])
    for (const line of gone) {
      if (used.has(line.name)) continue
      this.#lines.delete(line.name)
      // this print line has no work, so close() only cancels its timer
      void line.close().catch(onFault)
    }
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

/** Whether it is possible that the label has already been printed. If so, the next print is marked as a reprint. */
export function mayHavePrinted({ state, isReprint, failure }: PrintJobRow): boolean {
  if (isReprint || failure?.code === 'printer.outcome_unknown') return true
  return state !== 'queued' && state !== 'refused' && state !== 'failed'
}
