import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PrinterPort, PrintOutcome, PrintRequest } from '#desk/ports/printers.ts'
import { plainLayout, type PrinterLayout } from '#shared/bridge/printer-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { type Course, outcomeOf } from './course.ts'
import type { MediaSize } from './ipp-media.ts'
import { preparePlaced } from './placed.ts'
import { windowsPrinting, type WindowsPrinting } from './windows-programs.ts'
import { paperNameFor, type WindowsQueue } from './windows-state.ts'

export interface WindowsPrinterOptions {
  readonly name: string
  /** What operators call it; its name unless said. */
  readonly title?: string
  readonly layout?: PrinterLayout
  /** As Windows calls the printer. */
  readonly queue: string
  readonly media: MediaSize
  readonly dpi: number
  readonly printing?: WindowsPrinting
  /** Where documents lie while they are handed over. */
  readonly folder?: string
}

const handedPrefix = 'scandesk-print-'
/** No program holds a label so long: what is older was left by a desk that was killed. */
const leftAfterMs = 3_600_000

/**
 * A printer of Windows, through its spooler. The program that hands a document over knows no number of the job, and may
 * say that all went well when nothing did: more than `spooled` is never known. Refused: while nothing can have been
 * handed over, for the queue is missing or says why it would not print, or the program cannot be started. Any other end
 * than a good one, or a job that somebody took out at once: nobody knows. Never run on a real Windows (README.md).
 */
export function createWindowsPrinter(options: WindowsPrinterOptions): PrinterPort {
  const { name, queue, media, dpi, printing = windowsPrinting(), folder = tmpdir() } = options
  const { title = name, layout = plainLayout } = options

  async function ready(): Promise<Pick<WindowsQueue, 'cause' | 'papers'>> {
    const state = await printing.state(queue)
    if (!state) return { cause: 'no_spooler', papers: [] }
    return state.queue ?? { cause: 'no_queue', papers: [] }
  }

  async function send({ jobId, document }: PrintRequest): Promise<PrintOutcome> {
    const now = await ready()
    if (now.cause !== null) return outcomeOf({ kind: 'refused', cause: now.cause }, title)
    await removeLeft(folder)
    const file = await written(folder, jobId, document)
    if ('cause' in file) return outcomeOf({ kind: 'refused', cause: file.cause }, title)
    try {
      const end = await printing.print(file.path, { queue, paper: paperNameFor(media, now.papers) })
      return outcomeOf(await courseOf(end, jobId), title)
    } finally {
      // a program that was ended may hold it a moment longer
      await rm(file.folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined)
    }
  }

  async function courseOf(
    end: Awaited<ReturnType<WindowsPrinting['print']>>,
    jobId: string,
  ): Promise<Course> {
    if (end.kind === 'not_started') return { kind: 'refused', cause: end.cause }
    if (end.kind === 'failed') return { kind: 'unconfirmed', cause: end.cause }
    // a job that is not there any more, or cannot be asked about, has gone its way
    const jobs = (await printing.state(queue))?.jobs ?? []
    const isDeleted = jobs.some((job) => job.isDeleted && job.document.includes(fileName(jobId)))
    return isDeleted ? { kind: 'unconfirmed', cause: 'job_canceled' } : { kind: 'spooled' }
  }

  return {
    name,
    title,
    folder: null,
    prepare: (request) => preparePlaced(request, { size: media, dpi, layout }, send),
    async status() {
      const { cause } = await ready()
      if (cause === null) return { state: 'ready', failure: null }
      return { state: 'refused', failure: failure('printer.refused', { printer: title, cause }) }
    },
    // what left the queue leaves no trace there
    lookFor: () => Promise.resolve(null),
  }
}

/** The printers of this Windows by name; none where its spooler cannot be asked. */
export async function windowsPrinters(
  printing: Pick<WindowsPrinting, 'list'> = windowsPrinting(),
): Promise<{ name: string; makeAndModel: string; isReady: boolean }[]> {
  const queues = (await printing.list()) ?? []
  return queues
    .map(({ name, driver, cause }) => ({ name, makeAndModel: driver, isReady: cause === null }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
}

/** SumatraPDF calls the job by its file's path: that is how it is known in the queue. */
function fileName(jobId: string): string {
  return `${jobId.replaceAll(/[^A-Za-z0-9_-]+/g, '-')}.pdf`
}

/** Labels bear names and addresses: none stays behind. Best effort. */
async function removeLeft(within: string): Promise<void> {
  const names = await readdir(within).catch((): string[] => [])
  for (const name of names.filter((one) => one.startsWith(handedPrefix))) {
    const left = join(within, name)
    const at = await stat(left).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    )
    if (at < Date.now() - leftAfterMs) await rm(left, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** In a folder of its own that only this user can read. */
async function written(
  within: string,
  jobId: string,
  document: Uint8Array,
): Promise<{ folder: string; path: string } | { cause: string }> {
  try {
    const folder = await mkdtemp(join(within, handedPrefix))
    const path = join(folder, fileName(jobId))
    await writeFile(path, document, { mode: 0o600 })
    return { folder, path }
  } catch (error) {
    return { cause: error instanceof Error && 'code' in error ? String(error.code) : 'unknown' }
  }
}
