import { access, constants, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PrinterPort, PrintRequest } from '#desk/ports/printers.ts'
import { writeDurably } from '#kit/write-durably.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'

/**
 * A printer that is a folder: each job becomes one PDF there. A job's file name follows from the job alone, so a try
 * that was cut short is recognised afterwards, and trying again writes the same file.
 */
export function createFolderPrinter(name: string, folder: string): PrinterPort {
  return {
    name,
    folder,
    async status() {
      try {
        await mkdir(folder, { recursive: true })
        await access(folder, constants.W_OK)
        return { state: 'ready', failure: null }
      } catch (error) {
        return { state: 'refused', failure: refusal(name, error) }
      }
    },
    async print(request) {
      const file = join(folder, fileNameOf(request))
      try {
        await mkdir(folder, { recursive: true })
        await writeDurably(file, request.document)
        return { kind: 'confirmed', evidence: file, file }
      } catch (error) {
        // the whole file or none: a failed try has left nothing
        return { kind: 'refused', failure: refusal(name, error) }
      }
    },
    async lookFor(request) {
      const file = join(folder, fileNameOf(request))
      try {
        return (await stat(file)).isFile() ? { evidence: file, file } : null
      } catch {
        return null
      }
    },
  }
}

function refusal(printer: string, error: unknown): Failure {
  const cause = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return failure('printer.refused', { printer, cause })
}

/** `2026-03-01-SHP00000000412-<job id>.pdf`: only our own ids and what is harmless in a reference. */
function fileNameOf({
  jobId,
  externalReference,
  createdAt,
  isReprint,
}: Omit<PrintRequest, 'document'>): string {
  const day = new Date(createdAt).toISOString().slice(0, 10)
  const reference = harmless(externalReference ?? '') || 'label'
  return `${day}-${reference}-${harmless(jobId)}${isReprint ? '-reprint' : ''}.pdf`
}

/** Letters, digits, dashes and underscores; anything else, dots and slashes included, becomes a dash. */
function harmless(text: string): string {
  return text
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
}
