import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#kit/logger.ts'
import type { ExportStatus } from '#shared/domain/exports.ts'
import {
  inTransactionOf,
  type Lease,
  LeaseLost,
  type Leases,
  withLease,
} from '../../data/engine/coordination.ts'
import { type Connection, type Database, isShortage, isStorageFailure } from '../../data/engine/database.ts'
import { readingAtMost } from '../../data/engine/reading-limit.ts'
import { sourceOf } from '../../data/exports/export-sources.ts'
import { csvParts, type ExportScope, type Read } from '../../data/exports/define-export.ts'
import {
  appendExportPart,
  deleteSomeExportParts,
  deleteSomeOldExports,
  failExport,
  measureExportFiles,
  moveExport,
  nextFileToDelete,
  nextWaitingExport,
  oldestExportFile,
  readExportFields,
  readExportFilters,
  refuseExport,
  releaseAbandonedExports,
} from '../../data/exports/stored-exports.ts'
import { type LedgerMoment, presentMoment } from '../../data/goods/ledger.ts'
import type { ExportRow } from '../../data/schema/exports.ts'
import { type ServiceContext, storedNow } from '../context.ts'
import { boundary } from '../paging.ts'
import type { Turns } from '../turns.ts'

/**
 * Writes exports. The exports of one customer are written by one process, one after the other. The exports of different
 * customers are written at the same time. Calls run between the steps of an export. The steps and the customer's calls
 * wait for separate turns, so that many waiting calls do not delay an export.
 */
export interface ExportRunner {
  /**
   * Notifies the runner that there may be an export to write. The runner then also deletes old exports, as it does
   * every hour.
   */
  wake(): void
  /** Stops after the current step. The next start writes an unfinished export again from its beginning. */
  stop(): Promise<void>
}

/**
 * Limits for the files of exports. If a new part would exceed a limit for all files of a customer, the oldest files
 * expire.
 */
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

const hourMs = 3600_000
const dayMs = 24 * hourMs

/** Milliseconds from a failure of the database to the next attempt. */
const retryMs = 1000

/**
 * Milliseconds for which an export is not written again after the database refused it for lack of space, memory or
 * time. Each attempt may write a whole file again, and the other exports of the customer are written meanwhile.
 */
const refusedPauseMs = 5 * 60_000

/**
 * Returns the period of the refusals whose pause has not ended at `now` (milliseconds since 1970). The period ends one
 * pause after `now`: it includes times shortly after `now`, because the clock of another process may be slightly ahead.
 * A later time means that the clock was set back after the refusal. Such a refusal is left out, because its pause could
 * last for days.
 */
function pausedPeriod(now: number): { readonly from: string; readonly to: string } {
  return {
    from: new Date(now - refusedPauseMs).toISOString(),
    to: new Date(now + refusedPauseMs).toISOString(),
  }
}

/**
 * Maximum number of exports that are written at the same time. Each export needs some megabytes of memory, and other
 * calls may wait during its turns (`Turns`).
 */
const mostAtOnce = 8

type Parts = Pick<ServiceContext, 'clock'> & {
  readonly database: Database
  readonly logger: Logger
  readonly turns: Pick<Turns, 'runFor'>
  readonly leases: Leases
  readonly limits: ExportLimits
  readonly isStopped: () => boolean
}

/** The dependencies of writing one export. */
type WriteParts = Parts & { readonly lease: Lease }

/**
 * `delayMs`: milliseconds from the creation of an export until the runner looks for exports to write. The delay makes
 * developers of clients implement polling. It may be shorter if other exports are waiting or being written.
 */
