import { setImmediate as turn } from 'node:timers/promises'
import type { Logger } from '#kit/logger.ts'
import type { Database } from '../../data/engine/database.ts'
import { sourceOf } from '../../data/exports/export-sources.ts'
import { byteOrderMark, csvLines, type Cursor, type ExportScope } from '../../data/exports/define-export.ts'
import {
  appendExportPart,
  deleteSomeExportParts,
  failExport,
  measureExportFiles,
  moveExport,
  nextExportToClear,
  nextWaitingExport,
  readExportFields,
  readExportFilters,
} from '../../data/exports/stored-exports.ts'
import type { ExportRow } from '../../data/schema/exports.ts'
import { type ServiceContext, storedNow } from '../context.ts'
import { boundary } from '../paging.ts'

/** Writes exports one after the other, in parallel to the calls. Customers take turns. */
export interface ExportRunner {
  /** Notifies the runner that there may be an export to write. */
  wake(): void
  /** Stops after the current portion. The next start writes an unfinished export again from its beginning. */
  stop(): Promise<void>
}

/** Limits for the files of exports. Beyond the limits of a customer its oldest files expire. */
export interface ExportLimits {
  /** Maximum bytes of one file. A larger export fails. */
  readonly mostBytes: number
  /** Maximum bytes of all files of a customer. */
  readonly mostStoredBytes: number
  /** Maximum number of files of a customer. */
  readonly mostFiles: number
}

const megabyte = 1024 * 1024

export const usualExportLimits: ExportLimits = {
  mostBytes: 256 * megabyte,
  mostStoredBytes: 1024 * megabyte,
  mostFiles: 1000,
}

const dayMs = 24 * 3600_000

type Parts = Pick<ServiceContext, 'clock'> & {
  readonly database: Database
  readonly logger: Logger
  readonly limits: ExportLimits
  readonly isStopped: () => boolean
}

/** `delayMs`: minimum time until an export is written, so that developers of clients implement polling. */
export function createExportRunner(
  given: Omit<Parts, 'isStopped'> & { readonly delayMs: number },
): ExportRunner {
  let stopped = false
  const parts = { ...given, isStopped: () => stopped }
  let lastCustomer: string | null = null
  let timer: NodeJS.Timeout | null = null
  let underWay: Promise<void> | null = null

  async function writeAll(): Promise<void> {
    for (;;) {
      const waiting = stopped ? null : await nextWaitingExport(parts.database, lastCustomer)
      if (waiting === null) return expireOld(parts)
      lastCustomer = waiting.customer_id
      await writeExport(parts, waiting)
    }
  }

  function wake(): void {
    if (stopped || timer !== null) return
    timer = setTimeout(() => {
      timer = null
      const before = underWay ?? Promise.resolve()
      underWay = before.then(writeAll).catch((error: unknown) => {
        parts.logger.error({ err: error }, 'exports are not written')
      })
    }, parts.delayMs)
    timer.unref()
  }

  const daily = setInterval(wake, dayMs).unref()
  return {
    wake,
    async stop() {
      stopped = true
      clearInterval(daily)
      if (timer !== null) clearTimeout(timer)
      await underWay
    },
  }
}

/** Lifetime of a file in milliseconds. */
const keptMs = 30 * dayMs

/** Also deletes remains of files that a crashed process did not finish deleting. */
async function expireOld(parts: Parts): Promise<void> {
  const before = new Date(parts.clock.now() - keptMs).toISOString()
  let expired = 0
  for (; !parts.isStopped(); expired += 1) {
    const id = await nextExportToClear(parts.database, null, before)
    if (id === null) break
    await expire(parts, id)
  }
  if (expired > 0) parts.logger.info({ expired }, 'files of old exports are gone')
}

/** Marks the export as expired before the first part is deleted, so that no client takes a partial file as complete. */
async function expire(parts: Parts, id: string): Promise<void> {
  await moveExport(parts.database, id, 'expired', storedNow(parts))
  await clearFile(parts, id)
}

async function clearFile({ database, isStopped }: Parts, id: string): Promise<void> {
  while (!isStopped() && (await deleteSomeExportParts(database, id))) await turn()
}

class TooLarge extends Error {}

async function writeExport(parts: Parts, row: ExportRow): Promise<void> {
  const { database, logger } = parts
  // parts of a withdrawn export or of a crashed process: an export that is being written may only have new parts
  await clearFile(parts, row.id)
  if (parts.isStopped() || !(await moveExport(database, row.id, 'processing', storedNow(parts)))) return
  try {
    if (await writeParts(parts, row)) await moveExport(database, row.id, 'completed', storedNow(parts))
  } catch (error) {
    const failure = error instanceof TooLarge ? 'too_large' : null
    if (failure === null) logger.error({ err: error, export: row.id }, 'an export failed')
    else logger.warn({ export: row.id }, 'an export is too large')
    await failExport(database, row.id, failure, storedNow(parts))
    await clearFile(parts, row.id)
  }
}

/** Returns false when the runner was stopped or the export was withdrawn before its end. */
async function writeParts(parts: Parts, row: ExportRow): Promise<boolean> {
  const { database } = parts
  const source = sourceOf(row.family, row.type)
  const chosen = readExportFields(row.fields)
  const columns = chosen.length === 0 ? source.columns : chosen
  const scope = scopeOf(row)
  let written = 0
  const append = async (position: number, content: string): Promise<boolean> => {
    const bytes = Buffer.byteLength(content)
    written += bytes
    if (written > parts.limits.mostBytes) throw new TooLarge()
    await makeRoom(parts, row.customer_id, { bytes, files: position === 0 ? 1 : 0 })
    return appendExportPart(database, row.id, position, content)
  }
  if (parts.isStopped() || !(await append(0, byteOrderMark + csvLines([columns])))) return false
  let after: Cursor | null = null
  for (let position = 1; ; position += 1) {
    if (parts.isStopped()) return false
    const { lines, next } = await source.lines(database, scope, after, columns)
    if (lines.length > 0 && !(await append(position, csvLines(lines)))) return false
    if (next === null) return true
    after = next
    await turn()
  }
}

/** Lets the oldest files of the customer expire until there is space for the given number of bytes. */
async function makeRoom(
  parts: Parts,
  customerId: string,
  wanted: { readonly bytes: number; readonly files: number },
): Promise<void> {
  const { database, limits, logger, isStopped } = parts
  while (!isStopped()) {
    const { bytes, files } = await measureExportFiles(database, customerId)
    if (bytes + wanted.bytes <= limits.mostStoredBytes && files + wanted.files <= limits.mostFiles) return
    const oldest = await nextExportToClear(database, customerId, null)
    if (oldest === null) return
    logger.info({ customer: customerId, export: oldest }, 'a file of an export expires: there are too many')
    await expire(parts, oldest)
  }
}

function scopeOf(row: ExportRow): ExportScope {
  const { from, to, search } = readExportFilters(row.filters)
  return {
    customerId: row.customer_id,
    from: from === null ? null : boundary('from', from),
    to: to === null ? null : boundary('to', to),
    search,
  }
}
