import { statfsSync } from 'node:fs'

/**
 * The disk space for one kind of large files in the data directory, in bytes. Every module that writes large files there
 * checks it first: scans are written to the same disk, and a scan that cannot be stored is lost.
 */
export interface SpaceLimits {
  /** Applies to all files of the kind together; for articles to one file. */
  readonly mostBytes: number
  /** Space that no large file may take, so that scans can be stored. */
  readonly leastFree: number
  readonly freeBytes: (folder: string) => number
}

/** The limits of each kind. */
export const standardSpace: SpaceLimits = {
  mostBytes: 8 * 1024 ** 3,
  leastFree: 1024 ** 3,
  freeBytes(folder) {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  },
}

/** Returns the space that is missing to write `bytes` to the disk of an existing folder; 0 if they fit. */
export function missingSpace({ leastFree, freeBytes }: SpaceLimits, folder: string, bytes: number): number {
  return Math.max(0, leastFree + bytes - freeBytes(folder))
}