export function createExportRunner(
  given: Omit<Parts, 'isStopped'> & { readonly delayMs: number },
): ExportRunner {
  let stopped = false
  const parts = { ...given, isStopped: () => stopped }
  let lastCustomer: string | null = null
  let timer: NodeJS.Timeout | null = null
  /** The promises of the exports that this process is writing, by the id of the customer. */
  const writing = new Map<string, Promise<void>>()
  let starting = Promise.resolve()
  let deleting: Promise<void> | null = null

  /**
   * Starts the oldest waiting export of each customer, the customers in turn, while fewer than `mostAtOnce` exports are
   * being written by this process. Skips a customer if this or another process is writing one of its exports: that
   * process starts the customer's next export itself.
   */
  async function startNext(): Promise<void> {
    const elsewhere: string[] = []
    while (!stopped && writing.size < mostAtOnce) {
      const busy = [...writing.keys(), ...elsewhere]
      const waiting = await nextWaitingExport(
        parts.database,
        lastCustomer,
        busy,
        pausedPeriod(parts.clock.now()),
      )
      if (waiting === null) break
      lastCustomer = waiting.customer_id
      const lease = await parts.leases.take(leaseOfExports(waiting.customer_id))
      if (lease === null) elsewhere.push(waiting.customer_id)
      else writing.set(waiting.customer_id, write(waiting, lease))
    }
  }

  async function write(row: ExportRow, lease: Lease): Promise<void> {
    let isDone = false
    try {
      await writeExport({ ...parts, lease, isStopped: () => stopped || lease.lost.aborted }, row)
      isDone = true
    } catch (error) {
      report(error)
    }
    // the lease is released before waiting exports are read again: in the opposite order it could happen that no
    // process takes an export that was created between the two steps
    await lease.release()
    writing.delete(row.customer_id)
    if (isDone) lookForMore()
    else lookLater()
  }

  function lookForMore(): void {
    starting = starting.then(startNext).catch((error: unknown) => {
      report(error)
      lookLater()
    })
  }

  /** Looks for waiting exports again after a delay. Called after a database error and after the loss of a lease. */
  function lookLater(): void {
    if (!stopped) setTimeout(lookForMore, retryMs).unref()
  }

  /**
   * Deletes old exports. Does not wait until no export is being written, because on a busy server this may never
   * happen.
   */
  function lookForOld(): void {
    deleting ??= deleteOldAlone()
      .catch((error: unknown) => {
        report(error, 'old exports are not deleted')
      })
      .then(() => {
        deleting = null
      })
  }

  async function deleteOldAlone(): Promise<void> {
    await withLease(await parts.leases.take(expiryOwner), () => deleteOld(parts))
  }

  function report(error: unknown, message = 'exports are not written'): void {
    if (!(error instanceof Stopped)) parts.logger.error({ err: error }, message)
  }

  function wake(): void {
    if (stopped || timer !== null) return
    timer = setTimeout(() => {
      timer = null
      lookForMore()
      lookForOld()
    }, parts.delayMs)
    timer.unref()
  }

  const hourly = setInterval(wake, hourMs).unref()
  // the runner also looks for exports at the interval of the pause after a refusal, because no request announces the
  // end of such a pause
  const afterRefusals = setInterval(lookForMore, refusedPauseMs).unref()
  return {
    wake,
    async stop() {
      stopped = true
      clearInterval(hourly)
      clearInterval(afterRefusals)
      if (timer !== null) clearTimeout(timer)
      await starting
      await Promise.all(writing.values())
      await deleting
    },
  }
}

/** Milliseconds after which a file expires, and after which an expired or failed export is deleted. */
const fileKeptMs = 30 * dayMs
const exportKeptMs = 90 * dayMs

/**
 * The owner of the turns (`Turns`) in which old exports are deleted. It differs from the owners of the turns in which
 * exports are written, so that the deletion waits for no export that is being written.
 */
const expiryOwner = 'old exports'

/** Deletes old exports, and the remaining parts of files whose deletion a crash interrupted. */
async function deleteOld(parts: Parts): Promise<void> {
  const { database, logger } = parts
  const before = (ms: number): string => new Date(parts.clock.now() - ms).toISOString()
  let expired = 0
  for (;;) {
    const old = await inTurn(parts, expiryOwner, () => nextFileToDelete(database, before(fileKeptMs)))
    if (old === null) break
    await expire(parts, expiryOwner, old)
    expired += 1
  }
  if (expired > 0) logger.info({ expired }, 'files of old exports are gone')
  let deleted = 0
  for (;;) {
    const some = await inTurn(parts, expiryOwner, () => deleteSomeOldExports(database, before(exportKeptMs)))
    if (some === 0) break
    deleted += some
  }
  if (deleted > 0) logger.info({ deleted }, 'old exports are deleted')
}

