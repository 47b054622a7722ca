import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { join, posix, win32 } from 'node:path'
import { askRightsNow, isFileOf, isFolderOfAdministrators } from './windows-rights.ts'

interface ProvisioningFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/** A set-up file that exists or was named on the command line, but cannot be read or is not trusted. */
interface UnreadableFile {
  readonly path: string
  /**
   * Why the file is not used: a code of the system such as ENOENT, or a code of this file. The codes `not_protected`,
   * `not_own` and `rights_unknown` mean that another user may have written the file.
   */
  readonly cause: string
  /** The file or folder that other users can change. Missing for every cause except `not_protected`. */
  readonly place?: string
}

const fileName = 'scandesk.provision.json'
/** Maximum size of the file in bytes, ten times the size of a file with twenty printers and fifty stations. */
const largestBytes = 1024 * 1024

/** Returns the path of the machine's own set-up file, in a folder to which administrators can write. */
export function machineFile(
  platform: NodeJS.Platform = process.platform,
  programData: string | undefined = process.env['ProgramData'],
): string {
  if (platform === 'win32') return win32.join(programData ?? 'C:\\ProgramData', 'Scandesk', fileName)
  return platform === 'darwin'
    ? join('/Library/Application Support/Scandesk', fileName)
    : join('/etc/scandesk', fileName)
}

/**
 * Reads the file named on the command line; if none is named, the machine's own file. Returns null if no file is named
 * and the machine's own file does not exist. The machine's own file is trusted only if no account except administrators
 * can change it, because it determines for all users where scans and labels are sent. A file named on the command line
 * is the choice of the user who starts the program: it is trusted if that user or an administrator owns the file, and
 * no other account can change it. Never throws.
 */
export function findProvisioning(
  asked: string | null,
  standard: string = machineFile(),
  system: RightsSystem = ofThisSystem,
): ProvisioningFile | UnreadableFile | null {
  const path = asked ?? standard
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats) return asked === null ? null : { path, cause: 'ENOENT' }
    // only a regular file is opened, because the opening of a pipe waits until another process opens its other end
    if (!stats.isFile()) return { path, cause: 'no_file' }
    const file = openSync(path, 'r')
    try {
      return readOpened(file, path, asked !== null, system)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return { path, cause: error instanceof Error && 'code' in error ? String(error.code) : 'unknown' }
  }
}

/**
 * Reads an opened file. The checks of its type and size, and of its owner and mode (not on Windows), apply to the
 * opened file, even if another file gets its name meanwhile.
 */
function readOpened(
  file: number,
  path: string,
  isAsked: boolean,
  system: RightsSystem,
): ProvisioningFile | UnreadableFile {
  const stats = fstatSync(file)
  if (!stats.isFile()) return { path, cause: 'no_file' }
  if (stats.size > largestBytes) return { path, cause: 'too_large' }
  const bytes = readAtMost(file, stats.size)
  const fault = isAsked ? ownFault(path, stats, system) : machineFault(path, stats, system)
  return fault === null ? { path, bytes } : { path, ...fault }
}

/**
 * Reads an opened file from its start, but no more bytes than its checked size, because the file may have grown since
 * the check. Throws the system's error.
 */
export function readAtMost(file: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let length = 0
  while (length < bytes.length) {
    const read = readSync(file, bytes, length, bytes.length - length, length)
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}

/** The functions that read file rights. */
export interface RightsSystem {
  readonly platform: NodeJS.Platform
  readonly askRights: typeof askRightsNow
}

const ofThisSystem: RightsSystem = { platform: process.platform, askRights: askRightsNow }

/** Why a file is not trusted. `place`: the file or folder that another user can change. */
type Fault = Pick<UnreadableFile, 'cause' | 'place'>

/**
 * Returns why the set-up file of this machine (`machineFile`) is not trusted; null if only administrators can change
 * it.
 */
function machineFault(path: string, opened: Stats, { platform, askRights }: RightsSystem): Fault | null {
  if (platform === 'win32') {
    const places = waysTo(path, win32)
    const asked = askRights(places)
    const folders = places.slice(0, -1)
    const at = places.findIndex((place, index) => {
      const rights = asked?.rights[index]
      if (!rights) return true
      return index < folders.length ? !isFolderOfAdministrators(rights) : !isFileOf(rights, null)
    })
    if (at < 0) return null
    return asked?.rights[at]
      ? { cause: 'not_protected', place: places[at] ?? path }
      : { cause: 'rights_unknown' }
  }
  if (opened.uid !== 0 || (opened.mode & 0o022) !== 0) return { cause: 'not_protected', place: path }
  // checks the path of the file, and its real path, because a link may lead to another folder
  const places = [...waysTo(path, posix), ...waysTo(realpathSync(path), posix)]
  const place = places.find((one) => {
    const { uid, mode, isLink } = lookAt(one)
    return uid !== 0 || (!isLink && (mode & 0o022) !== 0)
  })
  return place === undefined ? null : { cause: 'not_protected', place }
}

/**
 * Returns why a file named on the command line is not trusted; null if only the user and administrators can change it.
 */
function ownFault(path: string, { uid, mode }: Stats, { platform, askRights }: RightsSystem): Fault | null {
  if (platform === 'win32') {
    const asked = askRights([path])
    const rights = asked?.rights[0]
    if (!rights) return { cause: 'rights_unknown' }
    return isFileOf(rights, asked.user) ? null : { cause: 'not_own' }
  }
  const isOwn = uid === 0 || uid === process.getuid?.()
  return isOwn && (mode & 0o022) === 0 ? null : { cause: 'not_own' }
}

function lookAt(path: string): { uid: number; mode: number; isLink: boolean } {
  const stats = lstatSync(path)
  return { uid: stats.uid, mode: stats.mode, isLink: stats.isSymbolicLink() }
}

/** Returns the path and all folders that contain it, from the root on. */
function waysTo(path: string, system: Pick<typeof posix, 'dirname' | 'resolve'>): string[] {
  const here = system.resolve(path)
  const above = system.dirname(here)
  return above === here ? [here] : [...waysTo(above, system), here]
}
