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
 * The modes of files that contain names, addresses or secrets: from their creation on, only this account may use them.
 * Windows has no modes: a file there inherits the rights of its folder.
 */
export const privateFile = 0o600
export const privateFolder = 0o700
const others = 0o077

/**
 * Makes all files and folders private that this process creates, also those that a library creates. Worker threads
 * share this setting and must not change it. Each entry point calls this function, because it is not certain that a
 * child process of Electron inherits the setting.
 */
export function keepNewFilesPrivate(): void {
  if (process.platform !== 'win32') process.umask(others)
}

/**
 * Creates the empty, private file of a SQLite database. If the file exists and belongs to this account, makes it and
 * its log private. SQLite gives new -wal and -shm files the mode of the database. Never throws, because SQLite reports
 * the same fault when it opens the file.
 */
export function makePrivateDatabase(file: string): void {
  try {
    // the flag `wx` creates the file, but never opens an existing one: closing a file that SQLite has open would
    // release SQLite's locks on it
    closeSync(openSync(file, 'wx', privateFile))
  } catch {
    for (const ending of ['', '-wal', '-shm']) makePrivate(file + ending, statSync)
  }
}

/**
 * Whether an existing file or folder belongs to another account, or is a link to a file or folder of another account.
 * The owner can read and replace it whatever its mode is. Always false on Windows.
 */
export function belongsToAnother(path: string): boolean {
  if (process.platform === 'win32') return false
  const both = [lstatSync, statSync].map((look) => look(path, { throwIfNoEntry: false }))
  return both.some(isOfAnother)
}

/** Describes which names at the top of a data folder belong to the program, and how they are checked. */
interface OwnNames {
  /** Whether the program creates files or folders with this name. All other names are ignored. */
  readonly isOurs: (name: string) => boolean
  /**
   * Whether the folder with this name may have thousands of files. If true, the owner of the folder is checked, but not
   * the owners of its content.
   */
  readonly isClosed?: (name: string) => boolean
  /** Whether a name may be a link to a folder of another account, because the operator chose that folder. */
  readonly mayLead?: (name: string) => boolean
}

/**
 * Returns an error message if another account owns a data folder, or a file of the program in it or in its folders;
 * otherwise null. Such an account could have written data that the program would trust. If many accounts use the
 * folder, such as /tmp, only its content is checked; `takeDataFolder` reports the folder. Throws the system's error if
 * a folder cannot be listed.
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

/**
 * Returns the first path that belongs to another account: the path itself or one inside it. Of a link, the owner of the
 * target is checked too, but not the content of the target.
 */
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

/** Whether a file exists that other accounts can use because of its mode. Always false on Windows. */
export function isOpenToOthers(file: string): boolean {
  const stats = process.platform === 'win32' ? undefined : statSync(file, { throwIfNoEntry: false })
  return stats !== undefined && (stats.mode & others) !== 0
}

/**
 * Returns the nearest parent folder of `folder` that other accounts can change, or null. Another account that can
 * change a parent folder could replace `folder`, whatever the mode of `folder` is. A group with the same id as this
 * account counts as this account. Always null on Windows.
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
 * Whether other accounts can change the entries of a folder. In a sticky folder, only the folder's owner and this
 * account can rename files of this account.
 */
function isChangeable({ mode, uid, gid }: Stats): boolean {
  if (uid !== 0 && uid !== process.getuid?.()) return true
  if ((mode & 0o1000) !== 0) return false
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid?.())
}

/**
 * A path that other accounts may still be able to use. `cause`: `not_owned`, `shared_folder`, or an error code of the
 * system.
 */
export interface LeftOpen {
  readonly path: string
  readonly cause: string
}

export interface MendedRights {
  /** Number of files and folders that other accounts could use and that are private now. */
  readonly mended: number
  readonly left: readonly LeftOpen[]
}

/**
 * Creates a data folder, or takes over an existing one and makes it private, for instance after it was copied. A folder
 * that also has other uses (`isShared`) keeps its mode and is reported in `left`. The folder itself comes first,
 * because it protects everything in it. `isOurs`: whether a name at its top level belongs to the program; all other
 * names, and the targets of links, stay unchanged. A folder inside the data folder is not entered if it is private
 * already. Throws the system's error if the folder cannot be created.
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

/** Maximum number of paths in one log line. */
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
   * Makes a file, or a folder with its content, private. The content comes before the folder: if the process ends in
   * between, the folder is not private yet, and the next start enters it again.
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
 * Makes a path private. `look` determines whether a link itself (lstat) or its target (stat) is checked. Returns
 * `mended` after a change. Returns `private` if the path was private or does not exist, if it is a link and `look` is
 * lstat, and for existing paths on Windows. Otherwise returns a cause as in `LeftOpen`.
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
 * Whether a file is private to its owner. A link counts as private: it has no mode, and the operator chose its target.
 */
function isClosed(stats: Stats): boolean {
  return stats.isSymbolicLink() || (stats.mode & others) === 0
}

/**
 * Whether a folder has other uses than the data of one program: a sticky folder, the home folder, the current folder or
 * the root.
 */
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