/** Marks the export as expired before the first part is deleted, so that no client takes a partial file as complete. */
async function expire(parts: Parts, owner: string, id: string): Promise<void> {
  await inTurn(parts, owner, () => moveExport(parts.database, id, 'expired', storedNow(parts)))
  await clearFile(parts, owner, id)
}

async function clearFile(parts: Parts, owner: string, id: string): Promise<void> {
  while (await inTurn(parts, owner, () => deleteSomeExportParts(parts.database, id)));
}

/** Thrown between two steps to end the writing of an export. */
class Stopped extends Error {}

/**
 * Maximum number of characters and bytes that all reads of one step return together. A call that only reads has the
 * same limit. A step of an export stays far below it, except for very large records.
 */
const mostRead = 64 * megabyte

/** The name under which the steps of a customer's exports get their turns (`Turns`). */
function ownerOf(customerId: string): string {
  return `export ${customerId}`
}

/**
 * Runs one step in a turn of the owner. Throws `Stopped` if the runner was stopped or the lease of the export was lost.
 */
function inTurn<Result>(parts: Parts, owner: string, work: () => Promise<Result>): Promise<Result> {
  return parts.turns.runFor(owner, () => {
    if (parts.isStopped()) throw new Stopped()
    return readingAtMost(mostRead, work)
  })
}

class TooLarge extends Error {}

/** The lease under which the exports of a customer are written. */
export function leaseOfExports(customerId: string): string {
  return `exports of ${customerId}`
}

/** Changes an export, which only the process with the lease may do. */
function changeWithLease<Result>(
  { database, lease }: WriteParts,
  change: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return inTransactionOf(lease, database, change)
}

async function writeExport(parts: WriteParts, row: ExportRow): Promise<void> {
  const { logger } = parts
  const move = (to: ExportStatus): Promise<boolean> =>
    changeWithLease(parts, (connection) => moveExport(connection, row.id, to, storedNow(parts)))
  /**
   * Releases exports that another process began to write and could not finish because it lost the lease. No process
   * writes these exports now.
   */
  const release = async (connection: Connection): Promise<void> => {
    const { released, failed } = await releaseAbandonedExports(connection, row.customer_id, storedNow(parts))
    if (released + failed > 0)
      logger.warn({ released, failed }, 'exports of a lost lease were released, or failed the second time')
  }
  let isBegun = false
  try {
    // the status is changed first; the change fails if another process has written the export since it was read
    isBegun = await inTurn(parts, ownerOf(row.customer_id), () =>
      changeWithLease(parts, async (connection) => {
        await release(connection)
        return moveExport(connection, row.id, 'processing', storedNow(parts))
      }),
    )
    if (!isBegun) return
    // deletes the parts of the file that a withdrawn attempt or a crashed process may have left, because they must not
    // be mixed with the new parts
    await clearWithLease(parts, row)
    if (await writeFile(parts, row)) await move('completed')
  } catch (error) {
    // the lease was lost, so another process writes the export now
    if (error instanceof LeaseLost || parts.lease.lost.aborted) throw new Stopped()
    if (isBegun && isShortage(error)) return refuse(parts, row, error)
    if (error instanceof Stopped || isStorageFailure(error)) {
      // releases the export, because otherwise the next start or another process would count this export as the cause
      // of a crash
      await untilStored(parts, () => move('created'))
      throw error
    }
    const failure = error instanceof TooLarge ? 'too_large' : null
    if (failure === null) logger.error({ err: error, export: row.id }, 'an export failed')
    else logger.warn({ export: row.id }, 'an export is too large')
    await changeWithLease(parts, (connection) => failExport(connection, row.id, failure, storedNow(parts)))
    await clearWithLease(parts, row)
  }
}

/**
 * Ends an attempt that the database refused for lack of space, memory or time. The parts of the file are deleted at
 * once, so that they take no space until the next attempt.
 */
