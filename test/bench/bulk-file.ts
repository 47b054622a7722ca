import { createHash } from 'node:crypto'
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { openCatalogueFiles } from '#local/catalogue/catalogue-files.ts'
import { cataloguePaths } from '#local/catalogue/catalogue-disk.ts'
import { type Scope, scopeKey } from '#shared/domain/scope.ts'
import { bulkVariant } from '#support/bulk-goods.ts'
import { say } from './progress.ts'
import { scopeKeyOf } from '../support/ids.ts'

const repo = resolve(import.meta.dirname, '../..')
const dataFolder = join(repo, 'out/bench-data')
const workFolders = join(dataFolder, 'work')
const pageRows = 1_000

/** The sources that determine the bytes of a catalogue file. When one of them changes, the file is built again. */
const makers = [
  'electron/local/catalogue',
  'electron/local/cache.ts',
  'src/shared/domain',
  'test/support/bulk-goods.ts',
]

/** Creates a folder on the same disk as the built files, so that copies of these files into the folder are quick. */
export function workFolder(name: string): string {
  removeLeftOvers()
  const folder = join(workFolders, `${name}-${process.pid}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Deletes the files that killed runs have left, because these files take gigabytes. */
function removeLeftOvers(): void {
  if (!existsSync(workFolders)) return
  for (const name of readdirSync(workFolders)) {
    const owner = Number(name.slice(name.lastIndexOf('-') + 1))
    if (!isAlive(owner)) rmSync(join(workFolders, name), { recursive: true, force: true })
  }
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch {
    return false
  }
}

/**
 * Returns the path of a file with `rows` articles for the compared databases (peers). Each line is one article as JSON.
 */
export function bulkLines(rows: number): string {
  return kept(`lines-${rows}`, 'rows.jsonl', (folder) => {
    const lines = Array.from({ length: rows }, (_, number) => JSON.stringify(bulkVariant(number)))
    writeFileSync(join(folder, 'rows.jsonl'), `${lines.join('\n')}\n`)
  })
}

/**
 * Puts a complete catalogue into the data folder of a desk. The catalogue writer of the product builds the file once,
 * and each call publishes a copy of the file in the folder. `fullReadAt` is the time of the last full read in
 * milliseconds since 1970. If this time is old, the desk reads all articles again.
 */
export function putCatalogue(dataDir: string, scope: Scope, rows: number, fullReadAt: number): void {
  const built = bulkFile(rows)
  const paths = cataloguePaths(dataDir, scopeKey(scope))
  const { next } = paths.goods
  mkdirSync(dirname(next), { recursive: true })
  copyFileSync(built, next, constants.COPYFILE_FICLONE)
  const files = openCatalogueFiles(paths, false)
  if (!files.next.resume()) throw new Error('the built file is not one that the product takes up')
  files.next.publish(Date.now(), fullReadAt)
  files.close()
}

/**
 * Builds a catalogue file with `rows` articles and their search index, but does not publish it. Returns the path of the
 * file.
 */
function bulkFile(rows: number): string {
  return kept(`catalogue-${rows}`, 'bulk.db', (folder) => {
    const paths = cataloguePaths(folder, scopeKeyOf('bulk'))
    const files = openCatalogueFiles(paths, false)
    const startedAt = Date.now()
    files.next.begin()
    for (let from = 0; from < rows; from += pageRows) {
      const length = Math.min(pageRows, rows - from)
      const page = Array.from({ length }, (_, index) => bulkVariant(from + index))
      files.next.add(
        { rows: page, skipped: [], asOf: startedAt },
        { startedAt, limit: pageRows, page: 1, expected: rows },
      )
      if ((from / pageRows) % 200 === 199) say(`  ${from + length} rows`)
    }
    say('  making them findable …')
    files.next.index()
    files.close()
    renameSync(paths.goods.next, join(folder, 'bulk.db'))
  })
}

/**
 * Returns the path of the file that `build` creates in a separate folder. The file is reused until one of its sources
 * changes.
 */
function kept(name: string, file: string, build: (folder: string) => void): string {
  const folder = join(dataFolder, `${name}-${contentKey()}`)
  if (!existsSync(folder)) {
    mkdirSync(dataFolder, { recursive: true })
    for (const old of readdirSync(dataFolder)) {
      if (old.startsWith(`${name}-`)) rmSync(join(dataFolder, old), { recursive: true })
    }
    say(`building ${name}; it is kept in out/bench-data …`)
    const unfinished = `${folder}.unfinished`
    mkdirSync(unfinished)
    build(unfinished)
    renameSync(unfinished, folder)
  }
  return join(folder, file)
}

let key: string | null = null

function contentKey(): string {
  if (key !== null) return key
  const hash = createHash('sha256')
  for (const maker of makers) {
    const path = join(repo, maker)
    const names = maker.endsWith('.ts') ? [''] : readdirSync(path, { recursive: true, encoding: 'utf8' })
    const files = names.map((name) => join(path, name))
    for (const file of files.sort()) if (file.endsWith('.ts')) hash.update(readFileSync(file))
  }
  return (key = hash.digest('hex').slice(0, 12))
}
