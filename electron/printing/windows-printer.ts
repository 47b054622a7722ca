import type { PrinterPort, PrintOutcome, PrintPage, PrintRequest } from '#desk/ports/printers.ts'
import { pictureInThread } from '#labels/raster-in-thread.ts'
import { plainLayout, type SettingsOf } from '#shared/bridge/printer-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError, ok, type Result } from '#shared/errors/result.ts'
import { type DriverResult, outcomeOf } from './driver-result.ts'
import { preparePlaced } from './prepare-pages.ts'
import type { PrinterNaming } from './raw-printer.ts'
import { type WindowsEnd, windowsPrinting, type WindowsPrinting } from './windows-powershell.ts'

/** The names of the printer, and the settings of the printer (printer-views.ts). */
type WindowsPrinterOptions = PrinterNaming &
  Readonly<Omit<SettingsOf<'windows'>, 'kind' | 'dpi'>> & {
    readonly dpi: number
    readonly printing?: WindowsPrinting
  }

/**
 * Creates the driver of a Windows printer, through its spooler. The spooler gets the checked dots as pictures. The
 * service's PDF never reaches a program of Windows, and no label is written to a file. The best result is `spooled`.
 * Refused: nothing has reached the spooler, because the queue is missing, the queue reports why it would not print, or
 * PowerShell failed before it passed a byte to the spooler. If PowerShell failed after that, or the job was deleted at
 * once, the outcome is unknown. This driver was never tested on Windows (README.md).
 */
export function createWindowsPrinter(options: WindowsPrinterOptions): PrinterPort {
  const { queue, media, dpi, name, title = name, layout = plainLayout, ...rest } = options
  const { printing = windowsPrinting(), ...unused } = rest
  // the compiler reports an error here if this function leaves a setting unused
  void (unused satisfies Record<string, never>)

  async function refusal(): Promise<string | null> {
    const state = await printing.state(queue)
    if (!state) return 'no_spooler'
    return state.queue ? state.queue.cause : 'no_queue'
  }

  async function send({ jobId }: PrintRequest, pages: readonly PrintPage[]): Promise<PrintOutcome> {
    const cause = await refusal()
    if (cause !== null) return outcomeOf({ kind: 'refused', cause }, title)
    const document = documentName(jobId)
    const pictures = await picturesOf(pages)
    if (!pictures.ok) return { kind: 'refused', failure: pictures.error, isOfDocument: true }
    const end = await printing.print(pictures.value, { queue, document, paper: media, dpi })
    return outcomeOf(await resultOf(end, document), title)
  }

  async function resultOf(end: WindowsEnd, document: string): Promise<DriverResult> {
    if (end.kind === 'not_started') return { kind: 'refused', cause: end.cause }
    if (end.kind === 'failed') return { kind: 'unconfirmed', cause: end.cause }
    // if the queue cannot be queried or no longer contains the job, the job counts as passed to the printer
    const jobs = (await printing.state(queue))?.jobs ?? []
    const isDeleted = jobs.some((job) => job.isDeleted && job.document === document)
    return isDeleted ? { kind: 'unconfirmed', cause: 'job_canceled' } : { kind: 'spooled' }
  }

  return {
    name,
    title,
    folder: null,
    prepare: (request) => preparePlaced(request, { size: media, dpi, layout }, send),
    async status() {
      const cause = await refusal()
      if (cause === null) return { state: 'ready', failure: null }
      return { state: 'refused', failure: failure('printer.refused', { printer: title, cause }) }
    },
    // the queue keeps no record of a job that was passed to the printer, so no earlier job can be found
    lookFor: () => Promise.resolve(new Map()),
  }
}

/** Returns the printers of this computer, sorted by name; no printers if the spooler cannot be queried. */
export async function windowsPrinters(
  printing: Pick<WindowsPrinting, 'list'> = windowsPrinting(),
): Promise<{ name: string; makeAndModel: string; isReady: boolean }[]> {
  const queues = (await printing.list()) ?? []
  return queues
    .map(({ name, driver, cause }) => ({ name, makeAndModel: driver, isReady: cause === null }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
}

/**
 * Encodes each page as PNG in the process of documents, because the encoding of 80 pages takes 3 s of CPU, and scans
 * must not wait until they are encoded. Errors: `document.unreadable` if that process fails.
 */
async function picturesOf(pages: readonly PrintPage[]): Promise<Result<readonly Uint8Array[]>> {
  const pictures: Uint8Array[] = []
  try {
    for (const page of pages) pictures.push(await pictureInThread(page))
  } catch (error) {
    if (error instanceof CataloguedError) return { ok: false, error: error.failure }
    throw error
  }
  return ok(pictures)
}

/**
 * Returns the name of the job in the queue. It contains the id that the desk gave the print job, and no data of the
 * parcel.
 */
function documentName(jobId: string): string {
  return `scandesk-${jobId.replaceAll(/[^A-Za-z0-9_-]+/g, '-')}`
}
