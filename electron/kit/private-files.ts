import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, parse, resolve } from 'node:path'
import type { Logger } from './logger.ts'

/**
 * Files with names, addresses and secrets are for one account of the computer: folders have the mode 0700 and files
 * 0600 from their creation on. Windows has no modes: there a file inherits the rights of its folder.
 */
export const privateFile = 0o600
export const privateFolder = 0o700
const others = 0o077

/**
 * Makes everything that this process creates private, including files that a library creates. Worker threads share the
 * setting and must not change it; a child process that Electron starts may not inherit it, so each entry point calls
 * this.
 */
export function keepNewFilesPrivate(): void {
  if (process.platform !== 'win32') process.umask(others)
}

/**
 * Creates the file of a SQLite database, empty and private, or makes an existing one of this account private, with its
 * log. SQLite gives a new -wal and -shm the mode of the database. Never throws, because SQLite reports the same fault
 * when it opens the file.
 */
export function makePrivateDatabase(file: string): void {
  try {
    // never opens an existing file: closing it again would release SQLite's locks on it
    closeSync(openSync(file, 'wx', privateFile))
  } catch {
    for (const ending of ['', '-wal', '-shm']) makePrivate(file + ending, statSync)
  }
}

/**
 * Whether an existing file or folder belongs to another account, or is a link to one that does. Its owner can read and
 * replace it, whatever its mode. Always false on Windows.
 */
export function belongsToAnother(path: string): boolean {
  if (process.platform === 'win32') return false
  const both = [lstatSync, statSync].map((look) => look(path, { throwIfNoEntry: false }))
  return both.some(isOfAnother)
}

/** How to check a program's own names at the top of its data folder. */
interface OwnNames {
  /** Whether the program created a name; all other names are ignored. */
  readonly isOurs: (name: string) => boolean
  /** Folders with too many files to check each: only the owner of the folder is checked, not those of its files. */
  readonly isClosed?: (name: string) => boolean
  /** Links that may lead to a folder of another account, because the operator chose it. */
  readonly mayLead?: (name: string) => boolean
}

/**
 * Returns a message if a data folder, or a file of the program in it or below it, belongs to another account; otherwise
 * null. Such an account could have written data that the program would trust. A folder that many accounts use, such as
 * /tmp, is judged only by its content; `takeDataFolder` reports it. Throws the system's error if a folder cannot be
 * listed.
 */
export function foreignIn(folder: string, { isOurs, isClosed, mayLead }: OwnNames): string | null {
  if (process.platform === 'win32' || !existsSync(folder)) return null
  const own = readdirSync(folder).filter(isOurs)
  const foreign =
    (isShared(folder) || !belongsToAnother(folder) ? null : folder) ??
    firstOf(own, (name) => {
      const path = join(folder, name)
      if (mayLead?.(name)) return isOfAnother(lstatSync(path, { throwIfNoEntry: false })) ? path : null
      return isClosed?.(name) ? (belongsToAnother(path) ? path : null) : foreignBelow(path)
    })
  return foreign === null
    ? null
    : `${foreign} belongs to another account of this computer: use a folder of your own.`
}

/** Returns the first path of another account; does not follow links. */
function foreignBelow(path: string): string | null {
  if (belongsToAnother(path)) return path
  const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  return isFolder ? firstOf(readdirSync(path), (name) => foreignBelow(join(path, name))) : null
}

function firstOf(names: readonly string[], find: (name: string) => string | null): string | null {
  for (const name of names) {
    const found = find(name)
    if (found !== null) return found
  }
  return null
}

function isOfAnother(stats: Stats | undefined): boolean {
  return stats !== undefined && stats.uid !== process.getuid?.()
}

/** Whether a file exists whose mode opens it to other accounts. Always false on Windows. */
export function isOpenToOthers(file: string): boolean {
  const stats = process.platform === 'win32' ? undefined : statSync(file, { throwIfNoEntry: false })
  return stats !== undefined && (stats.mode & others) !== 0
}

/**
 * Returns the nearest folder above this one that other accounts can change, and so replace this folder, whatever its
 * mode; null: there is none. A group with this account's own id counts as the account. Always null on Windows.
 */
