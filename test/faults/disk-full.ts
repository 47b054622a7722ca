import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { StorePort } from '#desk/ports/store.ts'
import { standardSpace } from '#kit/disk-space.ts'
import { openStore } from '#local/open-store.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { randomFrom } from '#support/random.ts'
import { mountSmallDisk, type SmallDisk } from '#support/small-disk.ts'
import { countLost, doDeed, isDone } from './storage/deeds.ts'
import type { Suite } from './suite-report.ts'
import { scopeKeyOf } from '../support/ids.ts'

const megabytes = 16
/**
 * Error codes of a full disk. Documents, drafts and imports have their own codes, because they are refused before they
 * are written.
 */
const refusals: ReadonlySet<string | null> = new Set(['store.full', 'store.low_disk', 'document.low_disk'])

/**
 * Runs a desk on a disk of 16 MB that is repeatedly full or nearly full. Acknowledged data must stay. If the disk has
 * no space for new data, the desk must refuse the data with one of the codes in `refusals` and store none of it. Reads
 * must always work. Writes must work again when there is space.
 */
export const diskFull: Suite = async ({ count, seed }) => {
  const small = mountSmallDisk(megabytes)
  if (!small)
    return {
      suite: 'disk-full',
      passed: true,
      figures: { rounds: 0, skipped: 'mounting is not allowed here' },
    }
  try {
    const run = new Run(small, randomFrom(seed))
    await run.begin()
    for (let round = 0; round < (count ?? 100); round++) await run.round()
    await run.end()
    const { findings, ...figures } = run.figures
    const passed = findings.length === 0 && figures.refused > 0 && figures.acknowledged > 0
    return { suite: 'disk-full', passed, figures: { ...figures, seed, ...(!passed && { findings }) } }
  } finally {
    small.unmount()
  }
}

class Run {
  readonly figures = {
    rounds: 0,
    acknowledged: 0,
    refused: 0,
    backupsRefused: 0,
    openedWhileFull: 0,
    findings: [] as string[],
  }
  readonly #dataDir: string
  readonly #disk: SmallDisk
  readonly #random: () => number
  readonly #done = new Set<number>()
  #store: StorePort | null = null
  #next = 1

  constructor(disk: SmallDisk, random: () => number) {
    this.#dataDir = join(disk.folder, 'data')
    this.#disk = disk
    this.#random = random
  }

  async begin(): Promise<void> {
    await this.#open()
    for (let n = 0; n < 30; n++) await this.#try()
  }

  /**
   * Fills the disk so that little or no space is left, and performs some actions that the desk may refuse. Then frees
   * the space, and performs some actions that must succeed.
   */
  async round(): Promise<void> {
    this.figures.rounds++
    this.#disk.fill(Math.floor(this.#random() * 60_000))
    for (let n = 0; n < 12; n++) await this.#try()
    await this.#look('while the disk is full')
    if (this.#random() < 0.3) await this.#backUp()
    if (this.#random() < 0.3) await this.#reopenWhileFull()
    this.#disk.empty()
    // An operator repeats each refused action when there is space again.
    for (let n = 0; n < 3; n++) if (!(await this.#try())) this.#find('refused although there is space')
    await this.#look('when there is space again')
  }

  async end(): Promise<void> {
    this.#store?.close()
    await this.#open()
    await this.#look('after the last opening')
    const left = readdirSync(join(this.#dataDir, 'vault')).filter((name) => !name.endsWith('.pdf'))
    if (left.length > 0) this.#find(`${left.length} torn documents`)
    this.#store?.close()
  }

  async #open(): Promise<void> {
    // The default limits of the product require more free space than this disk has in total, so the required free space
    // is 0.
    const space = { ...standardSpace, leastFree: 0 }
    this.#store = await openStore(this.#dataDir, scopeKeyOf('scope'), () => undefined, null, space)
  }

  #now(): StorePort {
    if (!this.#store) throw new Error('no store is open')
    return this.#store
  }

  /** Performs the next action. If the desk refuses it, the next call performs the same action again. */
  async #try(): Promise<boolean> {
    const deed = this.#next
    try {
      await doDeed(this.#now(), deed)
      this.#done.add(deed)
      this.#next++
      this.figures.acknowledged++
      return true
    } catch (error) {
      this.figures.refused++
      if (!refusals.has(codeOf(error))) this.#find(`deed ${deed}: ${String(error)} ${causeOf(error)}`)
      if (await isDone(this.#now(), deed)) this.#find(`deed ${deed} was refused and is there`)
      return false
    }
  }

  async #look(when: string): Promise<void> {
    const lost = await countLost(this.#now(), this.#done)
    if (lost > 0) this.#find(`${lost} lost ${when}`)
  }

  async #backUp(): Promise<void> {
    const before = (await this.#now().storage.facts()).backups
    try {
      await this.#now().storage.backUp(1_000 + this.figures.rounds)
    } catch (error) {
      this.figures.backupsRefused++
      if (codeOf(error) !== 'backup.low_disk') this.#find(`backup: ${String(error)} ${causeOf(error)}`)
      const after = (await this.#now().storage.facts()).backups
      if (JSON.stringify(after) !== JSON.stringify(before)) this.#find('a refused backup left something')
    }
  }

  async #reopenWhileFull(): Promise<void> {
    this.#now().close()
    try {
      await this.#open()
      this.figures.openedWhileFull++
      await this.#look('after an opening on the full disk')
    } catch (error) {
      if (codeOf(error) !== 'store.full') this.#find(`opening: ${String(error)} ${causeOf(error)}`)
      this.#disk.empty()
      await this.#open()
    }
  }

  #find(what: string): void {
    if (this.figures.findings.length < 20) this.figures.findings.push(what)
  }
}

function codeOf(error: unknown): string | null {
  return error instanceof CataloguedError ? error.failure.code : null
}

function causeOf(error: unknown): string {
  return error instanceof CataloguedError ? JSON.stringify(error.failure.params) : ''
}
