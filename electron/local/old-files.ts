import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes files of a folder that `isWanted` says are not, if they were last written to before that moment. */
export async function removeOldFiles(
  folder: string,
  before: number,
  isWanted: (name: string) => boolean,
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (isWanted(name)) continue
    const file = join(folder, name)
    const found = await stat(file).catch(() => null)
    if (found?.isFile() && found.mtimeMs < before) await rm(file, { force: true })
  }
}

/** How many files there are, and their bytes. */
export async function measureFolder(folder: string): Promise<{ files: number; bytes: number }> {
  let [files, bytes] = [0, 0]
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => null)
    if (!found?.isFile()) continue
    files++
    bytes += found.size
  }
  return { files, bytes }
}
