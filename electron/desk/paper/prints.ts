import type { LabelId } from '#shared/domain/ids.ts'
import type { ArgsOf } from '#shared/bridge/contract.ts'
import type { PrintDecision, PrintLine, PrintPreview, PrintsView } from '#shared/bridge/print-views.ts'
import { bearsCode } from '#shared/domain/preflight.ts'
import {
  type ReprintReason,
  awaitsScanBack,
  isPrintOpen,
  printChoicesOf,
  provesUnknownPrint,
} from '#shared/domain/print-job.ts'
import { baseExternalReference } from '#shared/domain/references.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { toFailureView, isoTime } from '../view-parts.ts'
import { labelTitle } from '../labels/label-records.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { LabelLedger, LabelRow } from '../ports/label-ledger.ts'
import type { PrintJobRow, PrintJobStore, PrintNote } from '../ports/print-jobs.ts'
import { type PrintersPort, printerTitle } from '../ports/printers.ts'
import type { Vault } from '../ports/store.ts'
import type { Session } from '../service/session.ts'
import { Previews } from './previews.ts'
import type { PrintQueue } from './print-queue.ts'

interface PrintsParts {
  readonly jobs: PrintJobStore
  readonly labels: LabelLedger
  readonly vault: Vault
  readonly printers: PrintersPort
  readonly prints: PrintQueue
  readonly session: Pick<Session, 'state'>
  readonly clock: ClockPort
  readonly moved: (labelId: LabelId) => void
}

/**
 * How long the list shows a printed label that was not scanned, in milliseconds: during the current and the next
 * working shift.
 */
const shiftsMs = 24 * 3600_000
const mostNotScanned = 200

/** The operators' view of the prints of this desk, and their decisions about them. */
export class Prints {
  readonly #parts: PrintsParts
  readonly #previews: Previews

  constructor(parts: PrintsParts) {
    this.#parts = parts
    this.#previews = new Previews(parts)
  }

  /**
   * Returns the jobs that wait for a decision, the other open jobs, the labels that were printed in the last 24 hours
   * and not scanned, and the printers. The lists of jobs have a maximum length; the numbers of the jobs that are left
   * out are returned too. Needs no network.
   */
  list(): PrintsView {
    const { jobs, clock, printers, prints } = this.#parts
    const toLine = (job: PrintJobRow): PrintLine => this.#toLine(job)
    const listed = jobs.listed()
    const { asking, waiting } = jobs.openCounts()
    const moreOpen = asking + waiting - listed.length
    const since = clock.now() - shiftsMs
    const notScanned = jobs.onPaper(since, mostNotScanned)
    // the jobs are only counted if some may be left out, because the count reads all of them
    const moreNotScanned =
      notScanned.length < mostNotScanned ? 0 : jobs.onPaperCount(since) - notScanned.length
    return {
      open: listed.map(toLine),
      ...(moreOpen > 0 ? { moreOpen } : {}),
      notScanned: notScanned.map(toLine),
      ...(moreNotScanned > 0 ? { moreNotScanned } : {}),
      printers: printers.all().map(({ name, title, folder }) => {
        const { state, failure: why } = prints.conditionOf(name)
        return { name, title, folder, state, failure: toFailureView(why) }
      }),
    }
  }

  /** Draws a job for the window; see `Previews.of`. */
  preview(wish: ArgsOf<'print', 'preview'>): Promise<Result<PrintPreview>> {
    return this.#previews.of(wish)
  }