async function refuse(parts: WriteParts, row: ExportRow, error: unknown): Promise<void> {
  let status: ExportStatus | null = null
  await untilStored(parts, async () => {
    status = await changeWithLease(parts, (connection) => refuseExport(connection, row.id, storedNow(parts)))
  })
  parts.logger.error({ err: error, export: row.id, status }, 'the database refused an export')
  await clearWithLease(parts, row)
}

/** Deletes the stored parts of an export in steps. */
async function clearWithLease(parts: WriteParts, { id, customer_id: customerId }: ExportRow): Promise<void> {
  const owner = ownerOf(customerId)
  const deleteSome = (): Promise<boolean> =>
    changeWithLease(parts, (connection) => deleteSomeExportParts(connection, id))
  while (await inTurn(parts, owner, deleteSome));
}

/**
 * Repeats a change while the database cannot store it. After a stop, throws the database's error. Throws every other
 * error at once.
 */
async function untilStored(parts: WriteParts, change: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await change()
      return
    } catch (error) {
      if (!isStorageFailure(error) || parts.isStopped()) throw error
    }
    await sleep(retryMs)
  }
}

/** Writes the file of an export. Returns false if the export was withdrawn before its end. */
async function writeFile(parts: WriteParts, row: ExportRow): Promise<boolean> {
  const { database, limits } = parts
  const owner = ownerOf(row.customer_id)
  const source = sourceOf(row.family, row.type)
  const chosen = readExportFields(row.fields)
  const columns = chosen.length === 0 ? source.columns : chosen
  const read: Read = (work) => inTurn(parts, owner, () => work(database))
  const moment = source.isOfMoment ? await inTurn(parts, owner, () => presentMoment(database)) : null
  const scope = scopeOf(row, moment)
  const texts = csvParts(columns, source.lines(read, scope, columns))
  return storeParts(texts, limits.mostBytes, async (content, position) => {
    await makeRoom(parts, row.customer_id, {
      bytes: Buffer.byteLength(content),
      files: position === 0 ? 1 : 0,
    })
    return inTurn(parts, owner, () =>
      changeWithLease(parts, (connection) => appendExportPart(connection, row.id, position, content)),
    )
  })
}

/**
 * Stores the parts of a file one by one, each before the next part is made. If `store` returns false, stops and returns
 * false. Throws `TooLarge` at the first part that exceeds the maximum.
 */
export async function storeParts(
  texts: AsyncIterable<string>,
  mostBytes: number,
  store: (content: string, position: number) => Promise<boolean>,
): Promise<boolean> {
  let written = 0
  let position = 0
  for await (const content of texts) {
    written += Buffer.byteLength(content)
    if (written > mostBytes) throw new TooLarge()
    if (!(await store(content, position))) return false
    position += 1
  }
  return true
}

/** Lets the oldest files of the customer expire until the given numbers of bytes and files fit within the limits. */
async function makeRoom(
  parts: Parts,
  customerId: string,
  wanted: { readonly bytes: number; readonly files: number },
): Promise<void> {
  const { database, limits, logger } = parts
  for (;;) {
    const { bytes, files } = await measureExportFiles(database, customerId)
    if (bytes + wanted.bytes <= limits.mostStoredBytes && files + wanted.files <= limits.mostFiles) return
    const oldest = await oldestExportFile(database, customerId)
    if (oldest === null) return
    logger.info({ customer: customerId, export: oldest }, 'a file of an export expires: there are too many')
    await expire(parts, ownerOf(customerId), oldest)
  }
}

/**
 * Returns which records an export contains. An export contains only records from before its request, because records
 * that are created while it is written could prolong it forever. `moment`: the moment whose stock the export shows;
 * such an export contains all lots of this moment. Null: the export shows no such moment.
 */
function scopeOf(row: ExportRow, moment: LedgerMoment | null): ExportScope {
  const { from, to, search } = readExportFilters(row.filters)
  const last = to === null ? null : boundary('to', to)
  const isBefore = last !== null && last < row.created_at
  return {
    customerId: row.customer_id,
    from: from === null ? null : boundary('from', from),
    to: moment !== null || isBefore ? last : row.created_at,
    search,
    moment,
  }
}
