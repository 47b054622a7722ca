import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PrinterPort, PrintOutcome, PrintRequest, PrintEvidence } from '#desk/ports/printers.ts'
import { writeDurably } from '#kit/durable-files.ts'
import { type FolderSpace, folderSpace, makeRoom } from '#kit/folder-room.ts'
import type { RasterPaper } from '#labels/place/lay-labels.ts'
import { plainLayout, type PrinterLayout } from '#shared/bridge/printer-views.ts'
import { trimSigns } from '#shared/domain/text-forms.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { ok } from '#shared/errors/result.ts'
import { laidOut, marked, readPages } from './prepare-pages.ts'

/**
 * The paper for which a page is rendered to read its barcodes: up to A3 in landscape, at the resolution of a label
 * printer.
 */
const page: RasterPaper = { dpi: 203, widthDots: 3_360, isCut: true }

interface FolderPrinterOptions {
  /** The printer's name for operators; `name` by default. */
  readonly title?: string
  readonly layout?: PrinterLayout
  readonly look?: typeof readPages
  /** Returns PNGs of a document's pages; none by default. */
  readonly picturesOf?: (document: Uint8Array) => Promise<readonly Uint8Array[]>
  readonly space?: FolderSpace
}

/**
 * Creates a printer that writes each job into a folder: one PDF, and the PNGs of its pages if `picturesOf` returns any.
 * File names depend only on the job, so that an interrupted attempt is recognised afterwards, and a second attempt
 * writes the same files. The PDF is the evidence and is written last, after all pictures. The printer writes nothing if
 * the remaining space of the disk is needed for scans, or if the folder does not respond.
 */
export function createFolderPrinter(
  name: string,
  folder: string,
  options: FolderPrinterOptions = {},
): PrinterPort {
  const { title = name, layout = plainLayout, space = folderSpace } = options
  const { look = readPages, picturesOf = () => Promise.resolve([]) } = options
  const refuse = (error: unknown): PrintOutcome => ({ kind: 'refused', failure: refusal(title, error) })
  const save = async (request: PrintRequest): Promise<PrintOutcome> => {
    const file = join(folder, fileNameOf(request))
    // the print is valid without pictures, so a failure to draw them is ignored
    const pictures = await picturesOf(request.document).catch((): readonly Uint8Array[] => [])
    const bytes = [request.document, ...pictures].reduce((sum, { length }) => sum + length, 0)
    try {
      await makeRoom(folder, bytes, space)
    } catch (error) {
      return refuse(error)
    }
    try {
      for (const [number, picture] of pictures.entries())
        await writeDurably(pictureName(file, number, pictures.length), picture)
      await writeDurably(file, request.document)
      return { kind: 'confirmed', evidence: file, file }
    } catch (error) {
      for (const number of pictures.keys())
        await rm(pictureName(file, number, pictures.length), { force: true }).catch(() => undefined)
      return refuse(error)
    }
  }

  return {
    name,
    title,
    folder,
    async status() {
      try {
        await makeRoom(folder, 0, space)
        return { state: 'ready', failure: null }
      } catch (error) {
        return { state: 'refused', failure: refusal(title, error) }
      }
    },
    async prepare(request) {
      const laid = await laidOut(request, layout)
      if (!laid.ok) return laid
      const { turn } = laid.value
      const job = await marked(laid.value.request)
      if (!job.ok) return job
      const pages = await look(job.value.document, page)
      if (!pages.ok) return pages
      // the file contains the whole pages of the document, so a placement is reported only if the pages were rotated
      const laidAs = turn === 0 ? undefined : ({ turn, part: 'page' } as const)
      const shown = pages.value.map((drawn) => ({ ...drawn, laid: laidAs }))
      return ok({ dpi: page.dpi, pages: shown, send: () => save(job.value) })
    },
    async lookFor(requests) {
      const found = new Map<string, PrintEvidence>()
      for (const request of requests) {
        const file = join(folder, fileNameOf(request))
        const known = await stat(file).catch(() => null)
        if (known?.isFile()) found.set(request.jobId, { evidence: file, file })
      }
      return found
    },
  }
}

/**
 * Returns the file name of the picture of a page: `….png` if there is only one page, otherwise `…-1.png` for the first
 * page, `…-2.png` for the second, and so on. `page`: counted from 0.
 */
function pictureName(file: string, page: number, pages: number): string {
  return file.replace(/\.pdf$/, pages === 1 ? '.png' : `-${String(page + 1)}.png`)
}

function refusal(printer: string, error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  const cause = code === 'ENOSPC' || code === 'EDQUOT' ? 'disk_full' : 'folder_unwritable'
  return failure('printer.refused', { printer, cause, code })
}

/**
 * Returns `2026-03-01-SHP00000000412-<job id>.pdf`. The name contains only the desk's own ids and the safe characters
 * of a reference.
 */
function fileNameOf({
  jobId,
  externalReference,
  createdAt,
  isReprint,
}: Omit<PrintRequest, 'document' | 'placement'>): string {
  const day = new Date(createdAt).toISOString().slice(0, 10)
  const reference = harmless(externalReference ?? '') || 'label'
  return `${day}-${reference}-${harmless(jobId)}${isReprint ? '-reprint' : ''}.pdf`
}

/** Maximum length of a part of a file name, in characters. */
const longestPart = 60

/**
 * Returns a text as a safe part of a file name. Keeps letters, digits, dashes and underscores, and replaces each
 * sequence of other characters, such as dots or slashes, with one dash. Removes dashes at the start and the end, then
 * cuts a long text.
 */
function harmless(text: string): string {
  const safe = text.slice(0, 4 * longestPart).replaceAll(/[^A-Za-z0-9_-]+/g, '-')
  return trimSigns(safe, '-').slice(0, longestPart)
}
