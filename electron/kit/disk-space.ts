import { statfsSync } from 'node:fs'

/**
 * Limits in bytes for one kind of large files in the data directory. Every module checks its limits before it writes
 * such a file: scans are stored on the same disk, and a scan that cannot be stored is lost.
 */
export interface SpaceLimits {
  /** Maximum size of all files of this kind together; for articles, maximum size of one file. */
  readonly mostBytes: number
  /** The space that must stay free for scans. No large file may use it. */
  readonly leastFree: number
  readonly freeBytes: (folder: string) => number
}

/** The limits that the product uses for each kind of large files. */
export const standardSpace: SpaceLimits = {
  mostBytes: 8 * 1024 ** 3,
  leastFree: 1024 ** 3,
  freeBytes(folder) {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  },
}

/**
 * Returns how many free bytes the disk of an existing folder lacks so that `leastFree` bytes stay free after a write of
 * `bytes` bytes; 0 if the disk has enough space.
 */
export function missingSpace({ leastFree, freeBytes }: SpaceLimits, folder: string, bytes: number): number {
  return Math.max(0, leastFree + bytes - freeBytes(folder))
}
