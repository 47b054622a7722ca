import { setImmediate as turn } from 'node:timers/promises'
import type { Logger } from '#kit/logger.ts'
import type { Database } from '../../data/engine/database.ts'
import type { Cursor, ExportScope } from '../../data/exports/rows/portion.ts'
import {
  appendExportPart,
  deleteExportParts,
  expireExports,
  moveExport,
  nextWaitingExport,
} from '../../data/exports/exports.ts'
import type { ExportTable } from '../../data/schema/clients.ts'
import { readExportFields, readExportFilters } from '../../data/exports/stored-exports.ts'
import { type ServiceContext, storedNow } from '../context.ts'
import { boundary } from '../paging.ts'
import { sourceOf } from './catalogue.ts'
import { byteOrderMark, csvLines } from './csv.ts'

/** Writes exports one after the other, beside the calls that are served. Customers take turns. */
export interface ExportRunner {
  /** There is something to write, or there may be. */
  wake(): void
  /** After the portion under way; what is unfinished begins anew at the next start. */
  stop(): Promise<void>
}

const dayMs = 24 * 3600_000

type Parts = Pick<ServiceContext, 'clock'> & { readonly database: Database; readonly logger: Logger }

/** `delayMs`: how long an export waits at least, so that clients learn to ask again. */
export function createExportRunner(parts: Parts & { readonly delayMs: number }): ExportRunner {
  let stopped = false
  let lastCustomer: string | null = null
  let timer: NodeJS.Timeout | null = null
  let underWay: Promise<void> | null = null

  async function writeAll(): Promise<void> {
    for (;;) {
      const waiting = stopped ? null : await nextWaitingExport(parts.database, lastCustomer)
      if (waiting === null) return expireOld(parts)
      lastCustomer = waiting.customer_id
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

/** How long a file is kept, in milliseconds. */
const keptMs = 30 * dayMs

async function expireOld(parts: Parts): Promise<void> {
  const now = storedNow(parts)
  const before = new Date(Date.parse(now) - keptMs).toISOString()
  const expired = await expireExports(parts.database, before, now)
  if (expired > 0) parts.logger.info({ expired }, 'files of old exports are gone')
}

async function writeExport(parts: Parts, row: ExportTable, isStopped: () => boolean): Promise<void> {
  const { database, logger } = parts
  if (!(await moveExport(database, row.id, 'processing', storedNow(parts)))) return
  try {
    // one that was taken back while it was written left some
    await deleteExportParts(database, row.id)
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
