import { SqliteError } from 'better-sqlite3'
import { CataloguedError } from '#shared/errors/result.ts'

/**
 * Whether SQLite reports that the file is not a database or is damaged, or that a part of it cannot be read, for
 * example because of a bad sector. For such a part SQLite reports `IOERR_READ` on Windows, after some attempts.
 */
export function isCorrupt(error: unknown): boolean {
  return error instanceof SqliteError && /^SQLITE_(CORRUPT|NOTADB|IOERR_(?:CORRUPTFS|READ)$)/.test(error.code)
}

/** Whether the system reports that a part of a file cannot be read, for example because of a bad sector. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EIO'
}

/**
 * The result codes of SQLite that the file, the disk or another process can cause. All other codes mean a mistake in
 * this program, such as a violated constraint, a wrong statement or a wrong binding.
 */
const isOutside =
  /^SQLITE_(FULL|IOERR|BUSY|LOCKED|CANTOPEN|READONLY|PERM|PROTOCOL|NOLFS|NOMEM|CORRUPT|NOTADB)/

/** Whether better-sqlite3 refused a call because the file is closed; its error has no code. */
function isAfterClose(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'The database connection is not open'
}

/**
 * Converts a failure of the file or the disk to a CataloguedError. The error of a call on a closed file becomes
 * `session.signed_out`: the caller waited, for example for the service, until its desk and its session had closed. Any
 * other error is returned unchanged; it is logged with its stack and shown as `internal.unexpected`.
 */
export function asCatalogued(error: unknown): unknown {
  if (isAfterClose(error)) return new CataloguedError('session.signed_out', {}, { cause: error })
  if (!(error instanceof SqliteError) || !isOutside.test(error.code)) return error
  const isFull = /^SQLITE_(FULL|IOERR_SHMSIZE)/.test(error.code)
  const code = isFull ? 'store.full' : 'store.unavailable'
  return new CataloguedError(code, { cause: error.code }, { cause: error })
}

/**
 * Wraps a method: database failures that the method throws become errors with a code of the error catalogue
 * (`asCatalogued`).
 */
export function guard<A extends unknown[], R>(method: (...args: A) => R): (...args: A) => R {
  return (...args) => {
    try {
      return method(...args)
    } catch (error) {
      throw asCatalogued(error)
    }
  }
}

/**
 * Converts a failure of the file system to a CataloguedError. Errors of SQLite and catalogued failures are returned
 * unchanged.
 */
export function systemFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error
  const cause = String(error.code)
  const code = cause === 'ENOSPC' || cause === 'EDQUOT' ? 'store.full' : 'store.unavailable'
  return new CataloguedError(code, { cause }, { cause: error })
}
