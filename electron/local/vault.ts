import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Vault } from '#desk/ports/store.ts'
import { missingSpace, type SpaceLimits, standardSpace } from '#kit/disk-space.ts'
import { writeDurably, makeFolder } from '#kit/durable-files.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { largestDocumentBytes } from '#shared/domain/pdf-magic.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { systemFailure } from './sqlite-failure.ts'

interface VaultOptions {
  /** Returns the hashes of the PDFs that may be deleted: the service can return them again, and no print needs them. */
  readonly replaceable: () => ReadonlySet<string>
  readonly space: SpaceLimits
}

/**
 * Creates the store of label PDFs, at `<folder>/<sha256>.pdf`. If the PDFs would take too much of the disk, the store
 * removes the oldest PDFs that the service can return again. If that does not free enough space, `put` throws
 * CataloguedError `document.low_disk`.
 */
export function createVault(
  folder: string,
  options: VaultOptions = { replaceable: () => new Set(), space: standardSpace },
): Vault {
  const read = async (hash: string): Promise<Uint8Array | null> => {
    try {
      const file = fileOf(folder, hash)
      const found = await stat(file)
      if (!found.isFile() || found.size > largestDocumentBytes) return null
      const document = await readFile(file)
      return sha256(document) === hash ? document : null
    } catch (error) {
      // a missing file and a changed file both count as lost; other errors, such as a failing disk, are thrown
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
      throw systemFailure(error)
    }
  }
  const makeRoom = createRoom(folder, options)
  /** One write at a time, because two simultaneous writes would count the same free space. */
  let last: Promise<unknown> = Promise.resolve()
  return {
    read,
    put(document) {
      const stored = last.then(async () => {
        const hash = sha256(document)
        // a file that cannot be read is replaced
        if (await read(hash).catch(() => null)) return hash
        try {
          makeFolder(folder)
          await makeRoom(document.length)
          await writeDurably(fileOf(folder, hash), document)
        } catch (error) {
          throw systemFailure(error)
        }
        return hash
      })
      last = stored.catch(() => undefined)
      return stored
    },
  }
}

/**
 * Returns the function that frees space for a file. If not even the removal of all replaceable files would free enough
 * space, the function throws CataloguedError `document.low_disk` and removes nothing.
 */
function createRoom(folder: string, { replaceable, space }: VaultOptions): (bytes: number) => Promise<void> {
  /**
   * The size of all files in bytes. The number may be wrong, because a purge or another process may have removed or
   * added files since the measurement. Null: not measured yet.
   */
  let total: number | null = null
  const missing = (bytes: number, taken: number): number =>
    Math.max(taken + bytes - space.mostBytes, missingSpace(space, folder, bytes))
  return async (bytes) => {
    if (total === null || missing(bytes, total) > 0) {
      const files = await filesOf(folder)
      total = sumOf(files)
      const wanted = missing(bytes, total)
      if (wanted > 0) total -= await removeOldest(folder, files, replaceable(), wanted)
    }
    total += bytes
  }
}

async function removeOldest(
  folder: string,
  files: readonly VaultFile[],
  mayGo: ReadonlySet<string>,
  wanted: number,
): Promise<number> {
  const oldest = files.filter(({ hash }) => mayGo.has(hash)).sort((one, other) => one.at - other.at)
  if (sumOf(oldest) < wanted) throw new CataloguedError('document.low_disk')
  let removed = 0
  for (const { hash, bytes } of oldest) {
    if (removed >= wanted) break
    await rm(fileOf(folder, hash), { force: true })
    removed += bytes
  }
  return removed
}

function sumOf(files: readonly VaultFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

interface VaultFile {
  readonly hash: string
  readonly bytes: number
  readonly at: Instant
}

async function filesOf(folder: string): Promise<VaultFile[]> {
  const files: VaultFile[] = []
  for (const name of await readdir(folder)) {
    const found = await stat(join(folder, name)).catch(() => null)
    if (found?.isFile())
      files.push({ hash: name.replace(/\.pdf$/, ''), bytes: found.size, at: found.mtimeMs })
  }
  return files
}

function fileOf(folder: string, hash: string): string {
  return join(folder, `${hash}.pdf`)
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
