import type { ArgsOf } from '#shared/bridge/contract.ts'
import type { PrintPreview } from '#shared/bridge/print-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { SharedCalls } from '../timing/calls.ts'
import type { LabelLedger } from '../ports/label-ledger.ts'
import type { PrintJobRow, PrintJobStore } from '../ports/print-jobs.ts'
import type { PrintersPort, PrintPage } from '../ports/printers.ts'
import type { Vault } from '../ports/store.ts'
import { requestOf } from './drawn-print.ts'
import type { PrintQueue } from './print-queue.ts'

interface PreviewsParts {
  readonly jobs: Pick<PrintJobStore, 'get'>
  readonly labels: Pick<LabelLedger, 'get'>
  readonly vault: Pick<Vault, 'read'>
  readonly printers: Pick<PrintersPort, 'named'>
  readonly prints: Pick<PrintQueue, 'standard'>
}

/**
 * Maximum size of the dots of a preview, in bytes. Main copies the dots for the window. An A4 page at 300 dpi has 1.1
 * MB, and a document may have a hundred pages.
 */
const mostBytes = 8 << 20

/**
 * Draws print jobs for the window, one at a time. Equal calls share one drawing. Of the calls that wait, only the
 * newest is drawn, because the window shows one job. Without this limit a compromised page could let each print wait
 * for any number of previews.
 */
export class Previews {
  readonly #parts: PreviewsParts
  readonly #calls = new SharedCalls<Result<PrintPreview>>()
  #isDrawing = false
  /** Starts the waiting call if `mayStart` is true; otherwise refuses it. Null: no call waits. */
  #waiting: ((mayStart: boolean) => void) | null = null

  constructor(parts: PreviewsParts) {
    this.#parts = parts
  }

  /**
   * Draws the job in the form in which its printer will print it. Sends nothing to the printer. Returns the first pages
   * of a long document. Fails with `api.not_found` or `document.missing`, and with every failure of the printer's
   * `prepare`. Fails with `bridge.too_many_calls` if a newer call for another job came before the drawing of this job
   * began.
   */
  async of({ jobId }: ArgsOf<'print', 'preview'>): Promise<Result<PrintPreview>> {
    const job = this.#parts.jobs.get(jobId)
    if (!job) return fail('api.not_found')
    const key = JSON.stringify([job.id, job.printer, job.placement])
    return this.#calls.ask(key, () => this.#inTurn(() => this.#draw(job)))
  }

  async #inTurn(draw: () => Promise<Result<PrintPreview>>): Promise<Result<PrintPreview>> {
    if (this.#isDrawing) {
      this.#waiting?.(false)
      const mayStart = await new Promise<boolean>((resolve) => (this.#waiting = resolve))
      if (!mayStart) return fail('bridge.too_many_calls')
    }
    this.#isDrawing = true
    try {
      return await draw()
    } finally {
      const next = this.#waiting
      this.#waiting = null
      this.#isDrawing = next !== null
      next?.(true)
    }
  }

  async #draw(job: PrintJobRow): Promise<Result<PrintPreview>> {
    const { labels, vault, printers, prints } = this.#parts
    const document = await vault.read(job.documentHash)
    if (!document) return fail('document.missing')
    const printer = printers.named(job.printer) ?? prints.standard
    const prepared = await printer.prepare({ ...requestOf(job, labels), placement: job.placement, document })
    if (!prepared.ok) return prepared
    const { dpi, pages } = prepared.value
    const shown = firstPages(pages)
    const morePages = pages.length - shown.length
    return ok({
      dpi,
      pages: shown.map(({ widthDots, heightDots, bytes, codes, laid }) => ({
        widthDots,
        heightDots,
        // copies the bytes: they may be a part of a buffer with all pages, and Electron would otherwise send the whole
        // buffer
        rows: new Uint8Array(bytes),
        codes: [...new Set(codes)],
        laid: laid ?? null,
      })),
      ...(morePages > 0 ? { morePages } : {}),
    })
  }
}

/** Returns the first pages that have at most `mostBytes` together, at least one. */
function firstPages(pages: readonly PrintPage[]): readonly PrintPage[] {
  let total = 0
  const end = pages.findIndex(({ bytes }) => (total += bytes.length) > mostBytes)
  return end < 0 ? pages : pages.slice(0, Math.max(1, end))
}
