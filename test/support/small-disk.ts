import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small file system of a test, which a test can fill. */
export interface SmallDisk {
  readonly folder: string
  /** Fills the file system, except for `leave` bytes. */
  fill(leave: number): void
  /** Makes the space free again that `fill` has taken. */
  empty(): void
  unmount(): void
}

/** Mounts a small file system. Returns null if this is not allowed. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-full-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  if (status !== 0) {
    remove()
    return null
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    fill(leave) {
      for (let bytes = 4_000_000; bytes >= 1; bytes = Math.floor(bytes / 2)) {
        for (;;) {
          try {
            writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' })
          } catch {
            break
          }
        }
      }
      truncateSync(filler, Math.max(0, statSync(filler).size - leave))
    },
    empty: () => rmSync(filler, { force: true }),
    unmount() {
      spawnSync('umount', [folder])
      remove()
    },
  }
}

/** Returns whether this account may mount a file system. */
export function canMount(): boolean {
  const disk = mountSmallDisk(1)
  disk?.unmount()
  return disk !== null
}