export function changeableParent(folder: string): string | null {
  if (process.platform === 'win32') return null
  for (let path = realpathSync(folder); path !== parse(path).root;) {
    path = dirname(path)
    if (isChangeable(statSync(path))) return path
  }
  return null
}

/**
 * Whether other accounts can change a folder. In a sticky folder they cannot rename files of this account, unless the
 * folder is theirs.
 */
function isChangeable({ mode, uid, gid }: Stats): boolean {
  if (uid !== 0 && uid !== process.getuid?.()) return true
  if ((mode & 0o1000) !== 0) return false
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid?.())
}

/**
 * A path that other accounts may be able to use. `cause`: `not_owned`, `shared_folder`, or an error code of the system.
 */
export interface LeftOpen {
  readonly path: string
  readonly cause: string
}

export interface MendedRights {
  /** Number of files and folders that were open to other accounts and are closed now. */
  readonly mended: number
  readonly left: readonly LeftOpen[]
}

/**
 * Creates a data folder, or takes over an existing one and closes it to other accounts, for instance after it was
 * copied. Begins with the folder itself, because it protects everything in it. `isOurs` names the program's own files
 * at its top level: all others, and the targets of links, are left unchanged. A folder below it that is already private
 * is not entered. Throws the system's error if the folder cannot be created.
 */
export function takeDataFolder(folder: string, isOurs: (name: string) => boolean): MendedRights {
  mkdirSync(folder, { recursive: true, mode: privateFolder })
  if (process.platform === 'win32') return { mended: 0, left: [] }
  const mending = new Mending()
  if (isShared(folder)) mending.left.push({ path: folder, cause: 'shared_folder' })
  else mending.mend(folder, statSync)
  for (const name of namesIn(folder)) if (isOurs(name)) mending.mendTree(join(folder, name))
  return { mended: mending.mended, left: mending.left }
}

/** Largest number of paths in one line of the log. */
const mostLogged = 20

/** Logs which rights were corrected, and which files other accounts may still use. */
export function reportRights({ mended, left }: MendedRights, logger: Pick<Logger, 'info' | 'warn'>): void {
  if (mended > 0) logger.info({ mended }, 'files that other accounts could use are private now')
  if (left.length > 0)
    logger.warn(
      { count: left.length, left: left.slice(0, mostLogged) },
      'other accounts of this computer may use files of this program',
    )
}

class Mending {
  mended = 0
  readonly left: LeftOpen[] = []

  /**
   * Corrects the content of a folder before the folder itself: a folder whose correction is interrupted is still open,
   * so it is entered again at the next start.
   */
  mendTree(path: string): void {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats || isClosed(stats)) return
    if (stats.isDirectory()) for (const name of namesIn(path)) this.mendTree(join(path, name))
    this.mend(path, lstatSync)
  }

  mend(path: string, look: typeof statSync): void {
    const done = makePrivate(path, look)
    if (done === 'mended') this.mended += 1
    else if (done !== 'private') this.left.push({ path, cause: done })
  }
}

/**
 * Makes a path private. Returns `private` if it was already, is a link, or does not exist; otherwise a cause as in
 * `LeftOpen`.
 */
function makePrivate(path: string, look: typeof statSync): string {
  try {
    const stats = look(path)
    if (isClosed(stats)) return 'private'
    if (process.platform === 'win32') return 'private'
    if (stats.uid !== process.getuid?.()) return 'not_owned'
    chmodSync(path, stats.mode & ~others & 0o7777)
    return 'mended'
  } catch (error) {
    const cause = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return cause === 'ENOENT' ? 'private' : cause
  }
}

/**
 * Whether a file is closed to other accounts. A link counts as closed: it has no mode, and the operator chose its
 * target.
 */
function isClosed(stats: Stats): boolean {
  return stats.isSymbolicLink() || (stats.mode & others) === 0
}

/** Whether a folder was not created for the data of one program: a sticky one, the home or current folder, the root. */
export function isShared(folder: string): boolean {
  const path = resolve(folder)
  const isSticky = (statSync(path).mode & 0o1000) !== 0
  return isSticky || [homedir(), process.cwd(), parse(path).root].includes(path)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
