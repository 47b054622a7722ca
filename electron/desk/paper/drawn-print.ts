import { judgeLabel } from '#shared/domain/preflight.ts'
import type { PrintHold } from '#shared/domain/print-job.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { CataloguedError, type Result } from '#shared/errors/result.ts'
import { labelTitle } from '../labels/label-records.ts'
import type { LabelLedger } from '../ports/label-ledger.ts'
import type { PrintJobRow, PrintJobStore } from '../ports/print-jobs.ts'
import type { PreparedPrint, PrinterPort, PrintRequest } from '../ports/printers.ts'
import type { LabelIndexStore } from '../ports/recent-store.ts'
import type { Vault } from '../ports/store.ts'

interface DrawnPrintParts {
  readonly labels: Pick<LabelLedger, 'get'>
  readonly vault: Pick<Vault, 'read'>
  readonly onFault: (error: unknown) => void
}

interface Drawing {
  readonly key: string
  readonly printer: PrinterPort
  readonly print: PreparedPrint
}

/**
 * After this number of failed tries to read or draw the stored PDF of a job, no further one follows, so that the next
 * jobs of the printer do not wait for it without end. Another program, such as a virus scanner, may lock the file or
 * use the memory of the PC for a short time.
 */
const mostTries = 3

const passingCauses = ['timeout', 'memory', 'crash']

/** Whether a drawing failed for a reason that may be the state of this PC, and not the document. */
export function mayPass({ code, params }: Failure): boolean {
  return code === 'document.unreadable' && passingCauses.includes(String(params['cause']))
}

/**
 * Draws the next print of a printer. Keeps the drawn pages until the job was sent, which may need several attempts.
 * Then deletes the pages, because the document, the settings or the printer may change before a later print of the job.
 */
export class DrawnPrint {
  readonly #parts: DrawnPrintParts
  #kept: Drawing | null = null
  /** The last job whose PDF could not be read or drawn, and the number of consecutive failed tries. */
  #tried: { readonly jobId: string; readonly times: number } | null = null

  constructor(parts: DrawnPrintParts) {
    this.#parts = parts
  }

  /**
   * Returns the job as this printer will print it; null: the stored PDF is missing or damaged. Throws if the PDF cannot
   * be read or drawn now, for a reason that may pass. The third such failure for the same job returns null or the
   * failure of the drawing.
   */
  async of(printer: PrinterPort, job: PrintJobRow): Promise<Result<PreparedPrint> | null> {
    const { vault, labels } = this.#parts
    const wish = { ...requestOf(job, labels), placement: job.placement }
    const key = JSON.stringify([job.documentHash, wish])
    if (this.#kept?.key === key && this.#kept.printer === printer)
      return { ok: true, value: this.#kept.print }
    this.#kept = null
    const document = await vault
      .read(job.documentHash)
      .catch((error: unknown) => this.#unreadable(job, error))
    if (!document) return null
    const drawn = await this.#draw(printer, { ...wish, document })
    if (!drawn.ok && mayPass(drawn.error) && this.#mayTryAgain(job))
      throw new CataloguedError(drawn.error.code, drawn.error.params)
    this.#tried = null
    if (drawn.ok) this.#kept = { key, printer, print: drawn.value }
    return drawn
  }

  forget(): void {
    this.#kept = null
  }

  /** Counts a failed try. Returns false if it was the last one; a later try of the same job is then its first again. */
  #mayTryAgain({ id }: PrintJobRow): boolean {
    const times = this.#tried?.jobId === id ? this.#tried.times + 1 : 1
    this.#tried = times < mostTries ? { jobId: id, times } : null
    return this.#tried !== null
  }

  #unreadable(job: PrintJobRow, error: unknown): null {
    if (this.#mayTryAgain(job)) throw error
    this.#parts.onFault(error)
    return null
  }

  async #draw(printer: PrinterPort, request: PrintRequest): Promise<Result<PreparedPrint>> {
    try {
      return await printer.prepare(request)
    } catch (error) {
      this.#parts.onFault(error)
      return { ok: false, error: failure('document.unreadable', { cause: 'driver' }) }
    }
  }
}

/** Returns the data that a driver gets about a job. The document and the placement are not included. */
export function requestOf(
  job: PrintJobRow,
  labels: Pick<LabelLedger, 'get'>,
): Omit<PrintRequest, 'document' | 'placement'> {
  return {
    jobId: job.id,
    isReprint: job.isReprint,
    externalReference: labels.get(job.labelId)?.externalReference ?? null,
    createdAt: job.createdAt,
  }
}

interface PreflightParts {
  readonly labels: Pick<LabelLedger, 'get' | 'byCode' | 'codesOf'>
  readonly labelIndex: Pick<LabelIndexStore, 'byCode'>
  readonly jobs: Pick<PrintJobStore, 'noteUnlisted' | 'wasUnlistedReported'>
}

/**
 * Checks the drawn pages before they are sent. Returns a hold if a page has a code of another label or bars that cannot
 * be read, or if no page has a readable barcode (shared/domain/preflight.ts). If none of the readable barcodes is a
 * code of the label, returns no hold, but reports these barcodes once for each shipping method.
 */
export function preflight(
  { labels, labelIndex, jobs }: PreflightParts,
  job: PrintJobRow,
  { pages }: PreparedPrint,
): PrintHold | null {
  const label = labels.get(job.labelId)
  if (!label) return null
  const verdict = judgeLabel({
    pages: pages.map(({ codes, hasUnreadBars }) => ({ texts: codes, hasUnreadBars })),
    expected: labels.codesOf(label.id),
    known(code) {
      const own = labels.byCode(code)
      if (own) return own.id === label.id ? null : labelTitle(own)
      const listed = labelIndex.byCode(code)
      if (!listed || listed.label.id === label.serverId) return null
      return listed.label.external_reference ?? ''
    },
  })
  if (verdict.kind === 'held') {
    if (verdict.why === 'nothing_readable') return { kind: verdict.why }
    return { kind: verdict.why, code: verdict.text, title: verdict.reference }
  }
  if (verdict.kind === 'unlisted' && !jobs.wasUnlistedReported(label.shippingMethodId))
    jobs.noteUnlisted(job.id, verdict.texts)
  return null
}