  /**
   * Applies an operator's decision. Fails with `queue.moved_on` if the job has changed since the operator saw it. The
   * decision is durable when this method returns. `returnLabel` events report the further progress.
   */
  async decide({ jobId, version, decision }: ArgsOf<'print', 'decide'>): Promise<Result<PrintsView>> {
    const again = decision.kind === 'print_again' ? await this.#printerFor(jobId) : null
    // there is no await from here on, so that of two decisions about the same job only the first is applied
    const job = this.#parts.jobs.get(jobId)
    if (!job || versionOf(job) !== version || !this.#choices(job).includes(decision.kind))
      return fail('queue.moved_on')
    if (!this.#take(job, decision, again)) return fail('queue.moved_on')
    this.#parts.moved(job.labelId)
    this.#parts.prints.retryNow()
    return ok(this.list())
  }

  async #printerFor(jobId: string): Promise<string | null> {
    const { jobs, prints } = this.#parts
    const job = jobs.get(jobId)
    return job && (await prints.printerFor(this.#documentOf(job))).name
  }

  /**
   * Returns the hash of the PDF for a second print of a job's label: the PDF that is now stored for the label. It may
   * differ from the PDF of the job, because a lost PDF is downloaded again, and the service may then return other
   * bytes. While no PDF is stored for the label, returns the hash of the job's PDF. If that PDF is missing too, the
   * second print fails, and the label is printed after the next download.
   */
  #documentOf({ labelId, documentHash }: PrintJobRow): string {
    return this.#parts.labels.get(labelId)?.documentHash ?? documentHash
  }

  /** Applies an operator's decision about a print. `again`: the printer for a second print. */
  #take(job: PrintJobRow, decision: PrintDecision, again: string | null): boolean {
    const { jobs, printers } = this.#parts
    switch (decision.kind) {
      case 'came_out':
        return this.#move(job, decision.kind, null, 'confirmed')
      case 'print_again':
        return this.#printAgain(job, decision.reason, again ?? this.#parts.prints.standard.name)
      case 'print_anyway':
        return jobs.change(job.id, this.#note(decision.kind, decision.reason), { do: 'release' })
      case 'place': {
        const { placement } = decision
        return jobs.change(job.id, this.#note(decision.kind, JSON.stringify(placement)), {
          do: 'place',
          placement,
        })
      }
      case 'move': {
        const { printer } = decision
        if (!printers.named(printer)) return false
        return jobs.change(job.id, this.#note(decision.kind, printer), { do: 'move', printer })
      }
      case 'retry':
        return true
      case 'give_up':
        return this.#move(job, decision.kind, decision.reason, 'failed')
    }
  }

  /** Prints the job's label again, unless a newer job of the label still waits. */
  #printAgain(job: PrintJobRow, reason: ReprintReason, printer: string): boolean {
    const newest = this.#parts.labels.get(job.labelId)?.print ?? job
    const decided = { id: job.id, note: this.#note('print_again', reason) }
    const document = this.#documentOf(job)
    return this.#parts.prints.reprint(job.labelId, document, { newest, reason, printer, decided })
  }

  #move(job: PrintJobRow, decision: string, details: string | null, to: 'confirmed' | 'failed'): boolean {
    const note = this.#note(decision, details)
    return this.#parts.jobs.decide(job.id, note, job.state, to, {
      at: note.at,
      failure: to === 'failed' ? failure('printer.given_up', { reason: details ?? '' }) : null,
      evidence: to === 'confirmed' ? `operator ${note.by ?? ''}`.trim() : null,
      file: null,
    })
  }

  #note(decision: string, details: string | null): PrintNote {
    const { clock, session } = this.#parts
    return { at: clock.now(), by: session.state().username, decision, details }
  }

  #choices(job: PrintJobRow): PrintLine['choices'] {
    const { printers } = this.#parts
    return printChoicesOf({
      state: job.state,
      hold: job.hold?.kind ?? null,
      isFile: job.file !== null,
      hasOther: printers.all().some(({ name }) => name !== job.printer),
    })
  }

  #toLine(job: PrintJobRow): PrintLine {
    const label = this.#parts.labels.get(job.labelId)
    return {
      jobId: job.id,
      version: versionOf(job),
      labelId: job.labelId,
      title: label ? labelTitle(label) : '',
      trackingCode: label?.trackingCode ?? null,
      senderName: label?.sender?.addressed_to ?? null,
      printer: job.printer,
      printerTitle: printerTitle(this.#parts.printers, job.printer),
      state: job.state,
      isReprint: job.isReprint,
      scanProves: provesUnknownPrint(job),
      reason: job.reason,
      hold: job.hold,
      placement: job.placement,
      unlisted: [...job.unlisted],
      failure: toFailureView(job.failure),
      createdAt: isoTime(job.createdAt),
      since: isoTime(job.stateAt),
      choices: this.#choices(job),
    }
  }
}

/** Returns the version of a job. The version changes with each field on which an operator bases a decision. */
function versionOf({ state, stateAt, printer, hold, placement }: PrintJobRow): string {
  return JSON.stringify([state, stateAt, printer, hold, placement])
}

interface ScanBackParts {
  readonly jobs: Pick<PrintJobStore, 'move' | 'noteScan' | 'newestToPrint' | 'onPaper'>
  readonly labels: LabelLedger
  readonly clock: ClockPort
  readonly moved: (labelId: LabelId) => void
}

/**
 * If a print is not older than this time, in milliseconds, its label probably belongs on the parcel in front of the
 * operator.
 */
const justPrintedMs = 10 * 60_000

/**
 * Handles the scan of a label. A code that is only on the paper (see `codesOfPaper`) proves that the label was printed;
 * the scan of any other code changes nothing and returns null. A print of unknown outcome keeps its question unless the
 * scan proves it (`provesUnknownPrint`). A driver may report the end of a print seconds after the paper came out, so a
 * scan is also stored while the job is being sent. If no print of this label waits for a scan or
 * for its printer, for example because the label was scanned before, returns the newest label that was printed within
 * the last ten minutes and not scanned, because the operator may have swapped the two labels.
 */
export function scanBack(
  { jobs, labels, clock, moved }: ScanBackParts,
  labelId: LabelId,
  scan: { readonly id: string; readonly raw: string },
): { readonly labelId: LabelId; readonly title: string } | null {
  const label = labels.get(labelId)
  if (!label || !bearsCode(scan.raw, codesOfPaper(label, labels.codesOf(labelId)))) return null
  const print = jobs.newestToPrint(labelId)
  const evidence = `scan ${scan.id}`
  if (print?.state === 'sending') jobs.noteScan(print.id, evidence)
  const isProven = print?.state === 'unknown' && provesUnknownPrint(print)
  const isWaited = print !== null && (awaitsScanBack(print.state) || isProven)
  if (isWaited) {
    const details = { at: clock.now(), failure: null, evidence, file: null }
    if (jobs.move(print.id, print.state, 'scan_confirmed', details)) moved(labelId)
  }
  if (isWaited || (print !== null && isPrintOpen(print.state))) return null
  const [last] = jobs.onPaper(clock.now() - justPrintedMs, 1)
  const other = last && last.labelId !== labelId ? labels.get(last.labelId) : null
  return other && { labelId: other.id, title: labelTitle(other) }
}

/**
 * Returns the codes of the label without those that are or contain the reference of the label, with or without `.R`, or
 * of its shipment. These references exist before the print, so a barcode with one of them can be on a parcel although
 * the label was not printed: the sender of the parcel can know the reference of an order or a shipment, and users of
 * the service can read a reference that the desk generated (`RET-…`).
 */
function codesOfPaper(
  { externalReference, wishedReference, shipmentReference }: LabelRow,
  codes: readonly string[],
): string[] {
  const base = externalReference && baseExternalReference(externalReference)
  const known = [base, externalReference, wishedReference, shipmentReference].filter((one) => one !== null)
  return codes.filter((code) => !bearsCode(code, known))
}
