import { SqliteError } from 'better-sqlite3'
import { CataloguedError } from '#shared/errors/result.ts'

/** Whether SQLite reports that the file is not a database or is damaged. */
export function isCorrupt(error: unknown): boolean {
  return error instanceof SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)
}

/**
 * The result codes that the file, the disk or another process can cause. Other codes are mistakes of the program, such
 * as a violated constraint, a wrong statement or a wrong binding.
 */
const isOutside =
  /^SQLITE_(FULL|IOERR|BUSY|LOCKED|CANTOPEN|READONLY|PERM|PROTOCOL|NOLFS|NOMEM|CORRUPT|NOTADB)/

/**
 * Turns a failure of the file or the disk into a CataloguedError. Any other error passes unchanged, so that it is
 * logged with its stack and shown as `internal.unexpected`.
 */
export function asCatalogued(error: unknown): unknown {
  if (!(error instanceof SqliteError) || !isOutside.test(error.code)) return error
  const isFull = /^SQLITE_(FULL|IOERR_SHMSIZE)/.test(error.code)
  const code = isFull ? 'store.full' : 'store.unavailable'
  return new CataloguedError(code, { cause: error.code }, { cause: error })
}

/** Returns the method with its errors of SQLite replaced by catalogued failures. */
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
 * Turns a failure of the file system into a CataloguedError. Errors of SQLite and catalogued failures pass unchanged.
 */
export function systemFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error
  const cause = String(error.code)
  const code = cause === 'ENOSPC' || cause === 'EDQUOT' ? 'store.full' : 'store.unavailable'
  return new CataloguedError(code, { cause }, { cause: error })
}
