import { readFileSync, statSync } from 'node:fs'
import { join, win32 } from 'node:path'

interface ProvisioningFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/** A file that was asked for, or is there, and cannot be read. */
interface UnreadableFile {
  readonly path: string
  /** ENOENT and the like. */
  readonly cause: string
}

const fileName = 'scandesk.provision.json'
/** Twenty printers and fifty stations take a tenth of this. */
const largestBytes = 1024 * 1024

/** Where only an administrator of the machine can put it. */
export function machineFile(
  platform: NodeJS.Platform = process.platform,
  programData: string | undefined = process.env['ProgramData'],
): string {
  if (platform === 'win32') return win32.join(programData ?? 'C:\\ProgramData', 'Scandesk', fileName)
  return platform === 'darwin'
    ? join('/Library/Application Support/Scandesk', fileName)
    : join('/etc/scandesk', fileName)
}

/** The file of the command line, else the machine's own; null where neither is there. Never throws. */
export function findProvisioning(
  asked: string | null,
  standard: string = machineFile(),
): ProvisioningFile | UnreadableFile | null {
  const path = asked ?? standard
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats) return asked === null ? null : { path, cause: 'ENOENT' }
    if (!stats.isFile()) return { path, cause: 'no_file' }
    if (stats.size > largestBytes) return { path, cause: 'too_large' }
    return { path, bytes: readFileSync(path) }
  } catch (error) {
    return { path, cause: error instanceof Error && 'code' in error ? String(error.code) : 'unknown' }
  }
}
