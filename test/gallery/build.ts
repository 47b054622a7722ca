import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'
import config from './vite.config.ts'

const repo = resolve(import.meta.dirname, '../..')
const galleries = join(repo, 'out/gallery')
/** The files from which a gallery is built, and other files of the same folders. */
const sources = '{package-lock.json,{src,resources,test/gallery,test/support}/**/*}'
const keptMs = 3_600_000

/**
 * The folder of the built gallery. The first caller builds the gallery, which several test files and the screenshots
 * use.
 */
export async function builtGallery(): Promise<string> {
  const folder = join(galleries, fingerprint())
  if (existsSync(folder)) return folder
  removeOld()
  const unfinished = `${folder}.${process.pid}`
  await build({ ...config, configFile: false, build: { ...config.build, outDir: unfinished } })
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    // another process has built the same gallery meanwhile
    if (!existsSync(folder)) throw error
    rmSync(unfinished, { recursive: true })
  }
  return folder
}

/**
 * Returns a hash of the names, sizes and times of the sources. Names, sizes and times are quick to read, and every
 * change of a file changes at least one of them.
 */
function fingerprint(): string {
  const hash = createHash('sha256')
  for (const name of globSync(sources, { cwd: repo }).toSorted()) {
    const { size, mtimeMs } = statSync(join(repo, name))
    hash.update(`${name}\0${size}\0${mtimeMs}\0`)
  }
  return hash.digest('hex').slice(0, 16)
}

/** Removes galleries that were built from other versions of the sources, unless another process may still use them. */
function removeOld(): void {
  mkdirSync(galleries, { recursive: true })
  for (const name of globSync('*', { cwd: galleries })) {
    const path = join(galleries, name)
    if (Date.now() - statSync(path).mtimeMs > keptMs) rmSync(path, { recursive: true })
  }
}
