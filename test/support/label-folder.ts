import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the sorted file names of the PDFs that the folder printer wrote. */
export function labelFiles(dataDir: string): string[] {
  const folder = join(dataDir, 'labels')
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.pdf'))
        .sort()
    : []
}

export function readLabelFile(dataDir: string, name: string): Uint8Array {
  return readFileSync(join(dataDir, 'labels', name))
}
