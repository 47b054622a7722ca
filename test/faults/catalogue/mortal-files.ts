import { cp, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CatalogueFiles } from '#desk/ports/catalogue-sync.ts'
import { type OpenCatalogueFiles, openCatalogueFiles } from '#local/catalogue/catalogue-files.ts'
import { cataloguePaths } from '#local/catalogue/catalogue-disk.ts'
import { type CatalogueReader, openCatalogueReader } from '#local/catalogue/catalogue-reader.ts'
import { type LotsReader, openLotsReader } from '#local/catalogue/lots-store.ts'
import { scopeKeyOf } from '../../support/ids.ts'

/** Thrown in place of a kill of the process. */
export class Killed extends Error {}

const scope = scopeKeyOf('scope')

/**
 * The catalogue files of one desk, with simulated kills. At a kill, the folder is copied while its files are open, so
 * the copy has the content that the disk has at this time. The next start of the desk uses the copy.
 */
export class MortalFiles {
  readonly #root: string
  #folder: string
  #files: OpenCatalogueFiles | null = null
  reader: CatalogueReader
  lots: LotsReader
  readonly lost: unknown[] = []
  kills = 0

  private constructor(root: string, folder: string) {
    this.#root = root
    this.#folder = folder
    this.reader = this.#openReader()
    this.lots = this.#openLots()
  }

  static async create(root: string): Promise<MortalFiles> {
    return new MortalFiles(root, await mkdtemp(join(root, 'life-')))
  }

  /**
   * Opens the files for one round of the sync thread. `mayDie` is called before and after each operation on the files,
   * and may throw to simulate a kill.
   */
  open(mayDie: () => void): CatalogueFiles {
    this.#files = openCatalogueFiles(cataloguePaths(this.#folder, scope), false)
    return watched(this.#files, mayDie)
  }

  /** Ends the round. Then the main thread opens the files that the round has finished. */
  close(): void {
    this.#files?.close()
    this.#files = null
    this.reader.takeReady()
    this.lots.takeReady()
  }

  async die(): Promise<void> {
    this.kills++
    const heir = await mkdtemp(join(this.#root, 'life-'))
    await cp(this.#folder, heir, { recursive: true })
    this.#files?.close()
    this.#files = null
    await this.end()
    this.#folder = heir
    this.reader = this.#openReader()
    this.lots = this.#openLots()
  }

  async end(): Promise<void> {
    this.reader.close()
    this.lots.close()
    await rm(this.#folder, { recursive: true, force: true })
  }

  #openReader(): CatalogueReader {
    return openCatalogueReader(cataloguePaths(this.#folder, scope).goods, (error) => this.lost.push(error))
  }

  #openLots(): LotsReader {
    return openLotsReader(cataloguePaths(this.#folder, scope).lots, (error) => this.lost.push(error))
  }
}

function watched<T extends object>(target: T, mayDie: () => void): T {
  return new Proxy(target, {
    get(of, key) {
      const value: unknown = Reflect.get(of, key)
      if (typeof value === 'object' && value !== null) return watched(value, mayDie)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        mayDie()
        const result: unknown = Reflect.apply(value, of, args)
        mayDie()
        return result
      }
    },
  })
}
