import { setImmediate as turn } from 'node:timers/promises'
import type { Logger } from '#kit/logger.ts'
import type { Database } from '../../data/database.ts'
import type { Cursor, ExportScope } from '../../data/export-rows/portion.ts'
import { appendExportPart, deleteExportParts, moveExport, oldestWaitingExport } from '../../data/exports.ts'
import type { ExportTable } from '../../data/schema.ts'
import { readExportFields, readExportFilters } from '../../data/stored-exports.ts'
import { type ServiceContext, storedNow } from '../context.ts'
import { boundary } from '../paging.ts'
import { sourceOf } from './catalogue.ts'
import { byteOrderMark, csvLines } from './csv.ts'

/** Writes exports one after the other, beside the calls that are served. */
export interface ExportRunner {
  /** There is something to write, or there may be. */
  wake(): void
  /** After the portion under way; what is unfinished begins anew at the next start. */
  stop(): Promise<void>
}

type Parts = Pick<ServiceContext, 'clock'> & { readonly database: Database; readonly logger: Logger }

/** `delayMs`: how long an export waits at least, so that clients learn to ask again. */
export function createExportRunner(parts: Parts & { readonly delayMs: number }): ExportRunner {
  let stopped = false
  let timer: NodeJS.Timeout | null = null
  let underWay: Promise<void> | null = null

  async function writeAll(): Promise<void> {
    for (;;) {
      const waiting = stopped ? null : await oldestWaitingExport(parts.database)
      if (waiting === null) return
      await writeExport(parts, waiting, () => stopped)
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

  return {
    wake,
    async stop() {
      stopped = true
      if (timer !== null) clearTimeout(timer)
      await underWay
    },
  }
}

async function writeExport(parts: Parts, row: ExportTable, isStopped: () => boolean): Promise<void> {
  const { database, logger } = parts
  if (!(await moveExport(database, row.id, 'processing', storedNow(parts)))) return
  try {
    if (await writeParts(database, row, isStopped))
      await moveExport(database, row.id, 'completed', storedNow(parts))
  } catch (error) {
    logger.error({ err: error, export: row.id }, 'an export failed')
    await deleteExportParts(database, row.id)
    await moveExport(database, row.id, 'failed', storedNow(parts))
  }
}

/** Answers false when it was stopped before its end. */
async function writeParts(database: Database, row: ExportTable, isStopped: () => boolean): Promise<boolean> {
  const source = sourceOf(row.family, row.type)
  const chosen = readExportFields(row.fields)
  const columns = chosen.length === 0 ? source.columns : chosen
  const scope = scopeOf(row)
  await appendExportPart(database, row.id, 0, byteOrderMark + csvLines([columns]))
  let after: Cursor | null = null
  for (let position = 1; ; position += 1) {
    if (isStopped()) return false
    const { lines, next } = await source.lines(database, scope, after, columns)
    if (lines.length > 0) await appendExportPart(database, row.id, position, csvLines(lines))
    if (next === null) return true
    after = next
    await turn()
  }
}

function scopeOf(row: ExportTable): ExportScope {
  const { from, to, search } = readExportFilters(row.filters)
  return {
    customerId: row.customer_id,
    from: from === null ? null : boundary('from', from),
    to: to === null ? null : boundary('to', to),
    search,
  }
}
